// Reads the changes in a table's archive after a position, in the order of (sequence number,
// tablet). The files of one tablet are read one after the other; files of several tablets that a
// tablet merge joined are read together, in that order.
//
// Two files of a tablet may hold the same sequence numbers: if a process crashes after it wrote a
// file, the log still has the file's changes, and the next process writes them to a newer file,
// too. From the newer file's first number on, only the newer file counts, and readers skip the rest
// of the older one: after a power loss, a log without syncs may lack changes that the older file
// has, and the tablet then gave their numbers to other changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/changes/change_file.h"
#include "engine/changes/change_position.h"

namespace sippar::engine {

struct CountedChangeFile {
  ChangeFileName name;
  // The last sequence number that counts: changes after it are read from a newer file, if any.
  uint64_t last_sequence = 0;
};
// The parts of one tablet's files that count, disjoint and sorted by sequence number. `files` are
// sorted by file id.
std::vector<CountedChangeFile> FilesThatCount(const std::vector<ChangeFileName>& files);

class ChangeArchive {
 public:
  // Finds the files that exist now and may hold changes after `position`, and opens the first one
  // of each tablet. kDataLoss: such a file is missing although it has not expired. TooOld: see
  // Next.
  [[nodiscard]] static StatusOr<std::unique_ptr<ChangeArchive>> Open(
      FileSystem* fs, const std::string& directory, const ChangePosition& position);

  // The next record that `position` wants; nullopt at the end. TooOld: the record was older than
  // the retention and was removed.
  [[nodiscard]] StatusOr<std::optional<LogRecord>> Next(const ChangePosition& position);

 private:
  // The files of one tablet.
  struct Lane {
    std::vector<CountedChangeFile> files;
    size_t next = 0;                           // index of the first file that was not opened yet
    std::unique_ptr<ChangeFileReader> reader;  // reads files[next - 1]
    std::string_view body;  // record that Next returns next; the two fields below are of it, too
    LogRecordHead head;
    ChangePoint point;
  };

  ChangeArchive(FileSystem* fs, std::string directory)
      : fs_(fs), directory_(std::move(directory)) {}
  Status OpenNext(Lane* lane);
  StatusOr<bool> Advance(Lane* lane);  // false: the lane is at its end

  FileSystem* const fs_;
  const std::string directory_;
  std::vector<Lane> lanes_;  // lanes that have a next record
};

}  // namespace sippar::engine
