// Calls to a joined store. SPDX-License-Identifier: Apache-2.0
#include "cluster/node/joined_calls.h"

#include <unistd.h>

#include <type_traits>
#include <utility>

#include "engine/base/random.h"

namespace sippar::cluster {
namespace {

constexpr int kTriesMax = 3;
constexpr const char* kNoAnswer =
    "the server left without an answer (a change may have been made); reaching the store again";

const Status& StatusOf(const Status& status) { return status; }
template <typename Value>
const Status& StatusOf(const StatusOr<Value>& answer) {
  return answer.status();
}

// Calls that are safe to repeat. `has_begun`: it gave its caller something, so it cannot begin
// again.
template <typename Call>
auto Repeatedly(JoinedStore* joined, const Call& call, const bool& has_begun = false)
    -> std::invoke_result_t<Call, std::shared_ptr<Client>> {
  for (int tries = 1;; ++tries) {
    StatusOr<JoinedStore::Reached> store = joined->Get();
    if (!store.ok()) {
      return tries == 1 ? store.status() : Annotate(store.status(), kNoAnswer);
    }
    auto answer = call(store->client);
    bool is_final = StatusOf(answer).code() != StatusCode::kUnavailable || !store->is_lost();
    if (is_final || has_begun || tries == kTriesMax) return answer;
  }
}

template <typename Call>
auto Once(JoinedStore* joined, const Call& call)
    -> std::invoke_result_t<Call, std::shared_ptr<Client>> {
  ASSIGN_OR_RETURN(JoinedStore::Reached store, joined->GetForChange());
  return call(store.client);
}

// `call` with what the store has for backups.
template <typename Call>
auto OnBackups(const Call& call) {
  return [&call](const std::shared_ptr<Client>& store) -> std::invoke_result_t<Call, BackupApi*> {
    BackupApi* backups = store->admin()->backups();
    if (backups == nullptr) return Unimplemented("the store's server keeps no backups");
    return call(backups);
  };
}

// Never that of another client, nor an epoch of a lock service (those are small).
uint64_t NewClientId(engine::Clock* clock) {
  engine::Random wall(static_cast<uint64_t>(clock->NowMicros()));
  engine::Random process(static_cast<uint64_t>(clock->MonotonicNanos()) ^
                         (static_cast<uint64_t>(::getpid()) << 40));
  return (wall.Next() ^ process.Next()) | (uint64_t{1} << 63);
}

// A store that this process has open is not closed below a stream.
class HeldCells final : public CellStream {
 public:
  HeldCells(std::shared_ptr<Client> store, std::unique_ptr<CellStream> cells)
      : store_(std::move(store)), cells_(std::move(cells)) {}
  bool Valid() const override { return cells_->Valid(); }
  const engine::CellView& cell() const override { return cells_->cell(); }
  void Next() override { cells_->Next(); }
  void NextRow() override { cells_->NextRow(); }
  Status status() const override { return cells_->status(); }

 private:
  const std::shared_ptr<Client> store_;  // after the cells
  const std::unique_ptr<CellStream> cells_;
};

class HeldChanges final : public ChangeStream {
 public:
  HeldChanges(std::shared_ptr<Client> store, std::unique_ptr<ChangeStream> changes)
      : store_(std::move(store)), changes_(std::move(changes)) {}
  StatusOr<ChangeBatch> Next(int64_t wait_us) override { return changes_->Next(wait_us); }

 private:
  const std::shared_ptr<Client> store_;
  const std::unique_ptr<ChangeStream> changes_;
};

template <typename Held, typename Stream>
StatusOr<std::unique_ptr<Stream>> Hold(std::shared_ptr<Client> store,
                                       StatusOr<std::unique_ptr<Stream>> stream) {
  RETURN_IF_ERROR(stream.status());
  return std::unique_ptr<Stream>(new Held(std::move(store), *std::move(stream)));
}

class WatchedSink final : public engine::ProgramSink {
 public:
  explicit WatchedSink(engine::ProgramSink* sink) : sink_(sink) {}
  bool Emit(engine::ProgramBatch batch) override {
    has_begun_ = true;
    return sink_->Emit(std::move(batch));
  }
  const bool& has_begun() const { return has_begun_; }

