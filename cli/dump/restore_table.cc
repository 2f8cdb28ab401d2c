// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/restore_table.h"

#include <fmt/format.h>

#include "query/format/cell_line.h"
#include "query/parse/parse.h"
#include "query/session/result.h"

namespace sippar::cli {
namespace {

// Bytes of cells between two marks. Before each mark the restore waits until all cells so far are
// written. The next run continues at the last mark, so it rewrites about this many bytes at most.
constexpr size_t kMarkEachBytes = 16 << 20;

// Returns nullopt if the table does not exist.
StatusOr<std::optional<cluster::TableInfo>> FindTable(cluster::Client* client,
                                                      const std::string& table) {
  auto info = client->admin()->Do(cluster::calls::GetTable{table});
  if (info.ok()) return std::optional(*std::move(info));
  if (info.status().code() == StatusCode::kNotFound) return std::optional<cluster::TableInfo>();
  return info.status();
}

StatusOr<bool> IsEmpty(cluster::Client* client, const std::string& table) {
  cluster::ReadSpec read;
  read.keys_only = true;
  ASSIGN_OR_RETURN(auto cells, client->data()->Read(table, read, {}));
  RETURN_IF_ERROR(cells->status());
  return !cells->Valid();
}

// A dump may come from an untrusted source, so a statement other than one CREATE TABLE is rejected.
StatusOr<query::syntax::Statement> ParseCreate(const DumpedTable& table) {
  auto statement = query::ParseStatement(table.create);
  if (!statement.ok()) {
    return InvalidArgument(fmt::format(
        "CREATE TABLE in the dump: it cannot be parsed ({}); the dump is damaged or of a "
        "newer sippar: use another copy, or the sippar that wrote it",
        query::QueryErrorOf(statement.status()).message));
  }
  const auto* create = std::get_if<query::syntax::CreateTable>(&statement->node);
  if (create != nullptr && create->table.text == table.name) return statement;
  return InvalidArgument(
      fmt::format("the dump has another statement in place of CREATE TABLE {}, so it is damaged or "
                  "was changed; use another copy of the dump",
                  table.name));
}

}  // namespace

StatusOr<std::optional<RestoreMark>> TableRestore::ReadMark(const std::string& table,
                                                            uint64_t* version) const {
  *version = 0;
  auto record = client_->admin()->Do(cluster::calls::GetRecord{MarkName(table)});
  if (record.status().code() == StatusCode::kNotFound) return std::optional<RestoreMark>();
  RETURN_IF_ERROR(record.status());
  *version = record->version;
  return RestoreMark::Decode(record->body);
}

StatusOr<RestoreAction> TableRestore::Decide(const std::string& table, IfExists if_exists) {
  ASSIGN_OR_RETURN(auto info, FindTable(client_, table));
  uint64_t version = 0;
  ASSIGN_OR_RETURN(auto mark, ReadMark(table, &version));
  std::optional<ExistingTable> existing;
  if (info) existing = ExistingTable{info->schema, info->table_id};
  if (info && mark && mark->table_id == 0) {
    ASSIGN_OR_RETURN(existing->is_empty, IsEmpty(client_, table));
  }
  return DecideRestore(table, existing, mark, dump_id_, if_exists);
}

Status TableRestore::Begin(const DumpedTable& table, RestoreAction action) {
  table_ = table.name;
  cells_ = 0;
  unmarked_ = 0;
  ASSIGN_OR_RETURN(auto mark, ReadMark(table_, &mark_version_));
  if (action == RestoreAction::kReplace) RETURN_IF_ERROR(Drop());
  if (action == RestoreAction::kContinue) {
    mark_ = *mark;
  } else {
    mark_ = RestoreMark();
    mark_.dump_id = dump_id_;
    // The mark is written before the table is created. If the run ends between the two steps, it
    // leaves no table that looks complete.
    RETURN_IF_ERROR(WriteMark());
    Status created = Create(table);
    if (!created.ok()) {
      // Without this deletion, the mark would apply to a table that a user later creates under this
      // name.
      (void)client_->admin()->Do(cluster::calls::DeleteRecord{MarkName(table_), mark_version_});
      return created;
    }
  }
  skipped_ = mark_.cells;
  ASSIGN_OR_RETURN(cluster::TableInfo info, client_->admin()->Do(cluster::calls::GetTable{table_}));
  engine::TableSchema plain = info.schema;
  std::map<std::string, std::string> late = TakeLateOptions(&plain);
  // The late options are recorded before they are removed, so that any later run restores them at
  // the end.
  mark_.options.insert(late.begin(), late.end());
  mark_.options.insert(table.options.begin(), table.options.end());
  mark_.table_id = info.table_id;
  RETURN_IF_ERROR(WriteMark());
  if (!late.empty()) RETURN_IF_ERROR(Alter({}, /*takes=*/true));
  schema_ = plain;
  batches_ = std::make_unique<CellBatches>(client_, schema_, jobs_);
  return OkStatus();
}

Status TableRestore::Create(const DumpedTable& table) {
  ASSIGN_OR_RETURN(query::syntax::Statement create, ParseCreate(table));
  query::ResultTable nothing;
  auto created = session_->Execute(create, table.create, &nothing);
  if (created.ok()) return OkStatus();
  return Status(created.status().code(), query::QueryErrorOf(created.status()).message);
}

Status TableRestore::Drop() {
  // DecideRestore lets a protected table be dropped only if an interrupted restore has left it, so
  // its protection may be removed.
  RETURN_IF_ERROR(Alter({}, /*takes=*/true));
  return client_->admin()->Do(cluster::calls::DropTable{table_});
}

Status TableRestore::Alter(const std::map<std::string, std::string>& options, bool takes) {
  ASSIGN_OR_RETURN(cluster::TableInfo info, client_->admin()->Do(cluster::calls::GetTable{table_}));
  engine::TableSchema changed = info.schema;
  if (takes) TakeLateOptions(&changed);
  changed.options.insert(options.begin(), options.end());
  if (changed == info.schema) return OkStatus();
  return client_->admin()->Do(cluster::calls::AlterTable{changed, info.schema_version});
}

Status TableRestore::WriteMark() {
  RETURN_IF_ERROR(client_->admin()->Do(
      cluster::calls::PutRecord{MarkName(table_), mark_.Encode(), mark_version_}));
  ++mark_version_;
  return OkStatus();
}

Status TableRestore::Add(std::string_view line) {
  if (++cells_ <= skipped_) return OkStatus();
  engine::Cell cell;
  RETURN_IF_ERROR(query::ParseCellLine(line, &cell));
  RETURN_IF_ERROR(batches_->Add(cell));
  unmarked_ += line.size();
  if (unmarked_ < kMarkEachBytes) return OkStatus();
  unmarked_ = 0;
  RETURN_IF_ERROR(batches_->Drain());
  mark_.cells = cells_;
  return WriteMark();
}

Status TableRestore::End() {
  RETURN_IF_ERROR(batches_->Drain());
  batches_.reset();
  RETURN_IF_ERROR(Alter(mark_.options, /*takes=*/false));
  return client_->admin()->Do(cluster::calls::DeleteRecord{MarkName(table_), mark_version_});
}

}  // namespace sippar::cli
