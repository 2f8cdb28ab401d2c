// SPDX-License-Identifier: Apache-2.0
#include "tests/support/table_book.h"

#include <utility>

#include "engine/base/coding.h"
#include "engine/tablet/state_file.h"

namespace sippar::engine {
namespace {
constexpr uint32_t kMagic = 0x5372426b;
}  // namespace

std::string BookContent::Encode() const {
  std::string out;
  PutVarint(&out, epoch);
  PutVarint(&out, next_table_id);
  PutVarint(&out, next_tablet_id);
  PutVarint(&out, tables.size());
  for (const auto& [name, table] : tables) {
    PutVarint(&out, table.table_id);
    PutVarint(&out, table.schema_version);
    PutBytes(&out, table.schema.Encode());
  }
  PutVarint(&out, tablets.size());
  for (const auto& [id, state] : tablets) PutBytes(&out, state.Encode());
  return out;
}

StatusOr<BookContent> BookContent::Decode(std::string_view bytes) {
  Reader reader(bytes);
  BookContent content;
  content.epoch = reader.Varint();
  content.next_table_id = reader.Varint();
  content.next_tablet_id = reader.Varint();
  for (size_t left = reader.Count(); left > 0 && reader.ok(); --left) {
    BookTable table;
    table.table_id = reader.Varint();
    table.schema_version = reader.Varint();
    ASSIGN_OR_RETURN(table.schema, TableSchema::Decode(reader.Bytes()));
    std::string name = table.schema.name;
    content.tables[name] = std::move(table);
  }
  for (size_t left = reader.Count(); left > 0 && reader.ok(); --left) {
    ASSIGN_OR_RETURN(TabletState state, TabletState::Decode(reader.Bytes()));
    uint64_t id = state.tablet_id;
    content.tablets[id] = std::move(state);
  }
  if (!reader.AtEnd()) return DataLoss("the book of tables does not decode");
  return content;
}

StatusOr<std::unique_ptr<TableBook>> TableBook::Open(FileSystem* fs, std::string path) {
  std::unique_ptr<TableBook> book(new TableBook(fs, std::move(path)));
  auto body = ReadStateFile(fs, book->path_, kMagic);
  if (body.status().code() == StatusCode::kNotFound) return book;
  RETURN_IF_ERROR(body.status());
  MutexLock lock(&book->mutex_);
  ASSIGN_OR_RETURN(book->content_, BookContent::Decode(*body));
  return book;
}

BookContent TableBook::Content() const {
  MutexLock lock(&mutex_);
  return content_;
}

Status TableBook::Change(const std::function<void(BookContent*)>& change) {
  MutexLock lock(&mutex_);
  BookContent changed = content_;
  change(&changed);
  RETURN_IF_ERROR(WriteStateFile(fs_, path_, kMagic, changed.Encode()));
  content_ = std::move(changed);
  return OkStatus();
}

Status TableBook::Save(const TabletState& state) {
  return Change([&](BookContent* content) {
    auto found = content->tablets.find(state.tablet_id);
    if (found != content->tablets.end()) found->second = state;
  });
}

}  // namespace sippar::engine