 private:
  engine::ProgramSink* const sink_;
  bool has_begun_ = false;
};

}  // namespace

JoinedData::JoinedData(JoinedStore* store, engine::Clock* clock)
    : store_(store), numbers_(NewClientId(clock)) {}

Status JoinedData::Apply(const std::string& table, const RowMutation& mutation) {
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  if (numbered.request.IsNone()) numbered.request = request.id();
  return Repeatedly(store_,
                    [&](const auto& store) { return store->data()->Apply(table, numbered); });
}

std::optional<uint64_t> JoinedData::LaneOf(const std::string& table, std::string_view row) {
  auto store = store_->Get();
  return store.ok() ? store->client->data()->LaneOf(table, row) : std::nullopt;
}

std::vector<Status> JoinedData::ApplyBatch(const std::string& table,
                                           const std::vector<RowMutation>& batch) {
  std::vector<std::unique_ptr<NumberedRequest>> requests;
  std::vector<RowMutation> numbered = batch;
  for (RowMutation& mutation : numbered) {
    requests.push_back(std::make_unique<NumberedRequest>(&numbers_));
    if (mutation.request.IsNone()) mutation.request = requests.back()->id();
  }
  std::vector<Status> statuses;
  Status reached = Repeatedly(store_, [&](const auto& store) -> Status {
    statuses = store->data()->ApplyBatch(table, numbered);
    for (const Status& status : statuses) {
      if (status.code() == StatusCode::kUnavailable) return status;
    }
    return OkStatus();
  });
  // Empty only when no try reached the store.
  if (statuses.empty()) statuses.assign(batch.size(), reached);
  return statuses;
}

StatusOr<std::unique_ptr<CellStream>> JoinedData::Read(const std::string& table,
                                                       const ReadSpec& read,
                                                       const CallOptions& options) {
  return Repeatedly(store_, [&](const auto& store) {
    return Hold<HeldCells>(store, store->data()->Read(table, read, options));
  });
}

Status JoinedData::Run(const std::string& table, const RowRange& tablet_range,
                       const engine::Program& program, const CallOptions& options,
                       engine::ProgramSink* sink) {
  WatchedSink watched(sink);
  auto run = [&](const auto& store) {
    return store->data()->Run(table, tablet_range, program, options, &watched);
  };
  return Repeatedly(store_, run, watched.has_begun());
}

StatusOr<engine::RowUpdateResult> JoinedData::Update(const std::string& table,
                                                     const engine::RowUpdate& update) {
  NumberedRequest request(&numbers_);
  engine::RowUpdate numbered = update;
  numbered.request = request.id();
  return Repeatedly(store_,
                    [&](const auto& store) { return store->data()->Update(table, numbered); });
}

Status JoinedData::CommitRow(const std::string& table, const RowMutation& mutation,
                             const std::vector<ReadCheck>& checks) {
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->CommitRow(table, numbered, checks); });
}

StatusOr<std::vector<TabletInfo>> JoinedData::Tablets(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->data()->Tablets(table); });
}

StatusOr<std::vector<RowRange>> JoinedData::TabletRanges(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->data()->TabletRanges(table); });
}

StatusOr<std::unique_ptr<ChangeStream>> JoinedData::ReadChanges(const std::string& table,
                                                                const ChangesRequest& wanted,
                                                                const CallOptions& options) {
  return Repeatedly(store_, [&](const auto& store) {
    return Hold<HeldChanges>(store, store->data()->ReadChanges(table, wanted, options));
  });
}

Status JoinedAdmin::CreateTable(const TableSchema& schema,
                                const std::vector<std::string>& split_keys) {
  return Once(store_,
              [&](const auto& store) { return store->admin()->CreateTable(schema, split_keys); });
}

Status JoinedAdmin::AlterTable(const TableSchema& schema, uint64_t expected_version) {
  return Once(store_, [&](const auto& store) {
    return store->admin()->AlterTable(schema, expected_version);
  });
}

Status JoinedAdmin::DropTable(const std::string& table) {
  return Once(store_, [&](const auto& store) { return store->admin()->DropTable(table); });
}

StatusOr<TableInfo> JoinedAdmin::GetTable(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->GetTable(table); });
}

StatusOr<std::shared_ptr<const TableSchema>> JoinedAdmin::GetSchema(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->GetSchema(table); });
}

StatusOr<std::vector<TableInfo>> JoinedAdmin::ListTables() {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->ListTables(); });
}

