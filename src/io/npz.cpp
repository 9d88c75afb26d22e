// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include <io/dataset_name.hpp>
#include <io/format_functions.hpp>
#include <io/zip.hpp>

namespace tessera::io {

std::unique_ptr<MatrixSource> open_npz(InputFile file, RawFile const& /*raw*/) {
  require_positions(file);
  ZipMember const member = find_array(file, split_dataset(file.path()).dataset);
  if (member.deflated) {
    file.unpack({.offset = member.offset,
                 .packed = member.packed,
                 .bytes = member.bytes,
                 .crc = member.crc});
  } else {
    file.narrow(member.offset, member.bytes);
  }
  MatrixInfo info = read_npy_header(file);
  info.format = Format::npz;
  info.version += member.deflated ? ", deflate" : ", stored";
  return std::make_unique<PlainSource>(std::move(file), std::move(info));
}

}  // namespace tessera::io
