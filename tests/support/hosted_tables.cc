// Opens the directory, and changes tables. A change takes effect when the book has stored it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hosted_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "engine/base/crash_point.h"
#include "engine/model/change_config.h"
#include "engine/model/schema_change.h"
#include "engine/tablet/writes_held.h"

namespace sippar::engine {
namespace {

constexpr const char* kFolders[] = {"/wal", "/sst", "/changes"};

Status NoSuchTable(const std::string& name) { return NotFound(fmt::format("no table '{}'", name)); }

// Creates only what is missing, so that a disk that rejects writes can be opened as well. Syncs the
// directory, because an earlier run may have left changes in memory on which this run builds.
Status MakeDirectories(FileSystem* fs, const std::string& directory) {
  ASSIGN_OR_RETURN(bool exists, fs->Exists(directory));
  if (!exists) {
    RETURN_IF_ERROR(fs->CreateDir(directory));
    RETURN_IF_ERROR(fs->SyncDir(directory.substr(0, std::max<size_t>(1, directory.rfind('/')))));
  }
  for (const std::string folder : kFolders) {
    ASSIGN_OR_RETURN(bool made, fs->Exists(directory + folder));
    RETURN_IF_ERROR(made ? fs->SyncDir(directory + folder) : fs->CreateDir(directory + folder));
  }
  return fs->SyncDir(directory);
}

}  // namespace

HostedTables::HostedTables(std::string directory, const StoreOptions& options,
                           std::unique_ptr<TableBook> book)
    : directory_(std::move(directory)),
      options_(options),
      book_(std::move(book)),
      epoch_(book_->Content().epoch + 1),
      host_({.store = options,
             .sst_directory = directory_ + "/sst",
             .epoch = epoch_,
             .claim_epoch =
                 [this] {
                   if (book_->Content().epoch == epoch_) return OkStatus();
                   return book_->Change([this](BookContent* content) { content->epoch = epoch_; });
                 },
             .states = book_.get(),
             .change_directory = directory_ + "/changes"}) {}

StatusOr<std::unique_ptr<HostedTables>> HostedTables::Open(const std::string& directory,
                                                           const StoreOptions& options) {
  RETURN_IF_ERROR(MakeDirectories(options.fs, directory));
  ASSIGN_OR_RETURN(std::unique_ptr<TableBook> book,
                   TableBook::Open(options.fs, directory + "/TABLES"));
  std::unique_ptr<HostedTables> tables(new HostedTables(directory, options, std::move(book)));
  RETURN_IF_ERROR(tables->OpenTablets());
  RETURN_IF_ERROR(tables->Recover());
  RETURN_IF_ERROR(tables->SweepOrphans());
  tables->host_.StartBackground([] { return false; });  // tablets are split only on request
  return tables;
}

Status HostedTables::OpenTablets() {
  BookContent content = book_->Content();
  std::map<uint64_t, std::shared_ptr<OpenTable>> by_id;
  std::map<uint64_t, std::shared_ptr<const TableSchema>> schemas;
  for (const auto& [name, entry] : content.tables) {
    by_id[entry.table_id] = std::make_shared<OpenTable>(OpenTable{entry, {}});
    schemas[entry.table_id] = std::make_shared<const TableSchema>(entry.schema);
  }
  for (auto& [id, state] : content.tablets) {
    uint64_t table_id = state.table_id;
    by_id.at(table_id)->tablets.push_back(host_.Open(std::move(state), schemas.at(table_id)));
    host_.Serve(by_id.at(table_id)->tablets.back());
  }
  for (auto& [id, table] : by_id) {
    std::sort(table->tablets.begin(), table->tablets.end(),
              [](const auto& a, const auto& b) { return a->range().start < b->range().start; });
    Publish(std::move(table));
  }
  return OkStatus();
}

Status HostedTables::Recover() {
  const std::string wal = directory_ + "/wal";
  ASSIGN_OR_RETURN(ReplayedLog old, host_.Replay(wal));
  CRASH_POINT("open.after_replay");
  std::vector<std::string> unused = std::move(old.unused);
  host_.StartLog(wal, std::move(old));
  RETURN_IF_ERROR(Annotate(host_.SettleLog(), "commit log"));
  for (const std::string& name : unused) RemoveOrphan(wal + "/" + name);
  return OkStatus();
}

void HostedTables::RemoveOrphan(const std::string& path) {
  metrics()->Get(options_.fs->Remove(path).ok() ? "orphans_swept" : "orphans_not_removed")->Add();
}

// A crash or a failed job leaves files that no tablet names; removes these. Also reports a named
// file that is missing, because SSTables are opened only at first use.
Status HostedTables::SweepOrphans() {
  std::set<std::string> named;
  for (uint64_t id : host_.context()->files->Named()) {
    named.insert(host_.context()->files->PathOf(id));
  }
  ASSIGN_OR_RETURN(std::vector<std::string> names, options_.fs->List(directory_ + "/sst"));
  for (const std::string& name : names) {
    std::string path = directory_ + "/sst/" + name;
    if (named.erase(path) == 0) RemoveOrphan(path);
  }
  if (!named.empty()) return DataLoss(*named.begin() + ": the file is missing");
  for (const BookTable& table : ListTables()) {
    if (!ChangeStreamOf(table.schema).has_value()) continue;
    const std::string archive = ChangesOf(table.table_id);
    // Syncs first, because an earlier run may have left entries of the directory only in memory.
    RETURN_IF_ERROR(options_.fs->SyncDir(archive));
    ASSIGN_OR_RETURN(names, options_.fs->List(archive));
    for (const std::string& name : names) {
      if (name.ends_with(".tmp")) RemoveOrphan(archive + "/" + name);
    }
  }
  return OkStatus();
}

Status HostedTables::CreateTable(const TableSchema& schema,
                                 const std::vector<std::string>& split_keys) {
  BookTable entry;
  entry.schema = schema;
  entry.schema.Normalize();
  RETURN_IF_ERROR(entry.schema.Validate());
  MutexLock admin_lock(&admin_mutex_);
  if (FindTable(schema.name).ok()) return AlreadyExists("table '" + schema.name + "' exists");
  BookContent content = book_->Content();
  entry.table_id = content.next_table_id;
  RETURN_IF_ERROR(PrepareChanges(entry, {}, &entry.schema));
  std::vector<TabletState> states(split_keys.size() + 1);
  for (size_t i = 0; i < states.size(); ++i) {
    states[i].tablet_id = content.next_tablet_id + i;
    states[i].table_id = entry.table_id;
    if (i > 0) states[i].range.start = states[i - 1].range.limit = split_keys[i - 1];
  }
  RETURN_IF_ERROR(book_->Change([&](BookContent* changed) {
    ++changed->next_table_id;
    changed->next_tablet_id += states.size();
    changed->tables[entry.schema.name] = entry;
    for (const TabletState& state : states) changed->tablets[state.tablet_id] = state;
  }));
  auto table = std::make_shared<OpenTable>(OpenTable{entry, {}});
  auto shared_schema = std::make_shared<const TableSchema>(entry.schema);
  for (TabletState& state : states) {
    table->tablets.push_back(host_.Open(std::move(state), shared_schema));
    host_.Serve(table->tablets.back());
  }
  Publish(std::move(table));
  return OkStatus();
}

Status HostedTables::AlterTable(const TableSchema& schema, uint64_t expected_version) {
  TableSchema normal = schema;
  normal.Normalize();
  RETURN_IF_ERROR(normal.Validate());
  MutexLock admin_lock(&admin_mutex_);
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> before, FindTable(normal.name));
  if (before->entry.schema_version != expected_version) {
    return Aborted(fmt::format("table {} has version {}, not {}", normal.name,
                               before->entry.schema_version, expected_version));
  }
  RETURN_IF_ERROR(CheckAlter(before->entry.schema, normal));
  NoteEarlierGc(before->entry.schema, expected_version + 1, &normal);
  std::optional<WritesHeld> held;
  if (NeedsWritesHeld(before->entry.schema, normal)) held.emplace(before->tablets);
  for (const auto& tablet : before->tablets) RETURN_IF_ERROR(tablet->families().Prepare(normal));
  RETURN_IF_ERROR(PrepareChanges(before->entry, before->tablets, &normal));
  CRASH_POINT("tables.before_alter");
  auto after = std::make_shared<OpenTable>(*before);
  after->entry.schema = normal;
  ++after->entry.schema_version;
  Status saved =
      book_->Change([&](BookContent* content) { content->tables[normal.name] = after->entry; });
  if (!saved.ok()) {
    // The change stream did not begin, so the tablets go back to the old schema and keep no
    // changes.
    for (const auto& tablet : before->tablets) tablet->families().SetSchema(tablet->schema());
    return saved;
  }
  auto shared_schema = std::make_shared<const TableSchema>(normal);
  for (const auto& tablet : before->tablets) tablet->families().SetSchema(shared_schema);
  if (!ChangeStreamOf(normal).has_value()) RemoveChanges(before->entry.table_id);
  Publish(std::move(after));
  return OkStatus();
}

