// Repairs METADATA after a salvage of the logs, for `sippar admin log salvage`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cluster/api/server_id.h"
#include "cluster/api/tablet_record.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/node/looking_on.h"
#include "cluster/node/unnamed_logs.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

using Print = std::function<void(std::string_view line)>;
// For each tablet: the highest sequence number in its SSTables, or in the logs read so far.
using RedoPoints = std::map<uint64_t, uint64_t>;

// What the records say that were read so far.
struct KnownRecords {
  RedoPoints redo;
  std::set<ServerId> logs;     // lives whose sealed logs a record names
  std::set<ServerId> servers;  // lives that a record names as its tablet's server

  void Add(const TabletRecord& record);
  void Add(const KnownRecords& other);  // what is known here stays as it is
};

// Reads the records that `level` adds (kRoot: METADATA's tablets except the root; kAll: user
// tablets) and adds them, as they were read, to `known`. If the log lost writes to METADATA, a
// tablet's record may no longer name a log that has writes of the tablet. This function adds such a
// log to the record, and reports it to `print`. `last`: the last sequence numbers in the logs after
// the salvage. `locks`: the lock service of the store, opened over `fs`.
[[nodiscard]] Status MendRecords(engine::FileSystem* fs, const std::string& directory,
                                 EmbeddedLockService* locks, MetadataLevel level,
                                 const LastSequences& last, KnownRecords* known,
                                 const Print& print);

// Prints the tablets of `last` that have no record: those that were split, merged or deleted, and
// those whose record is lost.
void PrintUnknown(const RedoPoints& known, const LastSequences& last, const Print& print);

}  // namespace sippar::cluster
