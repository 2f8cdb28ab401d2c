// A file of the change archive: consecutive changes of one tablet, written by a flush, whole and
// synced before it has its name, never changed. FORMAT.md "Change archive".
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

// What the name of a file tells.
struct ChangeFileName {
  uint64_t tablet_id = 0;
  uint64_t first_sequence = 0;
  uint64_t last_sequence = 0;
  int64_t newest_us = 0;  // commit time
  uint64_t file_id = 0;   // never repeated; rises with the lives of the store

  std::string Print() const;
  static std::optional<ChangeFileName> Parse(const std::string& name);
};

// Those of `directory`, in order of tablet and file id; none when there is no such directory.
[[nodiscard]] StatusOr<std::vector<ChangeFileName>> ListChangeFiles(FileSystem* fs,
                                                                    const std::string& directory);
// Those that were made, have not expired, and are not there.
[[nodiscard]] StatusOr<std::vector<ChangeFileName>> ListLostChangeFiles(
    FileSystem* fs, const std::string& directory);
[[nodiscard]] Status LostChangeFile(const std::string& directory, const ChangeFileName& file);
// Removes files that hold nothing newer than `before_us`: how many.
[[nodiscard]] StatusOr<size_t> ExpireChangeFiles(FileSystem* fs, const std::string& directory,
                                                 int64_t before_us);
// `records` of a tablet with these rows, at least one. When OK, the file is durable.
[[nodiscard]] Status WriteChangeFile(FileSystem* fs, const std::string& directory, uint64_t file_id,
                                     const RowRange& rows, const std::vector<TailRecord>& records);

// Scrub: reads all files; kDataLoss names the one that is damaged or lost.
[[nodiscard]] Status VerifyChangeFiles(FileSystem* fs, const std::string& directory);

// Reads one from its beginning. Memory: 1 MiB, or the largest record.
class ChangeFileReader {
 public:
  [[nodiscard]] static StatusOr<std::unique_ptr<ChangeFileReader>> Open(
      FileSystem* fs, const std::string& directory, const ChangeFileName& name);

  const RowRange& rows() const { return rows_; }  // of its tablet
  // The next record's body, until the next call; "" at the end. kDataLoss names file and offset.
  [[nodiscard]] StatusOr<std::string_view> Next();

 private:
  ChangeFileReader(std::string path, std::unique_ptr<RandomFile> file, uint64_t seed)
      : path_(std::move(path)), file_(std::move(file)), seed_(seed) {}
  Status Damage() const;

  const std::string path_;
  const std::unique_ptr<RandomFile> file_;
  const uint64_t seed_;
  RowRange rows_;
  std::string bytes_;  // of the file, from base_ on
  uint64_t base_ = 0;
  uint64_t at_ = 0;
  bool ended_ = false;
};

}  // namespace sippar::engine
