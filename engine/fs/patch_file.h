// A small file whose bytes are changed in place. What Write has taken outlives the process at once;
// a power loss leaves of each Write since the last Sync the old bytes, the new ones, or some of
// both. Not every file system has such files: ask by a dynamic_cast.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

class PatchFile {
 public:
  virtual ~PatchFile() = default;
  // At most 512 bytes, within 512 bytes of the file that begin at a multiple of 512.
  [[nodiscard]] virtual Status Write(uint64_t offset, std::string_view bytes) = 0;
  [[nodiscard]] virtual Status Sync() = 0;
};

class PatchFileMaker {
 public:
  virtual ~PatchFileMaker() = default;
  // The file at `path`, which is made, empty, when it is missing.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<PatchFile>> OpenPatch(const std::string& path) = 0;
};

}  // namespace sippar::engine
