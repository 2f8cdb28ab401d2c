// The book of tables, for tests of the engine alone: schemas, tablet states and the epoch in one
// file, which each change replaces as a whole. Real servers keep these in METADATA and in the lock
// service.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/base/thread.h"
#include "engine/fs/file_system.h"
#include "engine/model/schema.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::engine {

struct BookTable {
  uint64_t table_id = 0;
  uint64_t schema_version = 1;
  TableSchema schema;
};

struct BookContent {
  uint64_t epoch = 0;  // epoch of the last run that wrote
  uint64_t next_table_id = 1;
  uint64_t next_tablet_id = 1;
  std::map<std::string, BookTable> tables;
  std::map<uint64_t, TabletState> tablets;

  std::string Encode() const;
  [[nodiscard]] static StatusOr<BookContent> Decode(std::string_view bytes);
};

// The file with the book's content. Thread safe.
class TableBook final : public TabletStateWriter {
 public:
  // If the file is missing, the book is empty.
  [[nodiscard]] static StatusOr<std::unique_ptr<TableBook>> Open(FileSystem* fs, std::string path);

  BookContent Content() const;
  // After an error the file may hold the old or the new content; the book in memory has the old
  // one.
  [[nodiscard]] Status Change(const std::function<void(BookContent*)>& change);
  // Does nothing for a tablet that no longer exists.
  [[nodiscard]] Status Save(const TabletState& state) override;

 private:
  TableBook(FileSystem* fs, std::string path) : fs_(fs), path_(std::move(path)) {}

  FileSystem* const fs_;
  const std::string path_;
  mutable Mutex mutex_;
  BookContent content_ GUARDED_BY(mutex_);
};

}  // namespace sippar::engine
