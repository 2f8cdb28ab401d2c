// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/joined_calls.h"

#include <unistd.h>

#include <type_traits>
#include <utility>

#include "cluster/node/joined_streams.h"
#include "cluster/wire/call_failure.h"
#include "engine/base/random.h"

namespace sippar::cluster {
namespace {

constexpr const char* kNoAnswer = "the server left without an answer; reaching the store again";
constexpr const char* kPerhapsDone =
    "the server left without an answer, so whether the change was made is not known; reaching the "
    "store again";

const Status& StatusOf(const Status& status) { return status; }
template <typename Value>
const Status& StatusOf(const StatusOr<Value>& answer) {
  return answer.status();
}

// Makes a call that is safe to repeat: a read, or a write with a request id.
template <typename Call>
auto Repeatedly(JoinedStore* joined, const Call& call, Effect effect = Effect::kNone)
    -> std::invoke_result_t<Call, std::shared_ptr<Client>> {
  CallCourse course(joined->settings(), {});
  for (bool is_first = true;; is_first = false) {
    StatusOr<JoinedStore::Reached> store = joined->Get();
    if (!store.ok()) {
      if (is_first) return store.status();
      return Annotate(store.status(), effect == Effect::kNone ? kNoAnswer : kPerhapsDone);
    }
    auto answer = call(store->client);
    if (!IsBroken(StatusOf(answer), *store)) return answer;
    RETURN_IF_ERROR(course.AfterFailure(StatusOf(answer), Repeat::kSafe));
  }
}

// Makes a call that is repeated only if it was certainly not begun.
template <typename Call>
auto Once(JoinedStore* joined, const Call& call)
    -> std::invoke_result_t<Call, std::shared_ptr<Client>> {
  CallCourse course(joined->settings(), {});
  for (;;) {
    ASSIGN_OR_RETURN(JoinedStore::Reached store, joined->GetForChange());
    auto answer = call(store.client);
    if (!IsMarked(kNotBegun, StatusOf(answer))) return answer;
    RETURN_IF_ERROR(course.AfterFailure(StatusOf(answer), Repeat::kSafe));
  }
}

// Adapts `call` to the BackupApi of the store.
template <typename Call>
auto OnBackups(const Call& call) {
  return [&call](const std::shared_ptr<Client>& store) -> std::invoke_result_t<Call, BackupApi*> {
    BackupApi* backups = store->admin()->backups();
    if (backups == nullptr) return Unimplemented("the store's server keeps no backups");
    return call(backups);
  };
}

// A client id that no other client has. The top bit keeps it apart from epochs of a lock service,
// which are small and serve as client ids, too.
uint64_t NewClientId(engine::Clock* clock) {
  engine::Random wall(static_cast<uint64_t>(clock->NowMicros()));
  engine::Random process(static_cast<uint64_t>(clock->MonotonicNanos()) ^
                         (static_cast<uint64_t>(::getpid()) << 40));
  return (wall.Next() ^ process.Next()) | (uint64_t{1} << 63);
}

}  // namespace

JoinedData::JoinedData(JoinedStore* store, engine::Clock* clock)
    : store_(store), numbers_(NewClientId(clock)) {}

Status JoinedData::Apply(const std::string& table, const RowMutation& mutation) {
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  // An id that the caller has set, such as an idempotency token, is kept.
  if (numbered.request.IsNone()) numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->Apply(table, numbered); },
      Effect::kUnknown);
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
  auto apply = [&](const auto& store) -> Status {
    statuses = store->data()->ApplyBatch(table, numbered);
    // The batch is repeated as a whole. The store recognises what it has done by the request ids.
    for (const Status& status : statuses) {
      if (status.code() == StatusCode::kUnavailable) return status;
    }
    return OkStatus();
  };
  Status reached = Repeatedly(store_, apply, Effect::kUnknown);
  // Stays empty only if no try reached the store.
  if (statuses.empty()) statuses.assign(batch.size(), reached);
  return statuses;
}

StatusOr<std::unique_ptr<CellStream>> JoinedData::Read(const std::string& table,
                                                       const ReadSpec& read,
                                                       const CallOptions& options) {
  return ReadJoined(store_, table, read, options);
}

Status JoinedData::Run(const std::string& table, const RowRange& tablet_range,
                       const engine::Program& program, const CallOptions& options,
                       engine::ProgramSink* sink) {
  return RunJoined(store_, table, tablet_range, program, options, sink);
}

StatusOr<engine::RowUpdateResult> JoinedData::Update(const std::string& table,
                                                     const engine::RowUpdate& update) {
  NumberedRequest request(&numbers_);
  engine::RowUpdate numbered = update;
  numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->Update(table, numbered); },
      Effect::kUnknown);
}

Status JoinedData::CommitRow(const std::string& table, const RowMutation& mutation,
                             const std::vector<ReadCheck>& checks) {
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  numbered.request = request.id();
  return Repeatedly(
      store_, [&](const auto& store) { return store->data()->CommitRow(table, numbered, checks); },
      Effect::kUnknown);
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
  return ReadJoinedChanges(store_, table, wanted, options);
}

// Changes of tables carry no request ids, so they are made only once, on a server that has just
// answered.
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

// Flush, Compact and Verify change no content: at worst their work is done twice.
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

// Sets an absolute time, so a repetition changes nothing.
StatusOr<BackupInfo> JoinedBackups::SetBackupExpiry(const std::string& name, int64_t expires_us) {
  return Repeatedly(store_, OnBackups([&](BackupApi* backups) {
                      return backups->SetBackupExpiry(name, expires_us);
                    }),
                    Effect::kUnknown);
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
