// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <check/progress.hpp>
#include <check/terms.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <io/matrix_info.hpp>
#include <io/types.hpp>

namespace tessera::check {

enum class Judgement {
  passed,
  failed,
  not_judged,  ///< none is known to be wrong, some cannot be judged
};
[[nodiscard]] char const* to_string(Judgement judgement);

struct NotJudged {
  std::int64_t first = 0;
  std::int64_t last = 0;
  char const* why = "";
};

/// An element that is impossibly NaN, infinite or a number fails with infinite error.
struct Verdict {
  std::int64_t elements = 0;
  std::int64_t failed = 0;
  std::int64_t not_judged = 0;
  std::vector<NotJudged> which_not_judged{};  ///< at most `most_listed`
  std::int64_t worst = 0;                     ///< index of the greatest error in bounds
  double worst_in_bounds = 0;                 ///< that error; at most 1 if it passes
  double worst_value = 0;
  double worst_reference = 0;  ///< rounded to double
  double worst_bound = 0;
  double greatest_ulp = 0;  ///< error in units in the last place of the reference
  std::int64_t ulp_index = 0;
  double seconds = 0;

  static constexpr std::size_t most_listed = 100;

  [[nodiscard]] Judgement judgement() const {
    if (failed > 0) return Judgement::failed;
    return not_judged > 0 ? Judgement::not_judged : Judgement::passed;
  }
  [[nodiscard]] bool passed() const { return judgement() == Judgement::passed; }
  /// 0: there is no greatest error.
  [[nodiscard]] std::int64_t judged() const { return elements - not_judged; }
};

enum class Summation {
  canonical,  ///< docs/summation.md: small bounds
  any,        ///< roundings up to the number of products
};

/// See docs/accuracy.md.
/// @param x k contiguous vectors: element i of vector j has the index i·k + j
/// @throws io::FileError out_of_memory, in the name of `input`
[[nodiscard]] Verdict judge(Operation operation, io::HostMatrix const& A, io::HostVector const& x,
                            io::HostVector const& result, std::string const& input,
                            Summation order = Summation::canonical, Terms const& terms = {},
                            Progress const& progress = {});
/// As above, for a matrix that is not widened. Has the verdict of the widened one, for vectors of
/// floats.
/// @param stored of 8 or 16 bits: what the bits of A mean
[[nodiscard]] Verdict judge(Operation operation, io::StoredMatrix const& A, io::ElementType stored,
                            io::HostVector const& x, io::HostVector const& result,
                            std::string const& input, Summation order = Summation::canonical,
                            Terms const& terms = {}, Progress const& progress = {});

/// Y = A·X and W = Aᵀ·U. W follows Y in the verdict's indices.
[[nodiscard]] Verdict judge_both(io::HostMatrix const& A, io::HostVector const& x,
                                 io::HostVector const& y, io::HostVector const& u,
                                 io::HostVector const& w, std::string const& input,
                                 Progress const& progress = {});

/// C = A·B. Element (i, j) has the index i·n + j.
[[nodiscard]] Verdict judge_product(io::HostMatrix const& A, io::HostMatrix const& B,
                                    io::HostMatrix const& C, std::string const& input,
                                    Summation order = Summation::canonical,
                                    Progress const& progress = {});

struct BitVerdict {
  std::int64_t elements = 0;
  std::int64_t failed = 0;
  double seconds = 0;

  [[nodiscard]] Judgement judgement() const {
    return failed > 0 ? Judgement::failed : Judgement::passed;
  }
  [[nodiscard]] bool passed() const { return judgement() == Judgement::passed; }
};

/// Compares bit by bit; both have one type and order.
[[nodiscard]] BitVerdict judge_moved(io::HostMatrix const& A, io::HostMatrix const& result,
                                     bool transposed, Progress const& progress = {});
[[nodiscard]] std::string to_sentence(BitVerdict const& verdict);

/// "passed: greatest error 0.031 of the bound at element 17, …"
[[nodiscard]] std::string to_sentence(Verdict const& verdict);

}  // namespace tessera::check
