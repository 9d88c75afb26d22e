// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <utility>

#include <io/errors.hpp>
#include <io/npy_type.hpp>

namespace tessera::io {
namespace {

constexpr std::array<std::pair<std::string_view, ElementType>, 11> types{{
    {"f2", ElementType::f16},
    {"f4", ElementType::f32},
    {"f8", ElementType::f64},
    {"i1", ElementType::i8},
    {"u1", ElementType::u8},
    {"i2", ElementType::i16},
    {"u2", ElementType::u16},
    {"i4", ElementType::i32},
    {"u4", ElementType::u32},
    {"i8", ElementType::i64},
    {"u8", ElementType::u64},
}};

std::string_view in_words(char kind) {
  switch (kind) {
    case 'b':
    case '?':
      return "truth values";
    case 'i':
      return "signed integers of another size";
    case 'u':
      return "unsigned integers of another size";
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
  auto const* const known =
      std::ranges::find(types, type, &std::pair<std::string_view, ElementType>::first);
  if (known == types.end()) {
    throw FileError(ErrorKind::bad_input, path,
                    "has an unsupported element type: expected f2, f4, f8 or integers (i1 to i8, "
                    "u1 to u8), found '" +
                        printable(descr) + "' (" +
                        std::string(in_words(type.empty() ? '\0' : type[0])) + ")" +
                        (type == "V2" ? "; numpy.save writes bfloat16 in this way, without its "
                                        "name: save array.astype(numpy.float32) instead"
                                      : ""));
  }
  return {known->second, descr[0] == '>' ? std::endian::big : std::endian::little};
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string result(text.substr(0, longest));
  for (char& character : result) {
    if (character < ' ' || character > '~') character = '?';
  }
  return text.size() > longest ? result + "..." : result;
}

}  // namespace tessera::io
