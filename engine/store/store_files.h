// The directory of a store: its layout, identity, lock and epoch (FORMAT.md "Directory").
//   STORE      "sippar store", format version: tells a store from a foreign directory
//   LOCK       flock of the process that has it open
//   EPOCH      raised durably at each open, never repeated; part of file ids and log names
//   CATALOG    tables, schemas, tablets
//   wal/       log segments     tablets/  tablet states     sst/  SSTables
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

struct StoreFiles {
  std::string directory;
  std::unique_ptr<FileLock> lock;
  uint64_t epoch = 0;

  std::string catalog() const { return directory + "/CATALOG"; }
  std::string wal() const { return directory + "/wal"; }
  std::string tablets() const { return directory + "/tablets"; }
  std::string sst() const { return directory + "/sst"; }
};

// kNotFound below an existing store is lost data; other errors stay as they are.
[[nodiscard]] Status MissingIsLoss(const Status& status);

// Takes the lock, checks or makes the identity, raises the epoch. kNotFound: no directory;
// kFailedPrecondition: a foreign directory, or a newer format; kUnavailable: open elsewhere.
// Nothing is written before these checks have passed.
[[nodiscard]] StatusOr<StoreFiles> OpenStoreFiles(FileSystem* fs, const std::string& directory,
                                                  bool create_if_missing);

}  // namespace sippar::engine
