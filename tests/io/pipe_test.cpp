// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/generate.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>

#include "io/support/bytes.hpp"
#include "io/support/child.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

using ::testing::HasSubstr;

enum class Way { named, stdin_pipe, stdin_socket, descriptor, not_blocking };

std::string name_of(Way way) {
  switch (way) {
    case Way::named:
      return "named";
    case Way::stdin_pipe:
      return "stdin";
    case Way::stdin_socket:
      return "socket";
    case Way::descriptor:
      return "descriptor";
    case Way::not_blocking:
      break;
  }
  return "not_blocking";
}

pid_t write_apart(std::vector<Bytes> const& pieces, std::function<int()> const& open) {
  pid_t const child = ::fork();
  if (child != 0) return child;
  int const descriptor = open();
  for (Bytes const& piece : pieces) {
    for (std::size_t done = 0; done < piece.size();) {
      ssize_t const written = ::write(descriptor, piece.data() + done, piece.size() - done);
      if (written < 0) ::_exit(1);
      done += static_cast<std::size_t>(written);
    }
    if (pieces.size() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::_exit(0);
}

class PipeTest : public testing::TestWithParam<Way> {
 protected:
  [[nodiscard]] std::string through_pipe(
      std::vector<Bytes> const& pieces, std::function<void(std::string const& path)> action) const {
    return in_child([&]() -> std::string {
      auto const [path, writer] = open_way(pieces);
      std::string said = "good";
      try {
        action(path);
      } catch (FileError const& error) {
        said = error.what();
      }
      // A living writer's bytes would go to the next reader.
      ::kill(writer, SIGKILL);
      ::waitpid(writer, nullptr, 0);
      return said;
    });
  }
  [[nodiscard]] std::string convert(Bytes const& content, ConversionRequest request) const {
    return through_pipe({content}, [&](std::string const& path) {
      request.input = path;
      convert_file(request);
    });
  }
  Folder folder_;

 private:
  [[nodiscard]] std::pair<std::string, pid_t> open_way(std::vector<Bytes> const& pieces) const {
    std::array<int, 2> ends{};
    if (GetParam() == Way::named) {
      std::string path = folder_ / "pipe";
      static_cast<void>(::mkfifo(path.c_str(), 0600));
      pid_t const writer = write_apart(pieces, [&] { return ::open(path.c_str(), O_WRONLY); });
      return {path, writer};
    }
    int const made = GetParam() == Way::stdin_socket
                         ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data())
                         : ::pipe(ends.data());
    if (made != 0) throw std::runtime_error("no pipe");
    pid_t const writer = write_apart(pieces, [&] {
      ::close(ends[0]);
      return ends[1];
    });
    ::close(ends[1]);
    if (GetParam() == Way::not_blocking) ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (GetParam() == Way::stdin_pipe || GetParam() == Way::stdin_socket) {
      ::dup2(ends[0], STDIN_FILENO);
      return {"/dev/stdin", writer};
    }
    return {"/dev/fd/" + std::to_string(ends[0]), writer};
  }
};

std::string generated_ex3(Folder const& folder) {
  std::string path = folder / "A.ex3";
  generate({.rows = 900, .cols = 700, .output = path, .vector_output = ""});
  return path;
}

TEST_P(PipeTest, EveryFormatIsConverted) {
  std::string const ex3 = generated_ex3(folder_);
  convert_file({.input = ex3, .output = folder_ / "A.npy"});
  convert_file({.input = ex3, .output = folder_ / "A.bin"});
  RawFile const raw{.rows = 900, .cols = 700};
  for (auto const& [format, name] :
       {std::pair{Format::ex3, "A.ex3"}, {Format::npy, "A.npy"}, {Format::raw, "A.bin"}}) {
    EXPECT_EQ(
        convert(content_of(folder_ / name),
                {.input = "", .input_format = format, .raw = raw, .output = folder_ / "B.npy"}),
        "good");
    EXPECT_TRUE(content_of(folder_ / "B.npy") == content_of(folder_ / "A.npy")) << name;
  }
  EXPECT_EQ(convert(content_of(ex3),
                    {.input = "", .input_format = Format::ex3, .output = folder_ / "B.ex3"}),
            "good");
  EXPECT_TRUE(content_of(folder_ / "B.ex3") == content_of(ex3));
}

TEST_P(PipeTest, PiecesOfAnySizeAreJoined) {
  Bytes const whole =
      npy_bytes(npy_header(">f8", "(3, 2)"), bytes_of<double>({1, 2, 3, 4, 5, 6}, true));
  std::vector<Bytes> pieces;
  for (std::size_t i = 0; i < whole.size(); i += 7) pieces.push_back(whole.substr(i, 7));
  EXPECT_EQ(through_pipe(pieces,
                         [](std::string const& path) {
                           MatrixReader const reader(path, {}, Reading::in_order, Format::npy);
                           auto const A = std::get<MatrixView<float, Kokkos::LayoutRight>>(
                               kept(read_matrix(reader, ScalarType::f32)));
                           reader.check_unchanged();
                           if (A(0, 0) != 1 || A(2, 1) != 6) throw std::runtime_error("wrong");
                         }),
            "good");
}

TEST_P(PipeTest, AMatrixAndThenItsVectorAreReadIntoMemory) {
  Bytes const whole = ex3_bytes(2, 3, {1, 2, 3, 4, 5, 6}, {7, 8});
  auto const read = [](MatrixReader const& reader) {
    auto const A = std::get<MatrixView<float, Kokkos::LayoutRight>>(kept(read_matrix(reader)));
    auto const v = std::get<VectorView<float>>(kept(read_vector(reader, {.length = 2})));
    reader.check_unchanged();
    if (A(2, 1) != 6 || v(0) != 7 || v(1) != 8) throw std::runtime_error("wrong");
  };
  EXPECT_EQ(through_pipe({whole},
                         [&](std::string const& path) {
                           read(MatrixReader(path, {}, Reading::in_order, Format::ex3));
                         }),
            "good");
  auto const read_A = [&](Bytes const& bytes) {
    return through_pipe({bytes}, [](std::string const& path) {
      MatrixReader const reader(path, {}, Reading::in_order, Format::ex3);
      static_cast<void>(kept(read_matrix(reader)));
      reader.check_unchanged();
    });
  };
  EXPECT_EQ(read_A(whole), "good");
  EXPECT_THAT(read_A(whole.substr(0, whole.size() - 1)), HasSubstr("is truncated"));
  EXPECT_THAT(read_A(whole + "x"), HasSubstr("has trailing bytes"));
}

TEST_P(PipeTest, EveryTruncationAndEveryTrailingByteIsAnError) {
  Bytes const whole = npy_bytes(npy_header("<f4", "(2, 3)"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
  ConversionRequest const request{
      .input = "", .input_format = Format::npy, .output = folder_ / "B.npy"};
  EXPECT_EQ(convert(whole, request), "good");
  std::filesystem::remove(folder_ / "B.npy");
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    EXPECT_THAT(convert(whole.substr(0, size), request), HasSubstr("is truncated")) << size;
  }
  EXPECT_THAT(convert(whole + "x", request),
              HasSubstr("has trailing bytes: expected the pipe to end after " +
                        std::to_string(whole.size()) + " bytes, found more"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "B.npy"));
}

TEST_P(PipeTest, WhatIsNoMatrixIsAnError) {
  auto const refused = [&](Bytes const& content) {
    return convert(content,
                   {.input = "", .input_format = Format::npy, .output = folder_ / "B.npy"});
  };
  EXPECT_THAT(refused("this is something else"), HasSubstr("is not a .npy file"));
  EXPECT_THAT(refused(npy_bytes(npy_header("<f4", "(4611686018427387904, 4)"), "1234")),
              HasSubstr("overflow"));
  EXPECT_THAT(refused(npy_bytes(npy_header("<f4", "(0, 4)"), "")), HasSubstr("dimension of zero"));
  for (std::optional<Format> const given : {std::optional(Format::npy), std::optional<Format>()}) {
    EXPECT_THAT(convert(Bytes("\x1f\x8b\x08\x08", 4) + Bytes(40, '\1'),
                        {.input = "", .input_format = given, .output = folder_ / "B.npy"}),
                HasSubstr("is compressed by gzip"));
  }
  EXPECT_THAT(convert(Bytes("1\0,\0002\0\n\0003\0,\0004\0\n\0", 16),
                      {.input = "", .output = folder_ / "B.npy"}),
              HasSubstr("is text in UTF-16"));
}

TEST_P(PipeTest, WhatNeedsPositionsIsRefused) {
  Bytes const whole = npy_bytes(npy_header("<f4", "(2, 3)"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(convert(whole, {.input = "",
                              .input_format = Format::npy,
                              .output = folder_ / "B.npy",
                              .layout = Layout::left}),
              HasSubstr("expected a regular file there, found a pipe"));
  EXPECT_THAT(
      convert(whole, {.input = "", .input_format = Format::raw, .output = folder_ / "b.npy"}),
      HasSubstr("has no length"));
  EXPECT_THAT(convert(ex3_bytes(1, 1, {1}, {2}), {.input = "",
                                                  .input_format = Format::ex3,
                                                  .output = folder_ / "B.ex3",
                                                  .vector_output = folder_ / "v.npy"}),
              HasSubstr("cannot hold V"));
  EXPECT_THAT(through_pipe({whole},
                           [](std::string const& path) {
                             MatrixReader const reader(path, {}, Reading::in_order, Format::npy);
                             std::array<float, 2> some{};
                             reader.read(Part::matrix, 2, std::span<float>(some));
                             reader.read(Part::matrix, 3, std::span<float>(some));
                           }),
              HasSubstr("cannot be read again"));
  EXPECT_THAT(through_pipe({whole},
                           [](std::string const& path) {
                             MatrixReader const reader(path, {}, Reading::anywhere, Format::npy);
                           }),
              HasSubstr("expected a file that can be read at any position, found a "));
}

TEST_P(PipeTest, SpaceOnTheDiskIsNotTakenOnTheWordOfAHeader) {
  Bytes const huge = npy_bytes(npy_header("<f4", "(1099511627776, 1024)"), Bytes(4096, '\0'));
  EXPECT_THAT(
      convert(huge, {.input = "", .input_format = Format::npy, .output = folder_ / "B.npy"}),
      HasSubstr("is truncated"));
}

TEST_P(PipeTest, ContentSaysWhatAPipeHolds) {
  std::string const ex3 = generated_ex3(folder_);
  convert_file({.input = ex3, .output = folder_ / "A.npy"});
  Bytes const npy = content_of(folder_ / "A.npy");
  std::filesystem::remove(folder_ / "A.npy");
  for (Bytes const& content : {npy, content_of(ex3)}) {
    EXPECT_EQ(convert(content, {.input = "", .output = folder_ / "B.npy"}), "good");
    EXPECT_TRUE(content_of(folder_ / "B.npy") == npy);
  }
  EXPECT_EQ(convert("%%MatrixMarket matrix array integer general\n1 2\n3\n4\n",
                    {.input = "", .output = folder_ / "B.npy", .layout = Layout::left}),
            "good");
  EXPECT_EQ(inspect(folder_ / "B.npy").cols, 2U);
  EXPECT_EQ(
      convert("1,2,3\n", {.input = "", .input_format = Format::csv, .output = folder_ / "B.npy"}),
      "good");
  EXPECT_EQ(inspect(folder_ / "B.npy").cols, 3U);
  std::filesystem::remove(folder_ / "B.npy");
  EXPECT_THAT(convert(npy + npy, {.input = "", .output = folder_ / "B.npy"}),
              HasSubstr("holds several arrays"));
  for (std::string const name : {"stored.npz", "half.h5"}) {
    Bytes const content =
        name == "half.h5" ? Bytes("\x89HDF\r\n\x1a\n") + Bytes(100, ' ') : content_of(sample(name));
    EXPECT_THAT(convert(content, {.input = "", .output = folder_ / "B.npy"}),
                HasSubstr("expected a file that can be read at any position, found a pipe"));
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PipeTest,
                         testing::Values(Way::named, Way::stdin_pipe, Way::stdin_socket,
                                         Way::descriptor, Way::not_blocking),
                         [](auto const& each) { return name_of(each.param); });

TEST(Pipe, StdinThatIsAFileHasPositions) {
  Folder const folder;
  std::string const ex3 = generated_ex3(folder);
  for (std::string const name : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
    EXPECT_EQ(in_child([&]() -> std::string {
                int const descriptor = ::open(ex3.c_str(), O_RDONLY);
                ::dup2(descriptor, STDIN_FILENO);
                convert_file({.input = name,
                              .input_format = Format::ex3,
                              .output = folder / "B.npy",
                              .layout = Layout::left});
                return "good";
              }),
              "good");
    convert_file({.input = ex3, .output = folder / "C.npy", .layout = Layout::left});
    EXPECT_TRUE(content_of(folder / "B.npy") == content_of(folder / "C.npy")) << name;
  }
}

TEST(Pipe, ADescriptorThatIsNotOpenAndADeviceAreErrors) {
  auto const open = [](std::string const& path) {
    return [=] { MatrixReader const reader(path, {}, Reading::in_order, Format::npy); };
  };
  expect_error(ErrorKind::bad_input, "/dev/fd/987", {"cannot be opened"}, open("/dev/fd/987"));
  expect_error(ErrorKind::bad_input, "/dev/null", {"expected a file or a pipe", "found a device"},
               open("/dev/null"));
}

TEST(Pipe, AFormatThatIsGivenCountsMoreThanTheName) {
  Folder const folder;
  auto const path =
      folder.write("A.dat", npy_bytes(npy_header("<f4", "(1, 1)"), bytes_of<float>({5})));
  EXPECT_EQ(MatrixReader(path, {}, Reading::in_order, Format::npy).info().rows, 1U);
  EXPECT_EQ(MatrixReader(path).info().rows, 1U);
  expect_error(ErrorKind::bad_input, path, {"is truncated"},
               [&] { MatrixReader const reader(path, {}, Reading::in_order, Format::ex3); });
}

}  // namespace
}  // namespace tessera::io::test
