// The kill walk over what OpenClient gives: a cluster of one. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "tests/engine/kill/walk_store.h"

namespace sippar::engine {
namespace {

using cluster::AdminApi;
using cluster::Client;

constexpr uint64_t kMemoryLeast = 1 << 20;

class ClientToWalk final : public WalkStore {
 public:
  ClientToWalk(std::string directory, bool check, const cluster::ClientOptions& options)
      : directory_(std::move(directory)), check_(check), options_(options) {}
  Status Open() {
    ASSIGN_OR_RETURN(client_, cluster::OpenClient(directory_, options_));
    return OkStatus();
  }

  std::vector<Status> Apply(const std::string& table,
                            const std::vector<RowMutation>& batch) override {
    return client_->data()->ApplyBatch(table, batch);
  }
  Status Read(const std::string& table, const ReadSpec& read,
              const std::function<void(const Cell&)>& visit) override {
    ASSIGN_OR_RETURN(auto cells, client_->data()->Read(table, read, {}));
    for (; cells->Valid(); cells->Next()) visit(Cell(cells->cell()));
    return cells->status();
  }
  Status CreateTable(const TableSchema& schema, const std::vector<std::string>& keys) override {
    return admin()->Do(cluster::calls::CreateTable{schema, keys});
  }
  Status AlterTable(const TableSchema& schema, uint64_t version) override {
    return admin()->Do(cluster::calls::AlterTable{schema, version});
  }
  Status DropTable(const std::string& table) override {
    return admin()->Do(cluster::calls::DropTable{table});
  }
  StatusOr<WalkTable> GetTable(const std::string& table) override {
    ASSIGN_OR_RETURN(cluster::TableInfo found, admin()->Do(cluster::calls::GetTable{table}));
    return WalkTable{found.schema, found.schema_version};
  }
  StatusOr<std::vector<TableSchema>> ListTables() override {
    ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables,
                     admin()->Do(cluster::calls::ListTables{}));
    std::vector<TableSchema> schemas;
    for (cluster::TableInfo& table : tables) schemas.push_back(std::move(table.schema));
    return schemas;
  }
  Status Split(const std::string& table, const std::string& row) override {
    return admin()->Do(cluster::calls::Split{table, row});
  }
  Status Merge(const std::string& table) override {
    return admin()->Do(cluster::calls::Merge{table, RowRange::All()});
  }
  Status Flush(const std::string& table) override {
    return admin()->Do(cluster::calls::Flush{table});
  }
  Status CompactMajor(const std::string& table, const std::string& group) override {
    return admin()->Do(cluster::calls::Compact{table, group});
  }
  Status CompactOnce(const std::string&) override { return OkStatus(); }  // in the background
  uint64_t Metric(const std::string& name) override {
    return admin()->Do(cluster::calls::Metrics{}).value()[name];
  }

  bool HasBackup(const std::string& name) override {
    return admin()->Do(cluster::calls::GetBackup{name}).ok();
  }
  Status CreateBackup(const std::string& name, const std::string& table) override {
    return admin()->Do(cluster::calls::CreateBackup{name, table, INT64_MAX}).status();
  }
  Status Restore(const std::string& name, const std::string& table) override {
    return admin()->Do(cluster::calls::RestoreTable{name, table});
  }
  Status DropAndKeep(const std::string& table) override {
    return admin()->Do(cluster::calls::DropAndKeepTable{table, int64_t{3600} * 1'000'000});
  }
  Status Undelete(const std::string& table) override {
    return admin()->Do(cluster::calls::UndeleteTable{table});
  }
  Status DeleteBackup(const std::string& name) override {
    return admin()->Do(cluster::calls::DeleteBackup{name});
  }

  Status Verify(const std::string& table) override {
    return admin()->Do(cluster::calls::Verify{table});
  }
  Status CheckChanges(const std::string& table) override;
  // A clean end flushes, so the next life finds no log that anybody needs.
  Status CheckNoOrphans() override {
    if (!check_) return OkStatus();
    RETURN_IF_ERROR(client_->Close());
    RETURN_IF_ERROR(Open());
    ASSIGN_OR_RETURN(std::vector<std::string> logs, options_.fs->List(directory_ + "/wal"));
    if (logs.size() == 1) return OkStatus();
    return DataLoss(fmt::format("{} logs are left, {} and others", logs.size(), logs.front()));
  }
  Status Close() override { return client_->Close(); }

 private:
  AdminApi* admin() { return client_->admin(); }

  const std::string directory_;
  const bool check_;
  const cluster::ClientOptions options_;
  std::unique_ptr<Client> client_;
};

// All that is kept of each partition can be read; times rise.
Status ClientToWalk::CheckChanges(const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<RowRange> partitions,
                   client_->data()->Do(calls::TabletRanges{table}));
  ASSIGN_OR_RETURN(cluster::TableInfo info, admin()->Do(cluster::calls::GetTable{table}));
  for (const RowRange& partition : partitions) {
    cluster::ChangesRequest wanted;
    wanted.partition = partition;
    wanted.start_us = info.changed_at_us;
    wanted.end_us = Clock::System()->NowMicros();
    ASSIGN_OR_RETURN(auto changes, client_->data()->ReadChanges(table, wanted, {}));
    for (bool is_over = false; !is_over;) {
      ASSIGN_OR_RETURN(cluster::ChangeBatch batch, changes->Next(1'000));
      is_over = batch.is_over;
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<WalkStore>> OpenWalkStore(const std::string& directory, bool check,
                                                   FileSystem* fs, Random* random) {
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.fs = fs;
  options.memory_limit = kMemoryLeast << random->Uniform(3);
  auto store = std::make_unique<ClientToWalk>(directory, check, options);
  RETURN_IF_ERROR(store->Open());
  return std::unique_ptr<WalkStore>(std::move(store));
}

}  // namespace sippar::engine
