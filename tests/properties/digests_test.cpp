// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/digests.hpp"

#include <concepts>
#include <string>
#include <vector>

#include "support/case_test.hpp"
#include "support/methods.hpp"
#include "support/sha256.hpp"

/// By every method; ctest runs these with several numbers of threads.
namespace tessera::test {
namespace {

template <class C>
class CommittedDigests : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;

  static std::vector<Digest> of(std::string const& operation) {
    std::string const type = std::same_as<T, float> ? "f32" : "f64";
    std::string const order = C::order == Order::row_major ? "row-major" : "column-major";
    std::vector<Digest> chosen;
    for (Digest const& digest : read_digests(TESSERA_TEST_DATA_DIR "/digests.txt")) {
      if (digest.operation == operation && digest.type == type && digest.order == order) {
        chosen.push_back(digest);
      }
    }
    EXPECT_GE(chosen.size(), 12U);
    return chosen;
  }

  static HostMatrix<T> matrix(Digest const& digest) {
    return {digest.shape, C::order, digest_matrix<T>(digest)};
  }
};
TYPED_TEST_SUITE(CommittedDigests, EveryCase, CaseName);

TYPED_TEST(CommittedDigests, AreMetByMultiply) {
  using T = typename TypeParam::Scalar;
  for (Digest const& digest : this->of("multiply")) {
    auto const B = this->runner().multiply(this->matrix(digest), digest_vector<T>(digest));
    EXPECT_EQ(sha256(B), digest.sha256) << digest;
  }
}

TYPED_TEST(CommittedDigests, AreMetByMultiplyTransposed) {
  using T = typename TypeParam::Scalar;
  for (Digest const& digest : this->of("multiply_transposed")) {
    auto const C =
        this->runner().multiply_transposed(this->matrix(digest), digest_vector<T>(digest));
    EXPECT_EQ(sha256(C), digest.sha256) << digest;
  }
}

TYPED_TEST(CommittedDigests, AreMetByAtaxByEveryMethod) {
  using T = typename TypeParam::Scalar;
  for (Digest const& digest : this->of("atax")) {
    auto const A = this->matrix(digest);
    auto const v = digest_vector<T>(digest);
    for (Method const method : all_methods) {
      EXPECT_EQ(sha256(this->runner().atax(A, v, {.method = method})), digest.sha256)
          << digest << ", " << name_of(method);
    }
  }
}

}  // namespace
}  // namespace tessera::test
