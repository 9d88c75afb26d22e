// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/options.hpp>
#include <tessera/variants/options.hpp>

/// The published kernels (src/tessera/variants/) on the command line. What is said of them comes
/// from the tables of the library.
namespace tessera::app {

/// Which variant of an operation runs, and how. What is empty is as published.
struct VariantChoice {
  std::string name;                    ///< empty: the operation itself
  std::optional<variants::Team> team;  ///< R x C; of a transpose X x Y
  std::optional<std::int64_t> teams;   ///< most teams of a kernel
  std::optional<std::int64_t> tile;    ///< scalars, or of gemm columns of A, in scratch
  std::optional<variants::Tiling> tiling;
};

/// What the command line knows of a variant.
struct VariantFacts {
  std::string_view name;
  bool takes_team = true;
  bool takes_teams = false;
  bool takes_tile = false;
  bool takes_tiling = false;
  bool column_major_only = false;
  bool hosts_only = false;
  bool is_copy = false;  ///< of a transpose: its output is A
};

/// The variants of the operations. They need no Kokkos that is initialised.
[[nodiscard]] std::vector<VariantFacts> variants_of_multiply();
/// @copydoc variants_of_multiply
[[nodiscard]] std::vector<VariantFacts> variants_of_multiply_transposed();
/// @copydoc variants_of_multiply
[[nodiscard]] std::vector<VariantFacts> variants_of_transpose();
/// @copydoc variants_of_multiply
[[nodiscard]] std::vector<VariantFacts> variants_of_gemm();

/// Refuses options that the variant does not take, or that go with a variant where there is none.
/// @throws Failure usage
void require_applicable(VariantChoice const& choice, Kernels kernels,
                        std::vector<VariantFacts> const& variants);

/// The facts of the variant that was chosen; null where it is the operation itself.
[[nodiscard]] VariantFacts const* chosen(VariantChoice const& choice,
                                         std::vector<VariantFacts> const& variants);

/// Why a job of this variant is for hosts; empty: it is not.
[[nodiscard]] std::string why_host_only(VariantFacts const* facts,
                                        std::vector<VariantFacts> const& variants);

/// A variant that has run.
struct VariantRun {
  std::string name;
  std::optional<variants::Team> team = std::nullopt;  ///< empty: it has none
  std::string_view block = "team";                    ///< what it calls its threads
  variants::Reproducible reproducible = variants::Reproducible::always;
  bool is_copy = false;
};

/// "atomic, team of 32 x 32 threads".
[[nodiscard]] std::string to_text(VariantRun const& run);
/// A sentence for people: whether the bits come again.
[[nodiscard]] std::string_view sentence_of(variants::Reproducible reproducible);
/// "no", "with-equal-launch" or "always".
[[nodiscard]] std::string_view to_string(variants::Reproducible reproducible);

/// The row of a table of variants with this name; it is there.
template <class Rows>
auto const& row_named(Rows const& rows, std::string_view name) {
  auto row = rows.begin();
  while (row->name != name) ++row;
  return *row;
}

/// A refusal in the words of the library as one of the command line: "--variant NAME: …".
/// @throws Failure usage
[[noreturn]] void refuse(std::string const& variant, std::string const& sentence);

/// Calls work(); a std::invalid_argument of the variant is a refusal.
template <class Work>
void with_refusals(std::string const& variant, Work const& work) {
  try {
    work();
  } catch (std::invalid_argument const& error) {
    refuse(variant, error.what());
  }
}

}  // namespace tessera::app
