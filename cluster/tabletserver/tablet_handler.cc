// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/tablet_handler.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/tabletserver/table_stream.h"
#include "cluster/tabletserver/tablet_changes.h"
#include "engine/base/call_notes.h"
#include "engine/base/tablet_scope.h"

namespace sippar::cluster {
namespace {

// What a stream needs until its end: the tablet, and the server that it belongs to.
struct Held {
  std::shared_ptr<void> life;
  std::shared_ptr<engine::Tablet> tablet;
};

void Note(const Served& served, std::string_view first_row) {
  if (auto* notes = engine::CurrentCallNotes()) notes->About(served.table_name, first_row);
}

}  // namespace

// Checks the lease also before a write begins: a write that finds out only after its sync that the
// lease is lost (TabletServer::CheckFence) ends the process.
StatusOr<std::shared_ptr<Served>> TabletHandler::Find(const TabletAddress& tablet) const {
  RETURN_IF_ERROR(parts_->check_serving());
  return parts_->served->Find(tablet);
}

StatusOr<std::shared_ptr<Served>> TabletHandler::FindForWrite(const TabletAddress& tablet,
                                                              size_t rows,
                                                              const std::string& first_row) const {
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(tablet));
  Note(*served, first_row);
  served->writes.fetch_add(rows, std::memory_order_relaxed);
  served->sample.Add(rows, first_row);
  // Writes to METADATA do not wait for flushes: a flush ends with a write to METADATA, so the two
  // could wait for each other.
  if (served->table_id != kMetadataTableId) RETURN_IF_ERROR(parts_->host->Admit(rows));
  return served;
}

StatusOr<std::shared_ptr<Served>> TabletHandler::FindForRead(const TabletAddress& tablet,
                                                             const std::string& first_row) const {
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(tablet));
  Note(*served, first_row);
  served->reads.fetch_add(1, std::memory_order_relaxed);
  served->sample.Add(1, first_row);
  return served;
}

// Checks a read after its snapshot. OK means that no other server had begun to serve the tablet
// when the snapshot was taken.
Status TabletHandler::CheckAnswer(const Served& served) const {
  RETURN_IF_ERROR(parts_->check_serving());
  if (served.open) return OkStatus();
  return NotServed(
      fmt::format("the server that was asked no longer serves tablet {}", served.tablet->id()));
}

// Logs and SSTables are removed because METADATA says that they are not needed. So METADATA must
// not lose a write, even if the store runs without syncs.
Status TabletHandler::MakeDurable(const Served& served) const {
  return served.table_id == kMetadataTableId ? parts_->host->MakeDurable() : OkStatus();
}

StatusOr<std::vector<Status>> TabletHandler::Perform(const calls::ApplyRows<TabletAddress>& asked) {
  if (asked.batch.size() == 0) return std::vector<Status>();
  const engine::TabletScope scope(asked.to.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served,
                   FindForWrite(asked.to, asked.batch.size(), asked.batch[0].row));
  std::vector<Status> answers = served->tablet->Apply(asked.batch.values());
  RETURN_IF_ERROR(MakeDurable(*served));
  return answers;
}

StatusOr<TabletHandler::Updates::Reply> TabletHandler::Perform(const Updates& asked) {
  if (asked.batch.size() == 0) return Updates::Reply();
  const engine::TabletScope scope(asked.to.tablet_id);
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served,
                   FindForWrite(asked.to, asked.batch.size(), asked.batch[0].row));
  Updates::Reply answers = served->tablet->writer().UpdateBatch(asked.batch.values());
  // An update that changed its row was checked against the lease after its sync
  // (TabletServer::CheckFence). An update that changed nothing is only a read, so it is checked
  // here.
  auto wrote = [](const StatusOr<engine::RowUpdateResult>& answer) {
    return answer.ok() &&
           (answer->cells_set > 0 || answer->columns_deleted > 0 || answer->row_deleted);
  };
  if (std::any_of(answers.begin(), answers.end(), wrote)) RETURN_IF_ERROR(MakeDurable(*served));
  Status here = CheckAnswer(*served);
  for (auto& answer : answers) {
    if (answer.ok() && !wrote(answer) && !here.ok()) answer = here;
  }
  return answers;
}

