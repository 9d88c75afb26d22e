// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "variants/gemv_runner.hpp"

#include <bench/published/gemv/table.hpp>
#include <functional>
#include <map>
#include <tuple>

#include <Kokkos_Core.hpp>

#include "support/device_data.hpp"
#include "support/instance.hpp"

// Compiles the variants' kernels.
namespace tessera::test {
namespace {

namespace gemv = published::gemv;

template <class C>
class KokkosGemvRunner final : public GemvRunner<typename C::Scalar> {
 public:
  using T = typename C::Scalar;
  using Exec = typename C::Exec;

  KokkosGemvRunner() {
    for (auto const& row : contiguous_) {
      rows_.push_back({std::string(row.name), row.product == gemv::Product::multiply_transposed,
                       row.layouts == gemv::Layouts::column_major,
                       row.teams == gemv::Teams::one_column, row.has_tile, row.has_tiling,
                       row.reproducible, row.default_team(Exec())});
    }
  }

  std::vector<GemvVariant> const& table() const override { return rows_; }
  bool takes(std::size_t i, published::TeamShape team) const override {
    return contiguous_[i].takes(Exec(), team);
  }
  int most_threads() const override { return published::detail::most_threads(Exec()); }

  void run_on_zeros(std::size_t i, Shape shape, Index input_size, Index output_size,
                    bool overlapping) override {
    DeviceMatrix<C> const A("A", static_cast<std::size_t>(shape.rows),
                            static_cast<std::size_t>(shape.cols));
    DeviceVector<C> const memory("vectors", static_cast<std::size_t>(input_size + output_size));
    auto const part = [&](Index first, Index size) {
      return DeviceVector<C>(Kokkos::subview(memory, Kokkos::make_pair(first, first + size)));
    };
    contiguous_[i].run(Exec(), A, part(0, input_size),
                       part(overlapping ? 0 : input_size, output_size), {});
    Kokkos::fence("tessera test: result is there");
  }

  std::vector<T> run(std::size_t i, HostMatrix<T> const& host_matrix, std::vector<T> const& x,
                     GemvCall const& call) override {
    Shape const shape = host_matrix.shape();
    GuardedVector<C> const result(rows_[i].transposed ? shape.cols : shape.rows,
                                  call.vector_stride);
    auto const A = matrix_on_device<C>(host_matrix);
    GuardedVector<C> const input(x, call.vector_stride);
    Exec const exec = call.own_instance ? own_instance_ : Exec();
    published::VariantOptions<Exec> const options{
        .workspace = call.kept_workspace ? &workspace_ : nullptr,
        .team = call.team,
        .teams = call.teams,
        .tile = call.tile,
        .tiling = call.tiling};
    Kokkos::fence("tessera test: data is there");

    if (call.observer != nullptr) {
      call.observer->begin(Kokkos::Tools::Experimental::device_id(exec));
    }
    if (call.vector_stride == 1) {
      contiguous_[i].run(exec, A, input.contiguous(), result.contiguous(), options);
    } else {
      strided_[i].run(exec, A, input.strided(), result.strided(), options);
    }
    if (call.observer != nullptr) call.observer->end();
    exec.fence("tessera test: result is wanted");
    return result.to_host();
  }

 private:
  Exec const own_instance_ = test::instance_of_its_own<Exec>();
  Workspace<Exec> workspace_{};
  std::vector<GemvVariant> rows_{};
  std::vector<gemv::Variant<Exec, DeviceMatrix<C>, DeviceVector<C>, DeviceVector<C>>> const
      contiguous_ = gemv::table<Exec, DeviceMatrix<C>, DeviceVector<C>, DeviceVector<C>>();
  std::vector<gemv::Variant<Exec, DeviceMatrix<C>, StridedVector<C>, StridedVector<C>>> const
      strided_ = gemv::table<Exec, DeviceMatrix<C>, StridedVector<C>, StridedVector<C>>();
};

template <class T>
using Makers = std::map<std::string, std::function<std::unique_ptr<GemvRunner<T>>()>>;

template <class T, class C>
void add_maker(Makers<T>& makers) {
  if constexpr (std::same_as<typename C::Scalar, T>) {
    makers[case_name<C>()] = [] { return std::make_unique<KokkosGemvRunner<C>>(); };
  }
}

template <class T, class... AllCasesOf>
Makers<T> all_makers(std::tuple<AllCasesOf...> const* /*only for its type*/) {
  Makers<T> makers;
  (add_maker<T, AllCasesOf>(makers), ...);
  return makers;
}

}  // namespace

template <std::floating_point T>
std::unique_ptr<GemvRunner<T>> make_gemv_runner(std::string const& name) {
  static auto const makers = all_makers<T>(static_cast<AllCases const*>(nullptr));
  return makers.at(name)();
}

template std::unique_ptr<GemvRunner<float>> make_gemv_runner<float>(std::string const&);
template std::unique_ptr<GemvRunner<double>> make_gemv_runner<double>(std::string const&);

}  // namespace tessera::test
