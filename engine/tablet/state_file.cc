// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/state_file.h"

#include <fmt/format.h>

#include "engine/base/checksum.h"
#include "engine/base/coding.h"

namespace sippar::engine {

std::string EncodeStateFile(uint32_t magic, std::string_view body) {
  std::string file;
  PutFixed32(&file, magic);
  PutFixed32(&file, kStateFormatVersion);
  PutFixed64(&file, body.size());
  // The version is part of the seed: a flipped bit in it must fail as damage and not be reported as
  // a newer format.
  PutFixed64(&file, Checksum(body, magic ^ (uint64_t{kStateFormatVersion} << 32)));
  file.append(body);
  return file;
}

Status WriteStateFile(FileSystem* fs, const std::string& path, uint32_t magic,
                      std::string_view body) {
  return ReplaceFile(fs, path, EncodeStateFile(magic, body));
}

StatusOr<std::string> ReadStateFile(FileSystem* fs, const std::string& path, uint32_t magic) {
  ASSIGN_OR_RETURN(std::string file, ReadFile(fs, path));
  Reader reader(file);
  uint32_t found_magic = reader.Fixed32();
  uint32_t version = reader.Fixed32();
  uint64_t length = reader.Fixed64();
  uint64_t expected = reader.Fixed64();
  std::string_view body = reader.Raw(length);
  if (!reader.AtEnd() || found_magic != magic) {
    return DataLoss(fmt::format(
        "{}: the file is damaged or cut ({} bytes, magic number {:08x}, expected {:08x})", path,
        file.size(), found_magic, magic));
  }
  uint64_t found = Checksum(body, magic ^ (uint64_t{version} << 32));
  if (found != expected) {
    return DataLoss(
        fmt::format("{}: the file is damaged (checksum from byte 24 on {:016x}, expected {:016x})",
                    path, found, expected));
  }
  // Tested after the checksum: in a damaged file the version may be wrong, and the message must not
  // ask for a newer program.
  if (version > kStateFormatVersion) {
    return FailedPrecondition(
        fmt::format("{} has format version {}; this program knows up to {}; use a newer sippar",
                    path, version, kStateFormatVersion));
  }
  return std::string(body);
}

}  // namespace sippar::engine
