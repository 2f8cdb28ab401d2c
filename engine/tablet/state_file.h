// Small files that are replaced whole: backups, lock files, the cluster's id (engine/FORMAT.md
// "State files").
//   0   4  magic
//   4   4  format version
//   8   8  body length
//   16  8  XXH3 of the body, seeded with magic and format version
//   24  .. body
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/fs/file_system.h"

namespace sippar::engine {

inline constexpr uint32_t kBackupMagic = 0x53724262;
inline constexpr uint32_t kStateFormatVersion = 2;

std::string EncodeStateFile(uint32_t magic, std::string_view body);
[[nodiscard]] Status WriteStateFile(FileSystem* fs, const std::string& path, uint32_t magic,
                                    std::string_view body);
// Returns the body. kNotFound: there is no such file. kDataLoss: the file is damaged; the error
// names it. kFailedPrecondition: the file has a newer format version.
[[nodiscard]] StatusOr<std::string> ReadStateFile(FileSystem* fs, const std::string& path,
                                                  uint32_t magic);

}  // namespace sippar::engine
