// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <check/progress.hpp>
#include <check/terms.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <io/types.hpp>

namespace tessera::check {

/// The result of a comparison.
enum class Judgement {
  passed,      ///< every element is right
  failed,      ///< an element is wrong
  not_judged,  ///< no element is known to be wrong, but some cannot be judged
};
[[nodiscard]] char const* to_string(Judgement judgement);

/// Consecutive elements that cannot be judged, for the same reason.
struct NotJudged {
  std::int64_t first = 0;
  std::int64_t last = 0;
  char const* why = "";
};

/// The comparison with the reference. An element fails, with infinite error, if it is NaN or
/// infinite although that is impossible, or a number although that is impossible.
struct Verdict {
  std::int64_t elements = 0;
  std::int64_t failed = 0;  ///< error above the bound, or NaN or infinity in wrong places
  std::int64_t not_judged = 0;
  std::vector<NotJudged> which_not_judged{};  ///< the first runs, at most `most_listed`
  std::int64_t worst = 0;                     ///< index of the greatest error in units of the bound
  double worst_in_bounds = 0;                 ///< that error; at most 1 for a result that passes
  double worst_value = 0;                     ///< the element there
  double worst_reference = 0;                 ///< the reference there, rounded to double
  double worst_bound = 0;                     ///< the error bound there
  double greatest_ulp = 0;     ///< greatest error in units in the last place of the reference
  std::int64_t ulp_index = 0;  ///< index of greatest_ulp
  double seconds = 0;          ///< time for reference and comparison

  static constexpr std::size_t most_listed = 100;

  [[nodiscard]] Judgement judgement() const {
    if (failed > 0) return Judgement::failed;
    return not_judged > 0 ? Judgement::not_judged : Judgement::passed;
  }
  [[nodiscard]] bool passed() const { return judgement() == Judgement::passed; }
  /// Elements that were compared; 0: there is no greatest error.
  [[nodiscard]] std::int64_t judged() const { return elements - not_judged; }
};

/// The order of summation of a result.
enum class Summation {
  canonical,  ///< the order of docs/summation.md: short paths, small bounds
  any,        ///< each product may have as many roundings as there are products
};

/// Compares a result with a reference of higher precision: double for float, double-double for
/// double. The bound of each element follows only from the depth of the order of summation and the
/// absolute values of the terms (docs/accuracy.md).
///
/// @param A      the matrix of the computation, in the type of the result
/// @param x      v for atax and gemv, B for gemvt; or several contiguous vectors. Element i
///               of vector j of k then has the index i·k + j in the verdict
/// @param result in the shape that the operation returns, of the type of A
/// @param terms  of atax; their vectors have the type of A
/// @throws io::FileError out_of_memory, in the name of `input`
[[nodiscard]] Verdict judge(Operation operation, io::HostMatrix const& A, io::HostVector const& x,
                            io::HostVector const& result, std::string const& input,
                            Summation order = Summation::canonical, Terms const& terms = {},
                            Progress const& progress = {});

/// Compares Y = A·X and W = Aᵀ·U with references. In the verdict the elements of W follow the
/// elements of Y.
/// @copydetails judge
[[nodiscard]] Verdict judge_both(io::HostMatrix const& A, io::HostVector const& x,
                                 io::HostVector const& y, io::HostVector const& u,
                                 io::HostVector const& w, std::string const& input,
                                 Progress const& progress = {});

/// Compares C = A·B with a reference of higher precision. Element (i, j) of
/// C has the index i·n + j in the verdict.
/// @param A,B,C of one type
/// @throws io::FileError out_of_memory, in the name of `input`
[[nodiscard]] Verdict judge_product(io::HostMatrix const& A, io::HostMatrix const& B,
                                    io::HostMatrix const& C, std::string const& input,
                                    Summation order = Summation::canonical,
                                    Progress const& progress = {});

/// The bitwise comparison of moved elements.
struct BitVerdict {
  std::int64_t elements = 0;
  std::int64_t failed = 0;
  double seconds = 0;

  [[nodiscard]] Judgement judgement() const {
    return failed > 0 ? Judgement::failed : Judgement::passed;
  }
  [[nodiscard]] bool passed() const { return judgement() == Judgement::passed; }
};

/// Compares a result with A or, if `transposed`, with Aᵀ, bit by bit.
/// @param result of the type and order of A
[[nodiscard]] BitVerdict judge_moved(io::HostMatrix const& A, io::HostMatrix const& result,
                                     bool transposed, Progress const& progress = {});
/// "passed: all 12 elements have the right bits".
[[nodiscard]] std::string to_sentence(BitVerdict const& verdict);

/// One sentence: "passed: greatest error 0.031 of the bound at element 17, 1.2 ulp at element 3; 0
/// of 64 fail".
[[nodiscard]] std::string to_sentence(Verdict const& verdict);

}  // namespace tessera::check
