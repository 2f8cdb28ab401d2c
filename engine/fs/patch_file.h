// A small file whose bytes are changed in place. Written bytes survive the end of the process at
// once. After a power loss, each Write since the last Sync may have left the old bytes, the new
// ones, or parts of both. Not every file system supports such files: test with a dynamic_cast to
// PatchFileMaker. A Write and a Sync may run concurrently, two Writes may not.
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
  // Writes at most 512 bytes, which must not cross a multiple of 512: disks write sectors of that
  // size as a whole.
  [[nodiscard]] virtual Status Write(uint64_t offset, std::string_view bytes) = 0;
  [[nodiscard]] virtual Status Sync() = 0;
};

// Implemented by file systems that support patch files.
class PatchFileMaker {
 public:
  virtual ~PatchFileMaker() = default;
  // Opens the file at `path`, and creates it empty when it is missing.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<PatchFile>> OpenPatch(const std::string& path) = 0;
};

}  // namespace sippar::engine
