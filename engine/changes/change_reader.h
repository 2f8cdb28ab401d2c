// The changes of one tablet's rows behind a position: what the archive has of them, from whichever
// tablets the rows were in, then the tablet's tail. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/changes/change_archive.h"
#include "engine/changes/change_position.h"
#include "engine/changes/change_tail.h"

namespace sippar::engine {

// Where a tablet's changes are.
struct ChangeSource {
  FileSystem* fs = nullptr;
  Clock* clock = nullptr;
  std::string directory;  // of the table
  uint64_t tablet_id = 0;
  const ChangeTail* tail = nullptr;  // the tablet outlives its readers
};

struct ReadChange {
  LogRecord record;
  std::string token;  // the position behind it
};

class ChangeReader {
 public:
  ChangeReader(ChangeSource source, ChangePosition position)
      : source_(std::move(source)), position_(std::move(position)) {}

  // Some of what comes next, about 1 MiB. *is_whole: there was no more when it began, and the
  // position's low_us tells up to when.
  [[nodiscard]] Status Read(std::vector<ReadChange>* changes, bool* is_whole);
  // Waits until there may be more, for so long at most.
  void Wait(int64_t wait_us) const;

  const ChangePosition& position() const { return position_; }

 private:
  Status ReadArchive(std::vector<ReadChange>* changes);
  Status ReadTail(std::vector<ReadChange>* changes, bool* is_whole);
  size_t Give(LogRecord record, std::vector<ReadChange>* changes);

  ChangeSource source_;
  ChangePosition position_;
  std::unique_ptr<ChangeArchive> archive_;
  ChangePoint archive_end_;  // what is behind it was not in files when the archive was opened
};

}  // namespace sippar::engine
