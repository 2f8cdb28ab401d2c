// The directory of a store of format 1: its layout, identity, lock and epoch (engine/FORMAT.md
// "Directory").
//   STORE      "sippar store", format version: tells a store from a foreign directory
//   LOCK       flock held by the process that has the store open
//   EPOCH      epoch of the last life that wrote; part of file ids and log names
//   CATALOG    tables, schemas, tablets
//   RESERVE    zeros, so that there is room for a smaller CATALOG on a full disk
//   wal/       log segments     tablets/  tablet states     sst/  SSTables
//   changes/   archives of tables that have or had a change stream
//   backups/   backups of tables
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

// The epoch of one life of a store (from open to close). It is raised on disk before the first file
// with this epoch in its name is made, and not when the store is opened: a store on a full or
// read-only disk can still be opened and read (tests/FAULTS.md D6, D19). Thread safe.
class StoreEpoch {
 public:
  StoreEpoch(FileSystem* fs, std::string path, uint64_t last)
      : fs_(fs), path_(std::move(path)), number_(last + 1) {}

  // Unique among all lives that make files.
  uint64_t number() const { return number_; }
  // Raises the epoch on disk; called before its first use. OK at once if it was done before.
  [[nodiscard]] Status Claim();

 private:
  FileSystem* const fs_;
  const std::string path_;
  const uint64_t number_;
  Mutex mutex_;
  bool claimed_ GUARDED_BY(mutex_) = false;
};

struct StoreFiles {
  std::string directory;
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<StoreEpoch> epoch;

  std::string reserve() const { return directory + "/RESERVE"; }
  std::string catalog() const { return directory + "/CATALOG"; }
  std::string wal() const { return directory + "/wal"; }
  std::string tablets() const { return directory + "/tablets"; }
  std::string sst() const { return directory + "/sst"; }
  std::string changes() const { return directory + "/changes"; }
  std::string backups() const { return directory + "/backups"; }  // made with the first backup
};

// The format of the store in a directory; 0: there is none yet, and one may be made in it (the
// directory exists). Errors as OpenStoreFiles. Format 1 is the layout above; 2 is that of a cluster
// (cluster/PROTOCOL.md "The shared directory"), which has the file STORE if one process is the
// whole cluster.
[[nodiscard]] StatusOr<int> FindStoreFormat(FileSystem* fs, const std::string& directory,
                                            bool create_if_missing, int newest_known);
// Writes STORE. Called last: a directory with that file is a complete store.
[[nodiscard]] Status WriteStoreFormat(FileSystem* fs, const std::string& directory, int format);

// Turns kNotFound, which below an existing store means lost data, into kDataLoss. Other errors stay
// as they are.
[[nodiscard]] Status MissingIsLoss(const Status& status);

// Keeps `bytes` of the disk in a file of zeros at `path`. GiveUpReserve removes it when the disk is
// full, so that a table can be dropped to make more room (tests/FAULTS.md D6). Best effort.
void KeepReserve(FileSystem* fs, const std::string& path, uint64_t bytes);
bool GiveUpReserve(FileSystem* fs, const std::string& path);  // false: it was not there

// Takes the lock, checks or creates the identity, and reads the epoch. kNotFound: no directory;
// kFailedPrecondition: a foreign directory, or a newer format; kUnavailable: another process has it
// open. Writes nothing before these checks have passed, nor afterwards unless the store is new.
[[nodiscard]] StatusOr<StoreFiles> OpenStoreFiles(FileSystem* fs, const std::string& directory,
                                                  bool create_if_missing);

}  // namespace sippar::engine