Status TabletHandler::Perform(const calls::CommitRow<TabletAddress>& asked) {
  const engine::TabletScope scope(asked.to.tablet_id);
  const RowMutation& mutation = *asked.mutation;
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, FindForWrite(asked.to, 1, mutation.row));
  std::vector<engine::RowCheck> row_checks;
  for (const ReadCheck& check : *asked.checks) row_checks.push_back({check.read, check.digest});
  Status status = served->tablet->CommitRow(mutation, row_checks);
  // kAborted ("the row has changed"), and OK for a mutation without entries, only tell the caller
  // what was read, so they are checked like the answers of reads.
  if (status.code() == StatusCode::kAborted || mutation.entries.empty()) {
    RETURN_IF_ERROR(CheckAnswer(*served));
  }
  if (status.ok()) RETURN_IF_ERROR(MakeDurable(*served));
  return status;
}

StatusOr<std::shared_ptr<engine::Tablet>> TabletHandler::Hold(const Served& served) const {
  auto held = std::make_shared<Held>(Held{parts_->life.lock(), served.tablet});
  if (held->life == nullptr)
    return Unavailable(fmt::format("server {} has ended", parts_->id.ToString()));
  return std::shared_ptr<engine::Tablet>(held, held->tablet.get());
}

StatusOr<std::unique_ptr<CellStream>> TabletHandler::Open(const TabletAddress& tablet,
                                                          const ReadSpec& read,
                                                          engine::ReadForm form,
                                                          const CallOptions& options) const {
  const std::vector<engine::RowRange>& ranges = read.rows.ranges();
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served,
                   FindForRead(tablet, ranges.empty() ? std::string() : ranges.front().start));
  ASSIGN_OR_RETURN(std::shared_ptr<engine::Tablet> held, Hold(*served));
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                   NewTableStream({std::move(held)}, read, options, parts_->store.clock, form));
  RETURN_IF_ERROR(CheckAnswer(*served));
  return cells;
}

StatusOr<std::unique_ptr<CellStream>> TabletHandler::Read(const TabletAddress& tablet,
                                                          const ReadSpec& read,
                                                          const CallOptions& options) {
  return Open(tablet, read, engine::ReadForm::kCells, options);
}

Status TabletHandler::Run(const TabletAddress& tablet, const engine::Program& program,
                          const CallOptions& options, engine::ProgramSink* sink) {
  const engine::TabletScope scope(tablet.tablet_id);
  ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                   Open(tablet, program.read, program.ReadsAs(), options));
  engine::RunLimits limits;
  limits.cancel = options.cancel.get();
  limits.clock = parts_->store.clock;
  if (options.timeout_us > 0) {
    limits.deadline_nanos = limits.clock->MonotonicNanos() + options.timeout_us * 1000;
  }
  return engine::RunProgram(program, cells.get(), limits, sink);
}

StatusOr<std::unique_ptr<ChangeStream>> TabletHandler::ReadChanges(const TabletAddress& tablet,
                                                                   const ChangesRequest& request,
                                                                   const CallOptions& options) {
  ASSIGN_OR_RETURN(std::shared_ptr<Served> served, Find(tablet));
  served->reads.fetch_add(1, std::memory_order_relaxed);
  ASSIGN_OR_RETURN(std::shared_ptr<engine::Tablet> held, Hold(*served));
  auto is_here = [this, served] { return CheckAnswer(*served).ok(); };
  return NewTabletChanges(std::move(held), std::move(is_here), parts_->store.clock, request,
                          options.cancel);
}

}  // namespace sippar::cluster