Status HostedTables::DropTable(const std::string& name) {
  MutexLock admin_lock(&admin_mutex_);
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  RETURN_IF_ERROR(book_->Change([&](BookContent* content) {
    content->tables.erase(name);
    for (const auto& tablet : table->tablets) content->tablets.erase(tablet->id());
  }));
  {
    MutexLock lock(&tables_mutex_);
    tables_.erase(name);
  }
  for (const auto& tablet : table->tablets) {
    host_.Forget(tablet->id());
    tablet->serving().Drop();
  }
  RemoveChanges(table->entry.table_id);
  return OkStatus();
}

std::string HostedTables::ChangesOf(uint64_t table_id) const {
  return fmt::format("{}/changes/{}", directory_, table_id);
}

// Writes into `schema` the time from which on the table's changes are kept, and makes the tablets
// keep them.
Status HostedTables::PrepareChanges(const BookTable& before,
                                    const std::vector<std::shared_ptr<Tablet>>& tablets,
                                    TableSchema* schema) {
  auto config = ChangeStreamOf(*schema);
  if (!config.has_value()) return OkStatus();
  RETURN_IF_ERROR(ValidateChangeStream(*schema));
  // A new table has no tablets yet.
  auto old_config = tablets.empty() ? std::nullopt : ChangeStreamOf(before.schema);
  if (old_config.has_value()) {
    config->since_us = old_config->since_us;
  } else {
    RETURN_IF_ERROR(options_.fs->CreateDir(ChangesOf(before.table_id)));
    RETURN_IF_ERROR(options_.fs->SyncDir(directory_ + "/changes"));
    for (const auto& tablet : tablets) tablet->changes().Keep();
    config->since_us = options_.clock->NowMicros();
  }
  SetChangeStream(config, schema);
  return OkStatus();
}

void HostedTables::RemoveChanges(uint64_t table_id) {
  auto names = options_.fs->List(ChangesOf(table_id));
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    (void)options_.fs->Remove(ChangesOf(table_id) + "/" + name);
  }
  (void)options_.fs->RemoveDir(ChangesOf(table_id));
}

void HostedTables::Publish(std::shared_ptr<const OpenTable> table) {
  MutexLock lock(&tables_mutex_);
  std::string name = table->entry.schema.name;
  tables_[name] = std::move(table);
  routing_changed_.NotifyAll();
}

StatusOr<std::shared_ptr<const HostedTables::OpenTable>> HostedTables::FindTable(
    const std::string& name) const {
  MutexLock lock(&tables_mutex_);
  auto found = tables_.find(name);
  if (found == tables_.end()) return NoSuchTable(name);
  return found->second;
}

StatusOr<BookTable> HostedTables::GetTable(const std::string& name) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  return table->entry;
}

std::vector<BookTable> HostedTables::ListTables() const {
  MutexLock lock(&tables_mutex_);
  std::vector<BookTable> all;
  for (const auto& [name, table] : tables_) all.push_back(table->entry);
  return all;
}

}  // namespace sippar::engine
