// How far a log reaches, kept next to its segments in the file REACH (FORMAT.md "Commit log"): the
// first segment that is needed, and how much is certainly durable. Each segment names the one
// before it, so recovery notices a missing segment between two others. REACH also shows whether the
// oldest segments were trimmed, and whether the newest, which no other names, is missing. Its
// content is true at every moment. After a power loss it may be older, but still names segments
// that were created.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/fs/patch_file.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

// The content of REACH.
struct LogReach {
  SegmentId first;      // older segments may be gone, since none of their records is needed
  SegmentId last;       // the newest segment known to have been created
  uint64_t length = 0;  // durable bytes of `last`

  bool NeedsLast() const;  // true: a record in `last` may have been acknowledged
  auto operator<=>(const LogReach&) const = default;
};

// Reads REACH. nullopt: it is missing (an older program's log) or damaged; then only gaps between
// segments show a loss.
[[nodiscard]] StatusOr<std::optional<LogReach>> ReadLogReach(FileSystem* fs,
                                                             const std::string& directory);

// Writes the file REACH. Thread safe.
class LogReachFile {
 public:
  // Opens the file and continues from its content; if there is none, the log is needed from `first`
  // on. nullptr: the log works without the file, because the file system has no patch files, or the
  // disk takes no new file. An error means that an existing file, which may name older segments as
  // needed, cannot be read or updated.
  [[nodiscard]] static StatusOr<std::unique_ptr<LogReachFile>> Open(FileSystem* fs,
                                                                    const std::string& directory,
                                                                    SegmentId first);

  // Records that `length` bytes of `last` are durable. The record survives the end of the process,
  // but not a power loss. Best effort: an older record that stays in the file is true as well.
  void Reached(SegmentId last, uint64_t length);
  // Records durably that segments below `first` may be gone; call it before the first of them is
  // removed.
  [[nodiscard]] Status Trim(SegmentId first);

 private:
  LogReachFile(std::unique_ptr<PatchFile> file, const LogReach& reach, uint64_t counter)
      : file_(std::move(file)), reach_(reach), counter_(counter) {}
  Status Write() REQUIRES(mutex_);

  Mutex trim_mutex_;  // acquired before mutex_
  // The newest `first` whose sync succeeded. {0,0} when the file is opened: what an earlier process
  // wrote may not be synced.
  SegmentId trimmed_ GUARDED_BY(trim_mutex_);
  Mutex mutex_;
  const std::unique_ptr<PatchFile> file_;
  LogReach reach_ GUARDED_BY(mutex_);
  uint64_t counter_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
