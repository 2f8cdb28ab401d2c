// Reads the changes of one tablet's rows after a position: first those in the archive, from all
// tablets that ever had the rows, then those in the tablet's tail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/changes/change_archive.h"
#include "engine/changes/change_position.h"
#include "engine/changes/change_tail.h"

namespace sippar::engine {

// Where the changes of a tablet are found.
struct ChangeSource {
  FileSystem* fs = nullptr;
  Clock* clock = nullptr;
  std::string directory;  // archive directory of the table
  uint64_t tablet_id = 0;
  const ChangeTail* tail = nullptr;  // change tail of the tablet; outlives the ChangeReader
};

struct ReadChange {
  LogRecord record;
  std::string token;  // continuation token: the position after this change
};

class ChangeReader {
 public:
  ChangeReader(ChangeSource source, ChangePosition position)
      : source_(std::move(source)), position_(std::move(position)) {}

  // Appends the next changes, about 1 MiB. Sets *is_whole to true if the reader has now read every
  // change that the tail held; the position's low_us is then the time up to which it has read all
  // changes.
  [[nodiscard]] Status Read(std::vector<ReadChange>* changes, bool* is_whole);
  // Waits until there may be more changes, at most `wait_us`.
  void Wait(int64_t wait_us) const;

  const ChangePosition& position() const { return position_; }

 private:
  Status ReadArchive(std::vector<ReadChange>* changes);
  Status ReadTail(std::vector<ReadChange>* changes, bool* is_whole);
  size_t Give(LogRecord record, std::vector<ReadChange>* changes);

  ChangeSource source_;
  ChangePosition position_;
  std::unique_ptr<ChangeArchive> archive_;
  // Changes after this point were still in the tail just before the archive was opened.
  ChangePoint archive_end_;
};

}  // namespace sippar::engine
