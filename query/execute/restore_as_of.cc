// The backup has of each tablet exactly the changes up to a sequence number, and a change stream
// continues after any such number. So each later change is applied once and in order, and the times
// of the backup and of its changes need not agree.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/restore_as_of.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/crash_point.h"
#include "engine/model/change_config.h"
#include "query/analyze/compile.h"
#include "query/execute/change_walk.h"
#include "query/execute/replay_changes.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

namespace calls = cluster::calls;

// The removal of what the statement needed runs after Ctrl-C, too, so it has a limit of its own.
constexpr int64_t kRemovalUs = 10'000'000;
constexpr int64_t kAgainUs = 100'000;
// A process that is killed leaves its backup. The backup then expires by itself.
constexpr int64_t kWorkBackupUs = int64_t{24} * 3600 * 1'000'000;

std::string Print(int64_t time_us) { return Value::Timestamp(time_us).Print(); }

class AsOf {
 public:
  AsOf(const StatementContext& context, const syntax::Restore& restore,
       const cluster::BackupInfo& backup)
      : context_(context),
        restore_(restore),
        backup_(backup),
        work_(fmt::format("unfinished-restore-{}", context.now_us)) {}

  StatusOr<uint64_t> Run() {
    ASSIGN_OR_RETURN(time_us_, CompileTime(context_, *restore_.as_of));
    RETURN_IF_ERROR(CheckTime());
    ASSIGN_OR_RETURN(changes_, context_.DoAdmin(calls::GetBackupChanges{backup_.name}));
    RETURN_IF_ERROR(CheckSource(0));
    if (context_.DoAdmin(calls::GetTable{restore_.table.text}).ok()) {
      return AlreadyExists(fmt::format("table {} already exists", restore_.table.text));
    }
    Status made = Make();
    std::string left = RemoveWork();
    if (made.ok()) {
      if (!left.empty()) context_.summary->notices.push_back(std::move(left));
      return count_;
    }
    if (left.empty()) return made;
    QueryError error = QueryErrorOf(made);
    error.hint += (error.hint.empty() ? "" : "; ") + left;
    return ToStatus(error, made.code());
  }

 private:
  Status CheckTime() const {
    const Span& span = restore_.as_of->span;
    if (time_us_ < backup_.ended_us) {
      return ErrorAt("RANGE", span,
                     fmt::format("backup {} has its table as it was at {}, and AS OF is {}",
                                 backup_.name, Print(backup_.ended_us), Print(time_us_)),
                     "AS OF adds changes to a backup; choose an earlier backup: SHOW BACKUPS");
    }
    if (time_us_ <= context_.now_us) return OkStatus();
    return ErrorAt("RANGE", span, fmt::format("AS OF {} is in the future", Print(time_us_)));
  }

  // Fails unless the source has kept all its changes since the backup, and its families are still
  // those of the backup. Retention counts with `grace_us` more.
  Status CheckSource(int64_t grace_us) const {
    const std::string& name = backup_.source_table;
    auto source = context_.DoAdmin(calls::GetTable{name});
    const bool is_gone = source.status().code() == StatusCode::kNotFound ||
                         (source.ok() && source->table_id != changes_.table_id);
    if (is_gone) {
      return ErrorAt("UNKNOWN_TABLE", restore_.as_of->span,
                     fmt::format("table {} of backup {} was dropped, and its changes with it", name,
                                 backup_.name),
                     "RESTORE without AS OF restores the backup", StatusCode::kNotFound);
    }
    RETURN_IF_ERROR(source.status());
    RETURN_IF_ERROR(CheckKept(source->schema, grace_us));
    if (source->schema.families == changes_.schema.families) return OkStatus();
    return ErrorAt(
        "SCHEMA_CHANGED", restore_.as_of->span,
        fmt::format("the families of table {} were altered after backup {}", name, backup_.name),
        "RESTORE without AS OF restores the backup", StatusCode::kFailedPrecondition);
  }

  Status CheckKept(const engine::TableSchema& source, int64_t grace_us) const {
    auto stream = engine::ChangeStreamOf(source);
    std::string problem;
    std::string remedy = "choose a newer backup (SHOW BACKUPS), or RESTORE without AS OF";
    if (!stream) {
      remedy =
          fmt::format("to use AS OF with later backups: ALTER TABLE {} SET (CHANGE_STREAM = 7d)",
                      QuoteName(source.name));
      problem = fmt::format("table {} keeps no changes, so AS OF has nothing to add to backup {}",
                            source.name, backup_.name);
    } else if (stream->since_us == 0 || stream->since_us > backup_.started_us) {
      problem =
          fmt::format("table {} keeps its changes since {}, and backup {} is from {}", source.name,
                      Print(stream->since_us), backup_.name, Print(backup_.started_us));
    } else if (backup_.started_us <
               context_.client()->clock()->NowMicros() - stream->retention_us - grace_us) {
      problem = fmt::format("table {} keeps its changes for {}, and backup {} is from {}",
                            source.name, engine::PrintDuration(stream->retention_us), backup_.name,
                            Print(backup_.started_us));
    } else {
      return OkStatus();
    }
    return ErrorAt("NO_CHANGE_STREAM", restore_.as_of->span, problem, remedy,
                   StatusCode::kFailedPrecondition);
  }

