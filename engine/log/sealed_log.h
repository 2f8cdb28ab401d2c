// A dead server's log, read by the servers that take over its tablets (paper section 6). Each
// segment is read in its sorted form if that exists. Otherwise it is read as it was written, in one
// scan for all tablets, which costs no more when one server takes all of them (the restart of a
// store that one process serves). Sorting pays when many servers take a few tablets each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/log/log_seal.h"
#include "engine/log/log_slice.h"

namespace sippar::engine {

// Thread safe. Keeps the index and the open file of each segment that a replay has needed.
class SealedLog {
 public:
  // Opens the log; reads only the SEAL. kNotFound: the directory or its SEAL does not exist.
  [[nodiscard]] static StatusOr<std::unique_ptr<SealedLog>> Open(FileSystem* fs,
                                                                 const std::string& directory);

  // Passes the records of the tablet above `redo_sequence` to `replay`, in the order of the log,
  // and stops at the first error. Segments without such records are not opened. When a sorted file
  // is damaged, its segment is read instead.
  [[nodiscard]] Status Replay(uint64_t tablet_id, uint64_t redo_sequence,
                              const std::function<Status(const LogRecord& record)>& replay);

  const LogSeal& seal() const { return seal_; }

 private:
  struct Segment {
    const SealedSegment* sealed = nullptr;
    Mutex mutex;
    std::shared_ptr<const LogPart> part GUARDED_BY(mutex);
  };

  SealedLog(FileSystem* fs, std::string directory, LogSeal seal);
  StatusOr<std::shared_ptr<const LogPart>> PartOf(Segment* segment);
  StatusOr<std::shared_ptr<const LogPart>> UseUnsorted(Segment* segment);
  // Replays the records with sequence numbers above *given, and raises *given to the last of them.
  Status ReplaySegment(Segment* segment, uint64_t tablet_id, uint64_t* given,
                       const std::function<Status(const LogRecord& record)>& replay);

  FileSystem* const fs_;
  const std::string directory_;
  const LogSeal seal_;
  std::vector<std::unique_ptr<Segment>> segments_;
};

}  // namespace sippar::engine
