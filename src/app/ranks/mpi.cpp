// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Collective functions of ranks, with MPI.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <mpi.h>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/run/run_typed.hpp>
#include <app/solve/solve.hpp>
#include <app/stream/stream.hpp>
#include <app/stream/stream_typed.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/operator.hpp>
#include <tessera/distributed/stream.hpp>

namespace tessera::app {
namespace {

/// Null without a session.
std::shared_ptr<distributed::Communicator const>& communicator() {
  static std::shared_ptr<distributed::Communicator const> all;
  return all;
}

void fall_silent() {
  int const nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

std::vector<std::string> gather_texts(std::string const& mine) {
  communicator()->together([] {});  // failed ranks meet the others here
  return communicator()->gather_texts(mine);
}

/// nvcc 13.0 has an internal error at a vector of the unnamed cpu_set_t.
struct Processors {
  cpu_set_t set;
};

Processors processors() {
  Processors its;
  CPU_ZERO(&its.set);
  // With more than CPU_SETSIZE processors none is known.
  if (::sched_getaffinity(0, sizeof(its.set), &its.set) != 0) CPU_ZERO(&its.set);
  return its;
}

struct PlaceOnHost {
  int number = 0;
  int size = 1;
  int threads = 0;
};
PlaceOnHost place_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  PlaceOnHost place;
  MPI_Comm_rank(host, &place.number);
  MPI_Comm_size(host, &place.size);
  Processors const mine = processors();
  std::vector<Processors> all(static_cast<std::size_t>(place.size));
  MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, host);
  MPI_Comm_free(&host);
  auto const sharing = std::ranges::count_if(
      all, [&](Processors const& its) { return CPU_EQUAL(&its.set, &mine.set) != 0; });
  int const count = CPU_COUNT(&mine.set);
  if (count > 0) place.threads = std::max(1, count / static_cast<int>(sharing));
  return place;
}

/// Else ranks of a killed launcher wait forever.
void end_with_launcher() {
  pid_t const launcher = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != launcher) ::raise(SIGTERM);  // it has ended
}

/// Why ranks cannot work together; null: they can. Thrown when all can end together.
std::exception_ptr& failed_start() {
  static std::exception_ptr error;
  return error;
}

/// This rank's rows; empty if x is empty.
template <class Vector>
Vector some_of(Vector const& x, distributed::Rows const& rows) {
  if (x.size() == 0) return x;
  return Vector(x.data() + rows.first, static_cast<std::size_t>(rows.count));
}

}  // namespace

RanksSession::RanksSession(char const* const* /*argv*/) {
  if (!is_started_by_mpirun()) return;
  end_with_launcher();
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks().rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks().size);
  if (!ranks().is_first()) fall_silent();
  try {
    std::string const launched = launched_processes();
    if (!ranks().are_many() && !launched.empty() && launched != "1") {
      throw Failure(ExitStatus::resources,
                    "a launcher has started " + launched +
                        " processes of this program, and each is alone for its MPI, " +
                        mpi_version() +
                        ": expected the mpirun of this MPI, or srun --mpi=pmix; TESSERA_MPI=off "
                        "in the environment makes each process a separate run");
    }
    communicator() = std::make_shared<distributed::Communicator const>(MPI_COMM_WORLD);
    PlaceOnHost const place = place_on_host();
    ranks().on_host = place.number;
    ranks().host_size = place.size;
    ranks().threads = place.threads;
    ranks().gather = &gather_texts;
  } catch (...) {
    if (!ranks().are_many()) {
      MPI_Finalize();
      throw;
    }
    failed_start() = std::current_exception();
  }
}

RanksSession::~RanksSession() {
  if (communicator() == nullptr && !failed_start()) return;
  communicator().reset();
  MPI_Finalize();
}

