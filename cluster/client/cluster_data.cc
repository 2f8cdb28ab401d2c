// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/cluster_data.h"

#include <utility>

#include "cluster/client/batch_course.h"
#include "cluster/client/change_course.h"
#include "cluster/client/program_course.h"
#include "cluster/client/scan_stream.h"
#include "cluster/location/meta_row.h"
#include "cluster/location/metadata_table.h"

namespace sippar::cluster {

ClusterData::ClusterData(const ClusterDataOptions& options, uint64_t client_id)
    : transport_(options.transport),
      parallel_calls_(options.parallel_calls),
      caller_({options.transport, [session = options.session] { return ReadRootRecord(session); }},
              options.session, {options.clock, options.retry, options.timeout_us, options.cancel}),
      numbers_(client_id) {}

StatusOr<std::unique_ptr<ClusterData>> ClusterData::Open(const ClusterDataOptions& options) {
  uint64_t client_id = 0;
  if (options.transport->LosesAnswers()) {
    ASSIGN_OR_RETURN(client_id, options.session->NextEpoch());
  }
  return std::unique_ptr<ClusterData>(new ClusterData(options, client_id));
}

Status ClusterData::Apply(const std::string& table, const RowMutation& mutation) {
  // In one process every call is answered, so no write must be retried without knowing its outcome,
  // and none needs a request id, which costs space in the log and in the tablet's state.
  if (!caller_.loses_answers()) {
    return caller_.OnTablet<Status>(
        table, mutation.row, Repeat::kUnsafe, [&](const TabletLocation& tablet) {
          return std::move(tablet.service->Apply(tablet.address, {&mutation}).front());
        });
  }
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  // A remote client that writes through this process has already given the write its own id.
  if (numbered.request.IsNone()) numbered.request = request.id();
  return caller_.OnTablet<Status>(
      table, mutation.row, Repeat::kSafe,
      [&](const TabletLocation& tablet) { return gatherer_.Apply(tablet, numbered); });
}

std::optional<uint64_t> ClusterData::LaneOf(const std::string& table, std::string_view row) {
  LocationPtr known = caller_.FindKnown(table, row);
  return known == nullptr ? std::nullopt : std::optional(known->address.tablet_id);
}

std::vector<Status> ClusterData::ApplyBatch(const std::string& table,
                                            const std::vector<RowMutation>& batch) {
  std::vector<const RowMutation*> pointers;
  pointers.reserve(batch.size());
  if (!caller_.loses_answers()) {
    for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
    return ApplyInGroups(&caller_, table, pointers, Repeat::kUnsafe, 1);
  }
  std::vector<std::unique_ptr<NumberedRequest>> requests;
  std::vector<RowMutation> numbered = batch;
  for (RowMutation& mutation : numbered) {
    requests.push_back(std::make_unique<NumberedRequest>(&numbers_));
    if (mutation.request.IsNone()) mutation.request = requests.back()->id();
    pointers.push_back(&mutation);
  }
  return ApplyInGroups(&caller_, table, pointers, Repeat::kSafe, parallel_calls_);
}

StatusOr<engine::RowUpdateResult> ClusterData::Update(const std::string& table,
                                                      const engine::RowUpdate& update) {
  using Answer = StatusOr<engine::RowUpdateResult>;
  auto on_tablet = [&](const engine::RowUpdate& sent, Repeat repeat) {
    return caller_.OnTablet<Answer>(table, sent.row, repeat, [&](const TabletLocation& tablet) {
      return tablet.service->Update(tablet.address, sent);
    });
  };
  if (!caller_.loses_answers()) return on_tablet(update, Repeat::kUnsafe);
  NumberedRequest request(&numbers_);
  engine::RowUpdate numbered = update;
  numbered.request = request.id();
  return on_tablet(numbered, Repeat::kSafe);
}

// The updates that belong to the tablet of the first row go there in one call, which shares one
// sync of the log. Each other update, and each that the tablet refused because it has moved, takes
// a call of its own: batches from the API mostly concern one tablet.
std::vector<StatusOr<engine::RowUpdateResult>> ClusterData::UpdateBatch(
    const std::string& table, const std::vector<engine::RowUpdate>& batch) {
  if (caller_.loses_answers() || batch.size() <= 1) return DataApi::UpdateBatch(table, batch);
  using Answer = StatusOr<engine::RowUpdateResult>;
  LocationPtr tablet = caller_.FindKnown(table, batch.front().row);
  std::vector<Answer> answers(batch.size(), NotServed("not sent to a tablet yet"));
  std::vector<const engine::RowUpdate*> part;
  std::vector<size_t> positions;
  for (size_t i = 0; i < batch.size() && tablet != nullptr; ++i) {
    if (!tablet->range.Contains(batch[i].row)) continue;
    part.push_back(&batch[i]);
    positions.push_back(i);
  }
  if (!part.empty()) {
    std::vector<Answer> given = tablet->service->UpdateBatch(tablet->address, part);
    for (size_t i = 0; i < part.size(); ++i) answers[positions[i]] = std::move(given[i]);
  }
  bool has_left = false;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!HasCause(answers[i].status(), Cause::kNotServed)) continue;
    if (tablet != nullptr && !std::exchange(has_left, true)) caller_.Invalidate(*tablet);
    answers[i] = Update(table, batch[i]);
  }
  return answers;
}

