// A dead server's log as the source of the records that its tablets need (paper section 6). Each
// segment is read in its sorted form if somebody made one, else as it was written: then it is
// scanned once for all tablets, which is all the work there is when one server takes them all (an
// embedded restart); sorting pays when many servers take a few each.
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

// Thread safe. Holds the index of each segment that was asked for, and its file open.
class SealedLog {
 public:
  // Reads the SEAL alone. kNotFound: there is no such directory, or no SEAL in it.
  [[nodiscard]] static StatusOr<std::unique_ptr<SealedLog>> Open(FileSystem* fs,
                                                                 const std::string& directory);

  // The records of the tablet behind `redo_sequence`, in the order of the log. Segments without
  // any are not touched. The first error ends it; a sorted file that is damaged is none, for its
  // segment is read instead.
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
  // Records behind `*given`, which follows them.
  Status ReplaySegment(Segment* segment, uint64_t tablet_id, uint64_t* given,
                       const std::function<Status(const LogRecord& record)>& replay);

  FileSystem* const fs_;
  const std::string directory_;
  const LogSeal seal_;
  std::vector<std::unique_ptr<Segment>> segments_;
};

}  // namespace sippar::engine
