// The directory of a store: its layout, identity, lock and epoch (FORMAT.md "Directory").
//   STORE      "sippar store", format version: tells a store from a foreign directory
//   LOCK       flock of the process that has it open
//   EPOCH      of the last life that wrote; part of file ids and log names
//   CATALOG    tables, schemas, tablets
//   RESERVE    zeros, so that there is room for a smaller CATALOG
//   wal/       log segments     tablets/  tablet states     sst/  SSTables
//   changes/   of tables with a change stream, when there was one
//   backups/   of tables
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

// The epoch of one life of a store. Raised on disk before the first file that has it in its name,
// not at the open: a store on a disk that is full or read-only is opened and read (FAULTS.md D6,
// D19). Thread safe.
class StoreEpoch {
 public:
  StoreEpoch(FileSystem* fs, std::string path, uint64_t last)
      : fs_(fs), path_(std::move(path)), number_(last + 1) {}

  // Which no other life that made a file had or will have.
  uint64_t number() const { return number_; }
  // Before its first use; OK at once when it was done before.
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
  std::string backups() const { return directory + "/backups"; }  // made with the first
};

// What a directory holds. 0: no store yet, and one may be made in it; the directory is there.
// Errors as OpenStoreFiles. Formats: 1 is the layout above; 2 that of a cluster
// (cluster/PROTOCOL.md "The shared directory"), which has the file STORE where one process is all
// of the cluster.
[[nodiscard]] StatusOr<int> FindStoreFormat(FileSystem* fs, const std::string& directory,
                                            bool create_if_missing, int newest_known);
// Comes last: a directory with it is a whole store.
[[nodiscard]] Status WriteStoreFormat(FileSystem* fs, const std::string& directory, int format);

// kNotFound below an existing store is lost data; other errors stay as they are.
[[nodiscard]] Status MissingIsLoss(const Status& status);

// Room on the disk, a file of zeros at `path`, that is given up when the disk is full, so that a
// table can be dropped to make more (FAULTS.md D6). Best effort.
void KeepReserve(FileSystem* fs, const std::string& path, uint64_t bytes);
bool GiveUpReserve(FileSystem* fs, const std::string& path);  // false: there was none

// Takes the lock, checks or makes the identity, reads the epoch. kNotFound: no directory;
// kFailedPrecondition: a foreign directory, or a newer format; kUnavailable: open elsewhere.
// Nothing is written before these checks have passed, nor after them unless the store is new.
[[nodiscard]] StatusOr<StoreFiles> OpenStoreFiles(FileSystem* fs, const std::string& directory,
                                                  bool create_if_missing);

}  // namespace sippar::engine
