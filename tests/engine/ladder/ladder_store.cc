// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ladder/ladder_store.h"

#include <algorithm>

#include "cluster/node/embedded_node.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {

constexpr char kTable[] = "t";
constexpr char kDirectory[] = "/db";

StoreOptions OptionsOf(FileSystem* fs, Clock* clock) {
  StoreOptions options;
  options.fs = fs;
  options.clock = clock;
  options.create_if_missing = true;
  options.log_segment_size = 600;  // small, for many rotations
  return options;
}

Status AddCells(CellStream* stream, std::vector<Cell>* cells) {
  for (; stream->Valid(); stream->Next()) cells->emplace_back(stream->cell()).sequence = 0;
  return stream->status();
}

class HostStore final : public LadderStore {
 public:
  explicit HostStore(std::unique_ptr<HostedTables> tables) : tables_(std::move(tables)) {}
  static StatusOr<std::unique_ptr<LadderStore>> Open(StoreOptions options) {
    options.background = false;
    ASSIGN_OR_RETURN(std::unique_ptr<HostedTables> tables, HostedTables::Open(kDirectory, options));
    return std::unique_ptr<LadderStore>(new HostStore(std::move(tables)));
  }

  Status Create(const TableSchema& schema, const std::vector<std::string>& keys) override {
    return tables_->CreateTable(schema, keys);
  }
  Status Apply(const RowMutation& mutation) override {
    return tables_->Apply(kTable, {&mutation}).front();
  }
  StatusOr<std::vector<Cell>> Read(const ReadSpec& read) override {
    std::vector<Cell> cells;
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, tables_->Tablets(kTable));
    if (read.reverse) std::reverse(tablets.begin(), tablets.end());
    for (const auto& tablet : tablets) {
      ASSIGN_OR_RETURN(std::unique_ptr<CellStream> stream, tablet->Read(read));
      RETURN_IF_ERROR(AddCells(stream.get(), &cells));
    }
    return cells;
  }
  Status Flush() override { return tables_->Flush(kTable); }
  Status CompactMajor(const std::string& group) override {
    return tables_->CompactMajor(kTable, group);
  }
  Status CompactSmall() override {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, tables_->Tablets(kTable));
    for (const auto& tablet : tablets) RETURN_IF_ERROR(tablet->CompactOnce().status());
    return OkStatus();
  }
  StatusOr<Schema> GetSchema() override {
    ASSIGN_OR_RETURN(BookTable table, tables_->GetTable(kTable));
    return Schema{table.schema, table.schema_version};
  }
  Status Alter(const TableSchema& schema, uint64_t version) override {
    return tables_->AlterTable(schema, version);
  }
  Status Close() override { return tables_->Close(); }

 private:
  const std::unique_ptr<HostedTables> tables_;
};

class DirectoryStore final : public LadderStore {
 public:
  explicit DirectoryStore(std::unique_ptr<cluster::Client> client) : client_(std::move(client)) {}
  static StatusOr<std::unique_ptr<LadderStore>> Open(const StoreOptions& options) {
    ASSIGN_OR_RETURN(std::unique_ptr<cluster::Client> client,
                     cluster::OpenEmbedded(kDirectory, options));
    return std::unique_ptr<LadderStore>(new DirectoryStore(std::move(client)));
  }

  Status Create(const TableSchema& schema, const std::vector<std::string>& keys) override {
    return client_->admin()->Do(cluster::calls::CreateTable{schema, keys});
  }
  Status Apply(const RowMutation& mutation) override {
    return client_->data()->Apply(kTable, mutation);
  }
  StatusOr<std::vector<Cell>> Read(const ReadSpec& read) override {
    std::vector<Cell> cells;
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> stream, client_->data()->Read(kTable, read, {}));
    RETURN_IF_ERROR(AddCells(stream.get(), &cells));
    return cells;
  }
  Status Flush() override { return client_->admin()->Do(cluster::calls::Flush{kTable}); }
  Status CompactMajor(const std::string& group) override {
    return client_->admin()->Do(cluster::calls::Compact{kTable, group});
  }
  Status CompactSmall() override { return OkStatus(); }  // the server compacts by itself
  StatusOr<Schema> GetSchema() override {
    ASSIGN_OR_RETURN(cluster::TableInfo table,
                     client_->admin()->Do(cluster::calls::GetTable{kTable}));
    return Schema{table.schema, table.schema_version};
  }
  Status Alter(const TableSchema& schema, uint64_t version) override {
    return client_->admin()->Do(cluster::calls::AlterTable{schema, version});
  }
  Status Close() override { return client_->Close(); }

 private:
  const std::unique_ptr<cluster::Client> client_;
};

}  // namespace

StatusOr<std::unique_ptr<LadderStore>> LadderStore::Open(Kind kind, FileSystem* fs, Clock* clock) {
  StoreOptions options = OptionsOf(fs, clock);
  return kind == Kind::kHost ? HostStore::Open(options) : DirectoryStore::Open(options);
}

}  // namespace sippar::engine
