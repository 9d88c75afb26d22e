// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <app/run/stored_typed.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_both.hpp>
#include <tessera/multiply_transposed.hpp>

namespace tessera::app {
namespace {

struct Multiply {
  static constexpr bool is_transposed = false;

  template <class T, class Layout, class... Arguments>
  static Plan plan(Arguments const&... arguments) {
    return plan_multiply<T, Layout>(arguments...);
  }
};

struct MultiplyTransposed {
  static constexpr bool is_transposed = true;

  template <class T, class Layout, class... Arguments>
  static Plan plan(Arguments const&... arguments) {
    return plan_multiply_transposed<T, Layout>(arguments...);
  }
};

template <class Product>
Measurement run_product(RunRequest const& request) {
  Measurement measurement;
  measurement.method = "one-stage";
  with_matrix_of(
      request, measurement,
      [&]<class Exec, class Matrix>(Exec const& exec, Matrix const& A, bool by_rows) {
        using namespace tessera::detail;
        using T = typename Matrix::non_const_value_type;
        constexpr bool is_transposed = Product::is_transposed;
        auto const x =
            bring_vector<Exec, T>(exec, request.x, request.input, "the vector", measurement);
        auto const m = static_cast<std::int64_t>(A.extent(0)),
                   n = static_cast<std::int64_t>(A.extent(1));
        auto const y =
            make_vector<Exec, T>(request, is_transposed ? "C" : "B", is_transposed ? n : m);
        Workspace<Exec> workspace;
        tessera::Options<Exec> const options{
            .workspace = &workspace, .tuning = request.tuning, .kernels = request.kernels};
        take_plan<Exec>(of_layout(by_rows,
                                  [&]<class Layout>(Layout) {
                                    return Product::template plan<T, Layout>(exec, m, n, options);
                                  }),
                        request, measurement);
        auto const block = [&](auto const& vectors) {
          return app::block_of(vectors, request.columns);
        };
        VectorProduct const& product = is_transposed ? transposed_product : plain_product;
        measure(exec, request.repeat, measurement,
                Stage{is_transposed ? "multiply_transposed" : "multiply", [&] {
                        if (request.columns == 1) {
                          call_product<Exec, T>(exec, product, A, vector_in(x), vector_out(y),
                                                options);
                        } else {
                          call_product<Exec, T>(exec, product, A, matrix_in(block(x)),
                                                matrix_out(block(y)), options);
                        }
                      }});
        measurement.bytes =
            one_product
                .of_block(request.columns, static_cast<std::int64_t>(columns_at_once<Exec, T>(
                                               product.operation, A, request.kernels)))
                .bytes(m, n, app::element_bytes(A), sizeof(T));
        measurement.result = take_result<Exec, T>(y, measurement);
      });
  return measurement;
}

template <class Product>
Forecast forecast_product_with_vector(Shape const& shape, BackendChoice backend) {
  Forecast forecast;
  with_types(shape, backend, [&]<class Exec, class T, class Layout>() {
    tessera::Options<Exec> const options{.kernels = shape.kernels};
    auto const plan = Product::template plan<T, Layout>(Exec(), shape.rows, shape.cols, options);
    auto const in = Product::is_transposed ? shape.rows : shape.cols;
    forecast =
        forecast_of<T>(shape, one_product, in, shape.rows + shape.cols - in, plan.workspace_bytes);
  });
  return forecast;
}

Traffic traffic_of_both(bool fused) {
  return {.matrix = fused ? 1 : 2, .cols_vectors = 2, .rows_vectors = 2};
}

Measurement run_multiply_both(RunRequest const& request) {
  Measurement measurement;
  auto const run = [&]<class Exec, class T, class Layout>(Exec const& exec,
                                                          io::MatrixView<T, Layout> const& host_a) {
    auto const A = bring(exec, host_a, request.input, measurement);
    auto const x = bring_vector<Exec, T>(exec, request.x, request.input, "the vector", measurement);
    auto const u = bring_vector<Exec, T>(exec, request.terms.of_map, request.input, "the vector U",
                                         measurement);
    auto const m = static_cast<std::int64_t>(A.extent(0)),
               n = static_cast<std::int64_t>(A.extent(1));
    auto const Y = make_vector<Exec, T>(request, "Y", m);
    auto const W = make_vector<Exec, T>(request, "W", n);
    Workspace<Exec> workspace;
    tessera::Options<Exec> const options{
        .workspace = &workspace, .tuning = request.tuning, .kernels = request.kernels};
    auto const plan = plan_multiply_both<T, Layout>(exec, m, n, options);
    take_plan<Exec>(plan, request, measurement);
    bool const fused = plan.method == Method::fused;
    measurement.method = fused ? "fused" : "two-stage";
    measure(exec, request.repeat, measurement,
            Stage{"multiply_both", [&] { multiply_both(exec, A, x, u, Y, W, options); }});
    measurement.bytes = traffic_of_both(fused).bytes(m, n, sizeof(T));
    measurement.result = take_result<Exec, T>(Y, measurement);
    measurement.intermediate = take_result<Exec, T>(W, measurement);
  };
  std::visit(run, space_for(request, measurement), request.A);
  return measurement;
}

Forecast forecast_multiply_both(Shape const& shape, BackendChoice backend) {
  Forecast forecast;
  with_types(shape, backend, [&]<class Exec, class T, class Layout>() {
    auto const plan =
        plan_multiply_both<T, Layout>(Exec(), shape.rows, shape.cols, {.kernels = shape.kernels});
    forecast = forecast_of<T>(shape, traffic_of_both(plan.method == Method::fused), shape.cols,
                              shape.rows + shape.cols, plan.workspace_bytes);
  });
  return forecast;
}

template <class Product>
OperationRow row_of_product(char const* name, OperationId id) {
  return {bench::operation_named(name), id, &run_product<Product>,
          &forecast_product_with_vector<Product>};
}

}  // namespace

// Of atax.cpp.
OperationRow row_of_atax();
OperationRow row_of_aatx();

std::span<OperationRow const> table_of_operations() {
  static OperationRow const table[] = {
      row_of_atax(),
      row_of_aatx(),
      row_of_product<Multiply>("multiply", OperationId::multiply),
      row_of_product<MultiplyTransposed>("multiply_transposed", OperationId::multiply_transposed),
      {bench::operation_named("multiply_both"), OperationId::multiply_both, &run_multiply_both,
       &forecast_multiply_both}};
  return table;
}

}  // namespace tessera::app
