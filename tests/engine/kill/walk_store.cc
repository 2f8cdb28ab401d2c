// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_store.h"

#include <fmt/format.h>

#include <set>

#include "cluster/node/embedded_node.h"
#include "engine/model/change_config.h"
#include "tests/engine/kill/walk_leftovers.h"

namespace sippar::engine {
namespace {

namespace calls = cluster::calls;

StoreOptions DrawOptions(bool check, FileSystem* fs, Random* random) {
  auto size = [&](uint64_t least, uint64_t doublings) {
    return (least + random->Uniform(least)) << random->Uniform(doublings + 1);
  };
  StoreOptions options;
  options.fs = fs;
  options.clock = Clock::System();
  options.create_if_missing = true;
  options.background = !check;
  options.memtable_size = size(8 << 10, 4);
  options.memtable_budget = 4 * options.memtable_size;
  options.block_cache_size = 1 << 20;
  options.memory_limit = 0;
  options.pinned_blocks_size = size(16 << 10, 4);
  options.log_segment_size = size(8 << 10, 3);
  options.log_segments_max = 1 + random->Uniform(4);
  // With smaller limits the server would split tablets as fast as the script merges them,
  // endlessly.
  options.split_size = size(4 << 20, 4);
  return options;
}

// Retries an administrator's call, because calls that meet a split or merge are rejected.
Status Again(const std::function<Status()>& call) {
  constexpr int kTriesMax = 2'000;
  for (int tries = 1;; ++tries) {
    Status status = call();
    if (status.code() != StatusCode::kUnavailable || tries == kTriesMax) return status;
    Clock::System()->SleepMicros(5'000);
  }
}

}  // namespace

StatusOr<std::unique_ptr<WalkStore>> WalkStore::Open(const std::string& directory, bool check,
                                                     FileSystem* fs, Random* random) {
  std::unique_ptr<WalkStore> store(new WalkStore(directory, DrawOptions(check, fs, random)));
  RETURN_IF_ERROR(store->OpenClient());
  return store;
}

Status WalkStore::OpenClient() {
  ASSIGN_OR_RETURN(client_, cluster::OpenEmbedded(directory_, options_));
  return OkStatus();
}

std::vector<Status> WalkStore::Apply(const std::string& table,
                                     const std::vector<RowMutation>& batch) {
  return client_->data()->ApplyBatch(table, batch);
}

Status WalkStore::Read(const std::string& table, const ReadSpec& read,
                       const std::function<void(const Cell& cell)>& visit) {
  ASSIGN_OR_RETURN(auto cells, client_->data()->Read(table, read, {}));
  for (; cells->Valid(); cells->Next()) visit(Cell(cells->cell()));
  return cells->status();
}

Status WalkStore::CreateTable(const TableSchema& schema, const std::vector<std::string>& keys) {
  return admin()->Do(calls::CreateTable{schema, keys});
}

Status WalkStore::AlterTable(const TableSchema& schema, uint64_t version) {
  return Again([&] { return admin()->Do(calls::AlterTable{schema, version}); });
}

Status WalkStore::DropTable(const std::string& table) {
  return admin()->Do(calls::DropTable{table});
}

StatusOr<WalkTable> WalkStore::GetTable(const std::string& table) {
  ASSIGN_OR_RETURN(cluster::TableInfo found, admin()->Do(calls::GetTable{table}));
  return WalkTable{found.schema, found.schema_version};
}

StatusOr<std::vector<TableSchema>> WalkStore::ListTables() {
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables, admin()->Do(calls::ListTables{}));
  std::vector<TableSchema> schemas;
  for (cluster::TableInfo& table : tables) schemas.push_back(std::move(table.schema));
  return schemas;
}

Status WalkStore::Split(const std::string& table, const std::string& row) {
  return Again([&] { return admin()->Do(calls::Split{table, row}); });
}

Status WalkStore::Merge(const std::string& table) {
  return Again([&] { return admin()->Do(calls::Merge{table, RowRange::All()}); });
}

Status WalkStore::Flush(const std::string& table) {
  return Again([&] { return admin()->Do(calls::Flush{table}); });
}

Status WalkStore::CompactMajor(const std::string& table, const std::string& group) {
  return Again([&] { return admin()->Do(calls::Compact{table, group}); });
}

uint64_t WalkStore::Metric(const std::string& name) {
  return admin()->Do(calls::Metrics{}).value()[name];
}

bool WalkStore::HasBackup(const std::string& name) {
  return admin()->Do(calls::GetBackup{name}).ok();
}

Status WalkStore::CreateBackup(const std::string& name, const std::string& table) {
  return admin()->Do(calls::CreateBackup{name, table, INT64_MAX}).status();
}

Status WalkStore::Restore(const std::string& name, const std::string& table) {
  return admin()->Do(calls::RestoreTable{name, table});
}

Status WalkStore::DropAndKeep(const std::string& table) {
  return admin()->Do(calls::DropAndKeepTable{table, int64_t{3600} * 1'000'000});
}

Status WalkStore::Undelete(const std::string& table) {
  return admin()->Do(calls::UndeleteTable{table});
}

Status WalkStore::DeleteBackup(const std::string& name) {
  return admin()->Do(calls::DeleteBackup{name});
}

Status WalkStore::Verify(const std::string& table) {
  return Again([&] { return admin()->Do(calls::Verify{table}); });
}

Status WalkStore::ReplayChanges(const std::string& table, ReferenceTable* replayed) {
  std::vector<RowMutation> changes;
  Status read = Again([&]() -> Status {
    changes.clear();
    ASSIGN_OR_RETURN(WalkTable info, GetTable(table));
    auto config = ChangeStreamOf(info.schema);
    if (!config.has_value()) return DataLoss("LOST: the change stream of table " + table);
    ASSIGN_OR_RETURN(std::vector<RowRange> partitions,
                     client_->data()->Do(cluster::calls::TabletRanges{table}));
    for (const RowRange& partition : partitions) {
      RETURN_IF_ERROR(ReplayPartition(table, partition, config->since_us, &changes));
    }
    return OkStatus();
  });
  RETURN_IF_ERROR(read);
  for (const RowMutation& change : changes) replayed->Apply(change, 0);
  return OkStatus();
}

// kUnavailable: the partition was split or merged during the call.
Status WalkStore::ReplayPartition(const std::string& table, const RowRange& partition,
                                  int64_t since_us, std::vector<RowMutation>* changes) {
  cluster::ChangesRequest wanted;
  wanted.partition = partition;
  wanted.start_us = since_us;
  wanted.end_us = Clock::System()->NowMicros();
  ASSIGN_OR_RETURN(auto stream, client_->data()->ReadChanges(table, wanted, {}));
  for (bool is_over = false; !is_over;) {
    ASSIGN_OR_RETURN(cluster::ChangeBatch batch, stream->Next(1'000));
    for (cluster::Change& change : batch.changes) changes->push_back(std::move(change.mutation));
    if (!batch.new_partitions.empty()) return Unavailable("partitions of " + table + " changed");
    is_over = batch.is_over;
  }
  return OkStatus();
}

Status WalkStore::CheckNoLeftovers() {
  RETURN_IF_ERROR(client_->Close());
  ASSIGN_OR_RETURN(std::set<std::string> leftovers, FindLeftovers(options_.fs, directory_));
  RETURN_IF_ERROR(OpenClient());
  for (const std::string& path : leftovers) {
    ASSIGN_OR_RETURN(bool is_there, options_.fs->Exists(path));
    if (is_there) return DataLoss(path + ": nothing names it, and the start has left it there");
  }
  return OkStatus();
}

}  // namespace sippar::engine
