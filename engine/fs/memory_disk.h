// What MemoryFileSystem keeps: two images, the present one and the durable one, and what leads from
// one to the other. Not thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.h"

namespace sippar::engine {

class MemoryDisk {
 public:
  struct File {
    std::string bytes;
    size_t durable_size = 0;
    size_t reserved_size = 0;
    uint32_t machine = 0;                     // the one that writes it
    bool linked = false;                      // it has had a second name
    std::optional<std::string> patched_from;  // changed in place: its bytes at the last sync

    // What a power loss leaves of the bytes.
    std::string Survivor(Random* random) const;
  };
  using Entries = std::map<std::string, std::shared_ptr<File>>;  // path -> file, null: directory
  // One change of a directory, replayable on the durable entries.
  using EntryChange = std::function<void(Entries*)>;

  static std::string ParentOf(const std::string& path);

  bool IsDirectory(const std::string& path) const;
  std::shared_ptr<File> Find(const std::string& path) const;
  const Entries& entries() const { return now_; }

  void Change(const std::string& directory, uint32_t machine, EntryChange change);
  // A directory with all below it gets another name; its own changes that are not durable go along.
  void MoveDirectory(const std::string& source, const std::string& target, uint32_t machine);
  void SyncEntries(const std::string& directory);
  // `machine` looks at the directory: what others changed there is durable from now on.
  void ShowEntries(const std::string& directory, uint32_t machine);
  // As Find; what another machine has written so far is durable from now on.
  std::shared_ptr<File> Show(const std::string& path, uint32_t machine);

  // The disk after a power loss of all machines.
  MemoryDisk AfterPowerLoss(Random* random) const;
  // One machine loses its power.
  void Crash(uint32_t machine, Random* random);
  uint64_t BytesUsed() const;

 private:
  // Those of one directory since its last sync, in order; all by one machine.
  struct UnsyncedChanges {
    uint32_t machine = 0;
    std::vector<EntryChange> changes;

    void ApplyFirst(size_t count, Entries* entries) const {
      for (size_t i = 0; i < count; ++i) changes[i](entries);
    }
  };
  static void EraseUnreachable(Entries* entries);

  Entries now_;
  Entries durable_;
  std::map<std::string, UnsyncedChanges> unsynced_;  // by directory
};

}  // namespace sippar::engine