Status ClusterData::CommitRow(const std::string& table, const RowMutation& mutation,
                              const std::vector<ReadCheck>& checks) {
  auto on_tablet = [&](const RowMutation& sent, Repeat repeat) {
    return caller_.OnTablet<Status>(table, sent.row, repeat, [&](const TabletLocation& tablet) {
      return tablet.service->CommitRow(tablet.address, sent, checks);
    });
  };
  if (!caller_.loses_answers()) return on_tablet(mutation, Repeat::kUnsafe);
  NumberedRequest request(&numbers_);
  RowMutation numbered = mutation;
  numbered.request = request.id();
  return on_tablet(numbered, Repeat::kSafe);
}

StatusOr<std::unique_ptr<CellStream>> ClusterData::Read(const std::string& table,
                                                        const ReadSpec& read,
                                                        const CallOptions& options) {
  using Answer = StatusOr<std::unique_ptr<CellStream>>;
  const std::vector<RowRange>& ranges = read.rows.ranges();
  if (caller_.loses_answers() || ranges.size() != 1) {
    return NewScanStream(&caller_, table, read, options);
  }
  // In one process no stream breaks off because of a network or a move: an open stream keeps its
  // snapshot. So a read within one tablet needs no ScanStream around it.
  bool one_tablet = true;
  Answer answer = caller_.OnTablet<Answer>(
      table, ranges[0].start, Repeat::kSafe, [&](const TabletLocation& tablet) -> Answer {
        const std::string& limit = tablet.range.limit;
        one_tablet = limit.empty() || (!ranges[0].limit.empty() && ranges[0].limit <= limit);
        if (!one_tablet) return std::unique_ptr<CellStream>();
        return tablet.service->Read(tablet.address, read, options);
      });
  return one_tablet ? std::move(answer) : NewScanStream(&caller_, table, read, options);
}

Status ClusterData::Run(const std::string& table, const RowRange& tablet_range,
                        const engine::Program& program, const CallOptions& options,
                        engine::ProgramSink* sink) {
  return RunOnRange(&caller_, table, tablet_range, program, options, sink);
}

StatusOr<std::unique_ptr<ChangeStream>> ClusterData::ReadChanges(const std::string& table,
                                                                 const ChangesRequest& request,
                                                                 const CallOptions& options) {
  ChangeSources sources;
  sources.open = [=, this](const ChangesRequest& wanted, RowRange* rows) {
    return caller_.OnTablet<StatusOr<std::unique_ptr<ChangeStream>>>(
        table, wanted.partition.start, Repeat::kSafe, [&](const TabletLocation& tablet) {
          *rows = tablet.range;
          return tablet.service->ReadChanges(tablet.address, wanted, options);
        });
  };
  sources.ranges = [=, this] { return TabletRanges(table); };
  return NewChangeCourse(std::move(sources), request);
}

StatusOr<std::vector<RowRange>> ClusterData::TabletRanges(const std::string& table) {
  std::vector<RowRange> ranges;
  std::string row;
  do {
    RowRange range;
    RETURN_IF_ERROR(
        caller_.OnTablet<Status>(table, row, Repeat::kSafe, [&](const TabletLocation& tablet) {
          range = tablet.range;
          return OkStatus();
        }));
    row = range.limit;
    ranges.push_back(std::move(range));
  } while (!row.empty());
  // The look-ups happened at different moments, between which a tablet may have split or merged, so
  // neighbouring ranges may overlap. The next range starts where the last one ended.
  for (size_t i = 1; i < ranges.size(); ++i) ranges[i].start = ranges[i - 1].limit;
  return ranges;
}

namespace {

// Asks the tablet's server for its sizes. False: a server should serve the tablet, but does not, or
// it does not answer.
bool FillInfo(Transport* transport, const TabletRecord& record, TabletInfo* info) {
  info->tablet_id = record.tablet_id;
  info->range = record.range;
  info->server = record.server.ToString();
  info->state = PhaseName(record.phase);
  if (record.phase != TabletPhase::kAssigned) return true;
  auto stats = transport->Control(record.server)->Do(calls::TabletStats{record.tablet_id});
  info->state = stats.ok() ? "online" : "loading";
  if (!stats.ok()) return false;
  for (const GroupStats& group : *stats) {
    info->stored_bytes += group.stored_bytes;
    info->memtable_bytes += group.memtable_bytes;
    info->sstable_count += group.sstables;
  }
  return true;
}

}  // namespace

// Reads METADATA and not the cache, whose place may be that of a tablet that was split since: its
// server may still answer for it. A tablet that moves in the middle of the call is looked for once
// more.
StatusOr<std::vector<TabletInfo>> ClusterData::Tablets(const std::string& table) {
  std::vector<TabletInfo> infos;
  for (bool again : {true, false}) {
    auto records = caller_.ReadAll(table);
    if (!records.ok() && !again) break;  // the first list is an answer
    RETURN_IF_ERROR(records.status());
    infos.clear();
    bool all_there = true;
    for (const TabletRecord& record : *records) {
      if (!FillInfo(transport_, record, &infos.emplace_back())) all_there = false;
    }
    if (all_there || !again) break;
  }
  return infos;
}

}  // namespace sippar::cluster