ExitStatus on_all_ranks(std::function<ExitStatus()> const& work) {
  if (failed_start()) std::rethrow_exception(failed_start());
  ExitStatus status = ExitStatus::good;
  std::optional<Failure> own;
  try {
    communicator()->together([&] {
      try {
        status = work();
      } catch (DistributedError const&) {
        throw;
      } catch (...) {
        own = failure_of(std::current_exception());
        throw *own;
      }
    });
  } catch (DistributedError const& error) {
    if (!own) own = KeptFailure::first();
    int code = static_cast<int>(own ? own->status() : ExitStatus::resources);
    communicator()->broadcast(&code, 1, error.rank());
    throw Failure(static_cast<ExitStatus>(code),
                  error.rank() == 0 ? error.sentence() : error.what());
  }
  return status;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string const whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

Measurement run_on_ranks(OperationId id, StreamRequest const& r, int repeat) {
  Measurement to;
  to.method = "distributed";
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  with_types(shape, r.backend, [&]<class Exec, class T, class Layout>() {
    Exec const exec;
    Distributed<Exec> const world(communicator(), exec);
    auto const mine = world.template rows_of<T, Layout>(shape.rows, shape.cols);
    RankFacts facts;
    auto const A = read_rows<Exec, T, Layout>(exec, r.reader, mine.first, mine.count, facts);
    std::string const& path = r.reader.path();
    auto const x = bring_vector<Exec, T>(exec, r.x, path, "the vector", to);
    TermsOnDevice<Exec, T> terms(exec, r.terms, path, to);
    terms.of_map = some_of(terms.of_map, mine);
    OperationRow const& row = row_of(id);
    bool const is_both = row.gives_two_vectors;
    bool const wants_rows = row.gives_rows_vector || r.keep_intermediate;
    bool const wants_cols = !row.gives_rows_vector || is_both || row.is_of_transpose();
    auto const make = [&](char const* what, std::int64_t length) {
      return allocate<DeviceVector<Exec, T>, Exec>(path, what, length * r.columns);
    };
    auto const B = make("vector B", wants_rows ? shape.rows : 0);
    auto const C = make("vector C", wants_cols ? shape.cols : 0);
    Workspace<Exec> workspace;
    AtaxOptions<Exec, T> const options{.method = r.method,
                                       .workspace = &workspace,
                                       .kernels = r.kernels,
                                       .map = terms.map(),
                                       .alpha = terms.alpha,
                                       .beta = terms.beta,
                                       .z = terms.z};
    RowMap<T, typename Exec::memory_space> const replace(maps::Kind::replace, terms.of_map);
    AtaxOptions<Exec, T> const both{
        .workspace = &workspace, .kernels = r.kernels, .map = replace, .keep_product = true};
    tessera::Options<Exec> const plain{.workspace = &workspace, .kernels = r.kernels};
    measure(exec, repeat, to, Stage{"distributed", [&] {
                                      for (std::int64_t j = 0; j < r.columns; ++j) {
                                        auto const its_x = column(x, j, r.columns);
                                        auto const its_b = some_of(column(B, j, r.columns), mine);
                                        auto const its_c = column(C, j, r.columns);
                                        if (id == OperationId::multiply) {
                                          world.multiply(A, its_x, its_b, plain);
                                        } else if (id == OperationId::multiply_transposed) {
                                          world.multiply_transposed(A, some_of(its_x, mine), its_c,
                                                                    plain);
                                        } else if (id == OperationId::aatx) {
                                          world.aatx(A, some_of(its_x, mine), its_c, its_b, plain);
                                        } else if (is_both) {
                                          world.atax(A, its_x, its_b, its_c, both);
                                        } else if (wants_rows) {
                                          world.atax(A, its_x, its_b, its_c, options);
                                        } else {
                                          world.atax(A, its_x, its_c, options);
                                        }
                                      }
                                    }});
    for (std::int64_t j = 0; wants_rows && j < r.columns; ++j) {
      world.share_rows(column(B, j, r.columns), mine);
    }
    facts.seconds = to.seconds.median;
    to.ranks = communicator()->gather(facts);
    to.exchange = world.exchange();
    to.kernels = kernels_used<Exec>(r.kernels);
    to.bytes = static_cast<std::uint64_t>(r.columns) *
               one_product.bytes(shape.rows, shape.cols, sizeof(T));
    to.result = take_result<Exec, T>(row.gives_rows_vector ? B : C, to);
    if (r.keep_intermediate || is_both) {
      to.intermediate = take_result<Exec, T>(row.gives_rows_vector ? C : B, to);
    }
  });
  return to;
}

Measurement stream_on_ranks(OperationId id, StreamRequest const& request) {
  auto const all = []<class Exec>(Exec const& exec) {
    return Distributed<Exec>(communicator(), exec);
  };
  Measurement measurement = stream_at(id, request, all);
  RankFacts const facts{.streams = true,
                        .bytes_read = measurement.stream->bytes_read,
                        .seconds = measurement.seconds.median};
  communicator()->together([] {});
  measurement.ranks = communicator()->gather(facts);
  measurement.exchange = "mpi from host memory";
  measurement.bytes = 0;
  for (RankFacts const& rank : measurement.ranks) measurement.bytes += rank.bytes_read;
  return measurement;
}

Reading with_operator_on_ranks(SolveRequest const& r,
                               std::function<void(AnyOperator const& op)> const& work) {
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  Reading reading{.is_narrowed = info.type == io::ScalarType::f64 && r.type == io::ScalarType::f32};
  with_types(shape, r.place.backend.choice, [&]<class Exec, class T, class Layout>() {
    Exec const exec;
    Distributed<Exec> const world(communicator(), exec);
    if (r.place.stream) {
      with_stream<T, Layout>(
          r.reader, r.place.stream->memory_limit, r.vectors, r.place.kernels,
          [](auto const& /*source*/) { return std::size_t{0}; },  // ranks agree on it later
          [&](auto const& source, stream::Options<T> const& options) {
            solve::DistributedStreamOperator<Exec, FileSource<T, Layout>> const op(world, source,
                                                                                   options);
            reading.exchange = "mpi from host memory";
            work(&op);
          });
      return;
    }
    using namespace distributed::detail;
    auto const mine =
        r.in_segments ? even_rows({shape.rows, summation::segment<T>}, world.rank(), world.size())
                      : world.template rows_of<T, Layout>(shape.rows, shape.cols);
    RankFacts facts;
    auto const A = read_rows<Exec, T, Layout>(exec, r.reader, mine.first, mine.count, facts);
    reading.seconds = facts.read_seconds;
    solve::DistributedOperator<Exec, DeviceMatrix<Exec, T, Layout>> const op(
        world, A, {.kernels = r.place.kernels});
    reading.ranks = communicator()->gather(facts);
    reading.exchange = world.exchange();
    work(&op);
  });
  return reading;
}

}  // namespace tessera::app
