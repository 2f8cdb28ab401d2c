// How far a log reaches, told beside its segments in the file REACH (FORMAT.md "Commit log"): from
// which segment on it is needed, and up to where it is certainly durable. Each segment names the
// one before it, so a missing one shows; but for the oldest, which may have been trimmed, and the
// newest, which no other names. These two this file tells. What it says is true at every moment,
// also after a power loss, when it may be old: at least this was made. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/fs/patch_file.h"
#include "engine/log/log_format.h"

namespace sippar::engine {

struct LogReach {
  SegmentId first;      // older ones may be gone: nothing in them is needed
  SegmentId last;       // was made
  uint64_t length = 0;  // of `last`: so much of it is durable

  bool NeedsLast() const;  // a record in it was, or may have been, acknowledged
  auto operator<=>(const LogReach&) const = default;
};

// nullopt: the log tells nothing (an older program's, or the file is damaged): then only gaps
// between segments show.
[[nodiscard]] StatusOr<std::optional<LogReach>> ReadLogReach(FileSystem* fs,
                                                             const std::string& directory);

// Thread safe.
class LogReachFile {
 public:
  // Continues what is there; without it the log is needed from `first` on. nullptr: the log does
  // without, since the file system has no such files, or the disk takes none and there is none. An
  // error: there is one, or may be, that asks for segments from some older one on.
  [[nodiscard]] static StatusOr<std::unique_ptr<LogReachFile>> Open(FileSystem* fs,
                                                                    const std::string& directory,
                                                                    SegmentId first);

  // So much of `last` is durable. Outlives the process, not a power loss. Best effort: what stands
  // there instead is older, and as true.
  void Reached(SegmentId last, uint64_t length);
  // Durable before the first segment below `first` goes.
  [[nodiscard]] Status Trim(SegmentId first);

 private:
  LogReachFile(std::unique_ptr<PatchFile> file, const LogReach& reach, uint64_t counter)
      : file_(std::move(file)), reach_(reach), counter_(counter) {}
  Status Write() REQUIRES(mutex_);

  Mutex mutex_;
  const std::unique_ptr<PatchFile> file_;
  LogReach reach_ GUARDED_BY(mutex_);
  uint64_t counter_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
