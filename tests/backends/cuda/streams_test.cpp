// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <chrono>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/vectors.hpp>

#include "support/cases.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

/// Operations on the caller's streams never wait, run while another is blocked, and can be captured
/// in graphs.
namespace tessera::test {
namespace {

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  ~Stream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
  cudaStream_t get() const { return stream_; }
  void wait() const { require(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_{};
};

/// Opens itself after a timeout, so that tests fail instead of hanging.
class Gate {
 public:
  Gate() = default;
  Gate(Gate const&) = delete;
  Gate& operator=(Gate const&) = delete;
  ~Gate() { open(); }
  void stop(Stream const& stream) { require(cudaLaunchHostFunc(stream.get(), wait, this)); }
  void open() { open_ = true; }
  bool gave_up() const { return gave_up_; }

 private:
  static void wait(void* self) {
    auto& gate = *static_cast<Gate*>(self);
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!gate.open_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (std::chrono::steady_clock::now() > deadline) {
        gate.gave_up_ = true;
        return;
      }
    }
  }
  std::atomic<bool> open_ = false;
  std::atomic<bool> gave_up_ = false;
};

template <class C>
class Worker {
 public:
  using T = typename C::Scalar;

  Worker(Shape const& shape, std::uint64_t seed)
      : exec_(stream_.get()),
        A_("A", static_cast<std::size_t>(shape.rows), static_cast<std::size_t>(shape.cols)) {
    auto const problem = real_problem<T>(shape, C::order, seed);
    copy(A_.data(), problem.A.memory().data(), problem.A.memory().size(), cudaMemcpyHostToDevice);
    v_ = vector(problem.v);
    b_ = vector(problem.B);
    auto const matrix = problem.A.for_reference();
    auto const pair = reference::atax(matrix, problem.v);
    auto const length = static_cast<Index>(problem.v.size());
    auto const square =
        reference::dot(reference::Lines<T>{problem.v.data(), 1, length, length}, problem.v);
    auto multiple = problem.v;
    for (T& entry : multiple) entry = square[0] * entry;
    expected_ = {reference::multiply(matrix, problem.v),
                 reference::multiply_transposed(matrix, problem.B),
                 pair,
                 pair,
                 square,
                 multiple};
    for (auto const& result : expected_) outputs_.push_back(vector(result));
  }

  Stream const& stream() const { return stream_; }
  void enqueue() {
    multiply(exec_, A_, v_, outputs_[0], {.workspace = &workspace_});
    multiply_transposed(exec_, A_, b_, outputs_[1], {.workspace = &workspace_});
    atax(exec_, A_, v_, outputs_[2], {.method = Method::fused, .workspace = &workspace_});
    atax(exec_, A_, v_, outputs_[3], {.method = Method::two_stage, .workspace = &workspace_});
    sum_of_squares(exec_, v_, outputs_[4], {.workspace = &workspace_});
    axpby(exec_, outputs_[4], v_, 0, outputs_[5]);
  }
  void poison_outputs() const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      std::vector<T> const nothing(expected_[i].size(), poison<T>());
      copy(outputs_[i].data(), nothing.data(), nothing.size(), cudaMemcpyHostToDevice);
    }
  }
  void expect_results(bool computed, Stream const& stream) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      std::vector<T> found(expected_[i].size());
      copy(found.data(), outputs_[i].data(), found.size(), cudaMemcpyDeviceToHost, stream);
      EXPECT_THAT(found,
                  same_bits_as(computed ? expected_[i] : std::vector<T>(found.size(), poison<T>())))
          << "operation " << i;
    }
  }

 private:
  using Vector = Kokkos::View<T*, Kokkos::CudaSpace>;

  void copy(T* to, T const* from, std::size_t count, cudaMemcpyKind kind) const {
    copy(to, from, count, kind, stream_);
  }
  static void copy(T* to, T const* from, std::size_t count, cudaMemcpyKind kind,
                   Stream const& stream) {
    require(cudaMemcpyAsync(to, from, count * sizeof(T), kind, stream.get()));
    stream.wait();
  }
  Vector vector(std::vector<T> const& host) const {
    Vector const result(Kokkos::view_alloc("vector", Kokkos::WithoutInitializing), host.size());
    copy(result.data(), host.data(), host.size(), cudaMemcpyHostToDevice);
    return result;
  }

  Stream stream_;
  Kokkos::Cuda exec_;
  Kokkos::View<T**, typename C::Layout, Kokkos::CudaSpace> A_;
  Vector v_;
  Vector b_;
  std::vector<Vector> outputs_;
  std::array<std::vector<T>, 6> expected_;
  Workspace<Kokkos::Cuda> workspace_;
};

template <class C>
using Streams = testing::Test;
using CudaCases = testing::Types<Case<Kokkos::Cuda, Kokkos::LayoutRight, float>,
                                 Case<Kokkos::Cuda, Kokkos::LayoutLeft, double>>;
TYPED_TEST_SUITE(Streams, CudaCases, CaseName);

TYPED_TEST(Streams, ProgressWhileAnotherStreamIsBlocked) {
  Worker<TypeParam> stopped({1500, 700}, 31);
  Worker<TypeParam> running({700, 1500}, 32);
  // First calls may wait.
  for (auto* worker : {&stopped, &running}) {
    worker->enqueue();
    worker->stream().wait();
    worker->expect_results(true, worker->stream());
    worker->poison_outputs();
  }

  Gate gate;
  gate.stop(stopped.stream());
  for (int round = 0; round < 5; ++round) {
    stopped.enqueue();
    running.enqueue();
  }
  running.stream().wait();
  running.expect_results(true, running.stream());
  stopped.expect_results(false, running.stream());
  EXPECT_FALSE(gate.gave_up()) << "something waited for the stream that stood still";
  gate.open();
  stopped.stream().wait();
  stopped.expect_results(true, stopped.stream());
  running.expect_results(true, running.stream());
}

TYPED_TEST(Streams, AreCapturedByGraphs) {
  Worker<TypeParam> worker({1500, 700}, 33);
  worker.enqueue();
  worker.stream().wait();
  worker.poison_outputs();

  require(cudaStreamBeginCapture(worker.stream().get(), cudaStreamCaptureModeThreadLocal));
  worker.enqueue();
  cudaGraph_t graph{};
  require(cudaStreamEndCapture(worker.stream().get(), &graph));
  cudaGraphExec_t launched{};
  require(cudaGraphInstantiate(&launched, graph, 0));
  worker.expect_results(false, worker.stream());
  for (int launch = 0; launch < 2; ++launch) {
    worker.poison_outputs();
    require(cudaGraphLaunch(launched, worker.stream().get()));
    worker.stream().wait();
    worker.expect_results(true, worker.stream());
  }
  require(cudaGraphExecDestroy(launched));
  require(cudaGraphDestroy(graph));
}

TYPED_TEST(Streams, TheFirstCallIsNotCaptured) {
  Worker<TypeParam> worker({1500, 700}, 34);
  require(cudaStreamBeginCapture(worker.stream().get(), cudaStreamCaptureModeThreadLocal));
  EXPECT_THROW(worker.enqueue(), std::invalid_argument);
  cudaGraph_t graph{};
  require(cudaStreamEndCapture(worker.stream().get(), &graph));
  require(cudaGraphDestroy(graph));
  worker.enqueue();
  worker.stream().wait();
  worker.expect_results(true, worker.stream());
}

}  // namespace
}  // namespace tessera::test
