// The state that all views of one memory file system and their open files share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "engine/base/thread.h"
#include "engine/fs/memory_disk.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::engine {

struct MemoryFileSystem::Shared {
  mutable Mutex mutex;
  MemoryDisk disk;
  std::map<std::string, uint32_t> locked;  // path -> the machine that holds the lock
  std::map<uint32_t, uint64_t> crashes;    // machine -> number of its crashes
  EndProcess end_process;
  uint64_t capacity = 0;
  uint64_t used = 0;

  std::string IdentityOf(uint32_t machine) REQUIRES(mutex) {
    return fmt::format("memory:{}.{}", machine, crashes[machine]);
  }

  // Call after `file` has lost a name: frees its space if it has no other name. Most files never
  // had a second name, so they need no search.
  void FreeIfUnnamed(const MemoryDisk::File& file) REQUIRES(mutex) {
    const MemoryDisk::Entries& entries = disk.entries();
    bool has_name = file.linked &&
                    std::any_of(entries.begin(), entries.end(),
                                [&file](const auto& entry) { return entry.second.get() == &file; });
    if (!has_name) used -= file.bytes.size();
  }
};

}  // namespace sippar::engine
