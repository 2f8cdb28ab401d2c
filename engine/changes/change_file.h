// A file of the change archive: consecutive changes of one tablet, written by a flush. It is
// complete and synced before it gets its name, and never changes (engine/FORMAT.md "Change
// archive").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/changes/change_tail.h"
#include "engine/fs/file_system.h"
#include "engine/log/log_format.h"
#include "engine/model/row_set.h"

namespace sippar::engine {

// The facts in a file's name.
struct ChangeFileName {
  uint64_t tablet_id = 0;
  uint64_t first_sequence = 0;
  uint64_t last_sequence = 0;
  int64_t newest_us = 0;  // commit time of the newest change
  uint64_t file_id = 0;   // never reused; files written after a restart have higher ids

  std::string Print() const;
  static std::optional<ChangeFileName> Parse(const std::string& name);
};

// The files of `directory`, sorted by tablet and file id; none if there is no such directory.
[[nodiscard]] StatusOr<std::vector<ChangeFileName>> ListChangeFiles(FileSystem* fs,
                                                                    const std::string& directory);
// Files that were written and have not expired, but are missing.
[[nodiscard]] StatusOr<std::vector<ChangeFileName>> ListLostChangeFiles(
    FileSystem* fs, const std::string& directory);
// The kDataLoss status that reports a missing file.
[[nodiscard]] Status LostChangeFile(const std::string& directory, const ChangeFileName& file);
// Removes the files whose changes are all older than `before_us`; returns how many.
[[nodiscard]] StatusOr<size_t> ExpireChangeFiles(FileSystem* fs, const std::string& directory,
                                                 int64_t before_us);
// Writes a file with `records`, at least one, of a tablet with these rows. If OK, the file is
// durable.
[[nodiscard]] Status WriteChangeFile(FileSystem* fs, const std::string& directory, uint64_t file_id,
                                     const RowRange& rows, const std::vector<TailRecord>& records);

// Reads all files; kDataLoss names the first that is damaged or lost.
[[nodiscard]] Status VerifyChangeFiles(FileSystem* fs, const std::string& directory);

// Reads a file from its beginning. Uses 1 MiB of memory, or the size of the largest record.
class ChangeFileReader {
 public:
  [[nodiscard]] static StatusOr<std::unique_ptr<ChangeFileReader>> Open(
      FileSystem* fs, const std::string& directory, const ChangeFileName& name);

  const RowRange& rows() const { return rows_; }  // rows of the tablet that wrote the file
  // The body of the next record, valid until the next call; "" at the end. kDataLoss names file and
  // offset.
  [[nodiscard]] StatusOr<std::string_view> Next();

 private:
  ChangeFileReader(std::string path, std::unique_ptr<RandomFile> file, uint64_t seed)
      : path_(std::move(path)), file_(std::move(file)), seed_(seed) {}
  Status Damage() const;

  const std::string path_;
  const std::unique_ptr<RandomFile> file_;
  const uint64_t seed_;
  RowRange rows_;
  std::string bytes_;  // bytes of the file from offset base_ on
  uint64_t base_ = 0;
  uint64_t at_ = 0;
  bool ended_ = false;
};

}  // namespace sippar::engine