Status JoinedAdmin::Flush(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->Flush(table); });
}

Status JoinedAdmin::Compact(const std::string& table, const std::string& group) {
  return Repeatedly(store_,
                    [&](const auto& store) { return store->admin()->Compact(table, group); });
}

Status JoinedAdmin::Split(const std::string& table, const std::string& row) {
  return Once(store_, [&](const auto& store) { return store->admin()->Split(table, row); });
}

Status JoinedAdmin::Merge(const std::string& table, const engine::RowRange& rows) {
  return Once(store_, [&](const auto& store) { return store->admin()->Merge(table, rows); });
}

Status JoinedAdmin::Verify(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->Verify(table); });
}

StatusOr<std::vector<GroupStats>> JoinedAdmin::Stats(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->Stats(table); });
}

std::map<std::string, uint64_t> JoinedAdmin::Metrics() {
  auto store = store_->GetAlive();
  if (!store.ok()) return {};
  return store->client->admin()->Metrics();
}

std::vector<CompactionInfo> JoinedAdmin::Compactions() {
  auto store = store_->GetAlive();
  if (!store.ok()) return {};
  return store->client->admin()->Compactions();
}

StatusOr<std::vector<HotTablet>> JoinedAdmin::HotTablets(int64_t start_us, int64_t end_us) {
  return Repeatedly(
      store_, [&](const auto& store) { return store->admin()->HotTablets(start_us, end_us); });
}

StatusOr<NamedRecord> JoinedAdmin::GetRecord(const std::string& name) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->GetRecord(name); });
}

StatusOr<std::vector<NamedRecord>> JoinedAdmin::ListRecords(const std::string& prefix) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->ListRecords(prefix); });
}

Status JoinedAdmin::PutRecord(const std::string& name, const std::string& body, uint64_t version) {
  return Once(store_,
              [&](const auto& store) { return store->admin()->PutRecord(name, body, version); });
}

Status JoinedAdmin::DeleteRecord(const std::string& name, uint64_t version) {
  return Once(store_,
              [&](const auto& store) { return store->admin()->DeleteRecord(name, version); });
}

StatusOr<std::string> JoinedAdmin::DumpTablets(const std::string& table) {
  return Repeatedly(store_, [&](const auto& store) { return store->admin()->DumpTablets(table); });
}

StatusOr<BackupInfo> JoinedBackups::CreateBackup(const std::string& name, const std::string& table,
                                                 int64_t expires_us) {
  return Once(store_, OnBackups([&](BackupApi* backups) {
                return backups->CreateBackup(name, table, expires_us);
              }));
}

StatusOr<BackupInfo> JoinedBackups::CopyBackup(const std::string& source, const std::string& name,
                                               int64_t expires_us) {
  return Once(store_, OnBackups([&](BackupApi* backups) {
                return backups->CopyBackup(source, name, expires_us);
              }));
}

StatusOr<BackupInfo> JoinedBackups::GetBackup(const std::string& name) {
  return Repeatedly(store_,
                    OnBackups([&](BackupApi* backups) { return backups->GetBackup(name); }));
}

StatusOr<std::vector<BackupInfo>> JoinedBackups::ListBackups() {
  return Repeatedly(store_, OnBackups([](BackupApi* backups) { return backups->ListBackups(); }));
}

StatusOr<BackupInfo> JoinedBackups::SetBackupExpiry(const std::string& name, int64_t expires_us) {
  return Repeatedly(store_, OnBackups([&](BackupApi* backups) {
                      return backups->SetBackupExpiry(name, expires_us);
                    }));
}

Status JoinedBackups::DeleteBackup(const std::string& name) {
  return Once(store_, OnBackups([&](BackupApi* backups) { return backups->DeleteBackup(name); }));
}

Status JoinedBackups::RestoreTable(const std::string& name, const std::string& table) {
  return Once(store_,
              OnBackups([&](BackupApi* backups) { return backups->RestoreTable(name, table); }));
}

Status JoinedBackups::DropTable(const std::string& table, int64_t keep_us) {
  return Once(store_,
              OnBackups([&](BackupApi* backups) { return backups->DropTable(table, keep_us); }));
}

Status JoinedBackups::UndeleteTable(const std::string& table) {
  return Once(store_, OnBackups([&](BackupApi* backups) { return backups->UndeleteTable(table); }));
}

}  // namespace sippar::cluster
