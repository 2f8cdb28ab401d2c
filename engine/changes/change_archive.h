// Reads what the archive of a table has for a position, in the order of (number, tablet): files of
// a tablet one after the other, those of tablets that became one by a merge side by side.
//
// Two files of a tablet may have the same numbers: a crash after the writing of a file leaves the
// log as it was, and the next life writes those changes again. The newer file is trusted from its
// first number on: without syncs a power loss may have taken what the older one has there.
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
  uint64_t last_sequence = 0;  // that counts of it
};
// Those of one tablet, given in order of their ids, in order of their numbers and disjoint.
std::vector<CountedChangeFile> FilesThatCount(const std::vector<ChangeFileName>& files);

class ChangeArchive {
 public:
  // The files that are there now and may hold what `position` wants. kDataLoss: one of them is
  // missing.
  [[nodiscard]] static StatusOr<std::unique_ptr<ChangeArchive>> Open(
      FileSystem* fs, const std::string& directory, const ChangePosition& position);

  // The next record that `position` wants; nullopt at the end. kOutOfRange: it was too old and is
  // gone.
  [[nodiscard]] StatusOr<std::optional<LogRecord>> Next(const ChangePosition& position);

 private:
  struct Lane {  // a tablet
    std::vector<CountedChangeFile> files;
    size_t next = 0;
    std::unique_ptr<ChangeFileReader> reader;  // of the file before `next`
    std::string_view body;
    LogRecordHead head;
    ChangePoint point;
  };

  ChangeArchive(FileSystem* fs, std::string directory)
      : fs_(fs), directory_(std::move(directory)) {}
  Status OpenNext(Lane* lane);
  StatusOr<bool> Advance(Lane* lane);  // false: at its end

  FileSystem* const fs_;
  const std::string directory_;
  std::vector<Lane> lanes_;  // each stands at a record
};

}  // namespace sippar::engine