  // There is no rename of tables. So the finished table is backed up, which copies no data, and
  // restored under its name, which makes it appear as a whole.
  Status Make() {
    RETURN_IF_ERROR(context_.DoAdmin(calls::RestoreTable{backup_.name, work_}));
    RETURN_IF_ERROR(Replay());
    // While the changes were read, the source may have been altered or begun to lose them.
    RETURN_IF_ERROR(CheckSource(engine::kChangesGraceUs));
    const int64_t expires_us = context_.client()->clock()->NowMicros() + kWorkBackupUs;
    RETURN_IF_ERROR(context_.DoAdmin(calls::CreateBackup{work_, work_, expires_us}).status());
    return HintIfInterrupted(context_.DoAdmin(calls::RestoreTable{work_, restore_.table.text}),
                             std::string(kRestoreMayGoOn));
  }

  Status Replay() {
    ChangeWalk walk(
        context_, backup_.source_table, time_us_,
        [this](const cluster::Change& change, bool*) { return AddChange(change.mutation); });
    std::vector<TailPart> parts;
    for (cluster::ChangeToken& part : changes_.parts) {
      parts.push_back({std::move(part.rows), std::move(part.token), 0});
    }
    RETURN_IF_ERROR(walk.Open(parts));
    RETURN_IF_ERROR(walk.Run());
    engine::RowSet read;
    for (TailPart& part : walk.Position()) read.Add(std::move(part.rows));
    if (!read.IsAll()) return Internal("the changes of some rows were not read: " + read.Print());
    return Write();
  }

  Status AddChange(const engine::RowMutation& change) {
    ++count_;
    for (const engine::MutationEntry& entry : change.entries) {
      auto entries = ReplayOf(entry, changes_.schema);
      if (entries.status().code() == StatusCode::kFailedPrecondition) {
        return ErrorAt("UNSUPPORTED", restore_.as_of->span, MessageOf(entries.status()),
                       "RESTORE without AS OF restores the backup", StatusCode::kUnimplemented);
      }
      RETURN_IF_ERROR(entries.status());
      for (engine::MutationEntry& each : *entries) batch_.Add(change.row, std::move(each));
      if (batch_.IsFull()) RETURN_IF_ERROR(Write());
    }
    return OkStatus();
  }

  Status Write() {
    std::vector<Status> written =
        context_.client()->data()->ApplyBatch(work_, batch_.Take(), context_.CallOptions());
    for (const Status& status : written) RETURN_IF_ERROR(status);
    CRASH_POINT("restore_as_of.after_write");
    return context_.CheckStop();
  }

  // Returns how to remove what is left; "": nothing is left. A table that is still being made, by a
  // call that was given up, cannot be dropped before it is whole.
  std::string RemoveWork() const {
    cluster::CallOptions options;
    options.timeout_us = kRemovalUs;
    engine::Clock* clock = context_.client()->clock();
    const int64_t until_nanos = clock->MonotonicNanos() + kRemovalUs * 1000;
    cluster::AdminApi* admin = context_.client()->admin();
    (void)admin->Do(calls::DeleteBackup{work_}, options);  // or it expires
    Status dropped;
    for (;;) {
      dropped = admin->Do(calls::DropTable{work_}, options);
      const bool is_over = clock->MonotonicNanos() >= until_nanos;
      if (dropped.code() != StatusCode::kAborted || is_over) break;
      clock->SleepMicros(kAgainUs);
    }
    if (dropped.ok() || dropped.code() == StatusCode::kNotFound) return "";
    return fmt::format("DROP TABLE {} removes the unfinished table ({})", QuoteName(work_),
                       MessageOf(dropped));
  }

  const StatementContext& context_;
  const syntax::Restore& restore_;
  const cluster::BackupInfo& backup_;
  const std::string work_;  // name of the table, and of its backup, until it is finished
  int64_t time_us_ = 0;
  cluster::BackupChanges changes_;
  ReplayBatch batch_;
  uint64_t count_ = 0;
};

}  // namespace

StatusOr<uint64_t> RestoreAsOf(const StatementContext& context, const syntax::Restore& restore,
                               const cluster::BackupInfo& backup) {
  return AsOf(context, restore, backup).Run();
}

}  // namespace sippar::query
