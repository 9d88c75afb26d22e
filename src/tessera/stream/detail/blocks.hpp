// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/stream/source.hpp>
#include <tessera/summation.hpp>

/// Cuts a matrix into blocks that are subtrees of the sum.
namespace tessera::stream::detail {

using summation::ceil_div;
using tessera::detail::floor_power_of_two;

enum class Cut {
  lines,
  panels,  ///< an aligned group, or a part of one
  tiles,   ///< an aligned range of segments of all lines
  groups,  ///< aligned groups of as many lines as a segment has elements
};

struct Extents {
  Index count;
  Index length;
  Index panel_of_whole = 0;  ///< 0: this is the whole matrix

  [[nodiscard]] Index panel() const {
    return panel_of_whole > 0 ? panel_of_whole : summation::panels(count, length).lines;
  }
};

template <class T, class Layout>
Extents extents_of(AnySource<T, Layout> const& source) {
  constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  return {.count = row_major ? source.rows() : source.cols(),
          .length = row_major ? source.cols() : source.rows(),
          .panel_of_whole = source.panel_of_whole()};
}

template <bool RowMajor>
Block block_of(Index line, Index lines, Index element, Index elements) {
  return RowMajor ? Block{line, lines, element, elements} : Block{element, elements, line, lines};
}

/// Lines, or these elements of all lines.
struct Part {
  Index first;
  Index count;
};

/// Blocks have equal sizes, except perhaps a panel's last one.
class Blocks {
 public:
  /// Cuts about `target`, at most `most` bytes; nothing if the smallest block is larger.
  template <class T>
  static std::optional<Blocks> of(Extents const& e, Cut cut, std::size_t target, std::size_t most) {
    constexpr auto size = static_cast<Index>(sizeof(T));
    Index const tile = std::min(Index{summation::segment<T>}, e.length);
    Index const unit = (cut == Cut::tiles ? tile * e.count : e.length) * size;
    Index const units = cut == Cut::tiles ? summation::segments<T>(e.length) : e.count;
    constexpr Index group = summation::segment<T>;
    auto const units_in = [&](std::size_t bytes) { return static_cast<Index>(bytes) / unit; };
    if (units_in(most) < 1) return std::nullopt;
    Index const wanted = std::clamp(units_in(target), Index{1}, std::min(units_in(most), units));
    Blocks blocks(e, cut);
    switch (cut) {
      case Cut::lines:
        blocks.size_ = wanted;
        break;
      case Cut::tiles:
        blocks.size_ = floor_power_of_two(wanted) * group;
        break;
      case Cut::groups:
        if (units_in(most) < std::min(group, e.count)) return std::nullopt;
        blocks.size_ = group * floor_power_of_two(std::max(Index{1}, wanted / group));
        break;
      case Cut::panels: {
        Index const panel = e.panel();
        blocks.panel_ = panel;
        if (panel <= units_in(most)) {
          blocks.size_ = panel * floor_power_of_two(std::max(Index{1}, wanted / panel));
        } else {
          Index const pieces = ceil_div(panel, units_in(most));
          blocks.cut_panels(ceil_div(panel, pieces));
        }
        break;
      }
    }
    return blocks;
  }
  template <class T>
  static std::optional<Blocks> of_size(Extents const& e, Cut cut, Index size) {
    Blocks blocks(e, cut);
    blocks.size_ = size;
    if (cut == Cut::panels) blocks.panel_ = e.panel();
    if (size < 1 || size > blocks.total_) return std::nullopt;
    if (size == blocks.total_ || cut == Cut::lines) return blocks;
    if (cut == Cut::panels && size < blocks.panel_) {
      blocks.cut_panels(size);
      return blocks;
    }
    Index const unit = cut == Cut::panels ? blocks.panel_ : Index{summation::segment<T>};
    bool const is_subtree = size % unit == 0 && checks::is_power_of_two(size / unit);
    return is_subtree ? std::optional(blocks) : std::nullopt;
  }

  [[nodiscard]] Index count() const {
    if (pieces_ == 1) return ceil_div(total_, size_);
    Index const full = (total_ - 1) / panel_;
    return full * pieces_ + ceil_div(total_ - full * panel_, size_);
  }
  /// Lines, or elements of all lines.
  [[nodiscard]] Index size() const { return std::min(size_, total_); }
  [[nodiscard]] Part part(Index block) const {
    Index const panel = block / pieces_;
    Index const first = pieces_ == 1 ? block * size_ : panel * panel_ + block % pieces_ * size_;
    Index const end = pieces_ == 1 ? total_ : std::min(total_, (panel + 1) * panel_);
    return {first, std::min(size_, end - first)};
  }
  /// False if blocks cut every line.
  [[nodiscard]] bool are_lines() const { return are_lines_; }
  /// Matrix elements per line, or per element of all lines.
  [[nodiscard]] Index across() const { return across_; }
  [[nodiscard]] Index elements() const { return total_ * across_; }
  [[nodiscard]] Index elements(Index block) const { return part(block).count * across_; }
  [[nodiscard]] Index line_count(Index block) const {
    return are_lines_ ? part(block).count : across_;
  }
  [[nodiscard]] Index line_length(Index block) const {
    return are_lines_ ? across_ : part(block).count;
  }
  /// Whether blocks are parts of panels, so that chains continue in the next block.
  [[nodiscard]] bool are_pieces() const { return pieces_ > 1; }
  [[nodiscard]] Index pieces() const { return pieces_; }
  [[nodiscard]] bool begins_panel(Index block) const { return block % pieces_ == 0; }
  [[nodiscard]] bool ends_panel(Index block) const {
    auto const [first, count] = part(block);
    return (first + count) % panel_ == 0 || first + count == total_;
  }
  /// The subtree that a block computes or completes.
  [[nodiscard]] Index subtree(Index block) const { return block / pieces_; }
  [[nodiscard]] Index subtrees() const { return subtree(count() - 1) + 1; }
  /// 0 if panels do not matter.
  [[nodiscard]] Index panel_lines() const { return panel_; }

 private:
  Blocks(Extents const& e, Cut cut)
      : are_lines_(cut != Cut::tiles),
        total_(are_lines_ ? e.count : e.length),
        across_(are_lines_ ? e.length : e.count) {}
  void cut_panels(Index lines) {
    size_ = lines;
    pieces_ = ceil_div(panel_, lines);
  }

  bool are_lines_;
  Index total_;
  Index across_;
  Index size_ = 0;
  Index panel_ = 0;
  Index pieces_ = 1;
};

}  // namespace tessera::stream::detail
