// The contents of a MemoryFileSystem: the present image, the durable image, and the changes that
// lead from one to the other. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
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
    uint32_t machine = 0;  // the machine that writes the file
    bool linked = false;   // the file has had a second name
    // The bytes at the last sync; only for files changed in place.
    std::optional<std::string> patched_from;

    // Chooses the bytes that a power loss leaves.
    std::string Survivor(Random* random) const;
  };
  using Entries = std::map<std::string, std::shared_ptr<File>>;  // path -> file; null: a directory
  // One change of a directory, as a function that can be replayed on the durable entries.
  using EntryChange = std::function<void(Entries*)>;

  static std::string ParentOf(const std::string& path);

  bool IsDirectory(const std::string& path) const;
  std::shared_ptr<File> Find(const std::string& path) const;
  const Entries& entries() const { return now_; }
  // The entries of a directory, without its path.
  std::vector<std::string> NamesIn(const std::string& directory) const;

  // Applies a change of `directory` to the present image, and keeps it for the durable image until
  // the next SyncEntries.
  void Change(const std::string& directory, uint32_t machine, EntryChange change);
  // Renames a directory with everything below it; its unsynced changes move with it.
  void MoveDirectory(const std::string& source, const std::string& target, uint32_t machine);
  // Makes all changes of the directory durable.
  void SyncEntries(const std::string& directory);
  // Makes durable what other machines changed in the directory, because `machine` now reads it.
  void ShowEntries(const std::string& directory, uint32_t machine);
  // Like Find, but for a read by `machine`: first makes durable what another machine has written to
  // the file.
  std::shared_ptr<File> Show(const std::string& path, uint32_t machine);

  // The disk as it would be after a power loss of all machines.
  MemoryDisk AfterPowerLoss(Random* random) const;
  // Changes this disk as a power loss of one machine would.
  void Crash(uint32_t machine, Random* random);
  uint64_t BytesUsed() const;

 private:
  // The changes of one directory since its last sync, in order. One machine made all of them.
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
  std::map<std::string, UnsyncedChanges> unsynced_;  // key: the directory
};

}  // namespace sippar::engine
