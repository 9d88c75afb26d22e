// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <io/errors.hpp>
#include <io/npy_type.hpp>

namespace tessera::io {
namespace {

std::string_view in_words(char kind) {
  switch (kind) {
    case 'b':
    case '?':
      return "truth values";
    case 'i':
      return "signed integers";
    case 'u':
      return "unsigned integers";
    case 'f':
      return "floating-point numbers of another size";
    case 'c':
      return "complex numbers";
    case 'm':
      return "time differences";
    case 'M':
      return "dates";
    case 'O':
      return "Python objects";
    case 'S':
    case 'a':
      return "byte strings";
    case 'U':
      return "text";
    case 'V':
      return "raw records";
    default:
      return "not known";
  }
}

}  // namespace

NpyType npy_type(std::string_view descr, std::string const& path) {
  bool const has_sign =
      !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  std::string_view const type = descr.substr(has_sign ? 1 : 0);
  if (type != "f4" && type != "f8") {
    throw FileError(
        ErrorKind::bad_input, path,
        "has an unsupported element type: expected f4 or f8 (float32 or float64), found '" +
            printable(descr) + "' (" + std::string(in_words(type.empty() ? '\0' : type[0])) + ")");
  }
  return {type == "f4" ? ScalarType::f32 : ScalarType::f64,
          descr[0] == '>' ? std::endian::big : std::endian::little};
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string result(text.substr(0, longest));
  for (char& character : result) {
    if (character < ' ' || character > '~') character = '?';
  }
  return text.size() > longest ? result + "..." : result;
}

}  // namespace tessera::io
