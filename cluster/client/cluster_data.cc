// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/cluster_data.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cluster/client/batch_course.h"
#include "cluster/client/change_course.h"
#include "cluster/client/program_course.h"
#include "cluster/client/scan_stream.h"
#include "cluster/client/server_groups.h"
#include "cluster/client/tablet_figures.h"
#include "cluster/client/tablet_list.h"
#include "cluster/location/metadata_table.h"
#include "cluster/lock/membership.h"

namespace sippar::cluster {
namespace {

// Changes the answers of servers that hold their locks and could not be reached: they are silent.
// If the lock service does not answer, the answers stay as they are.
void TellSilent(LockSession* session, const std::vector<TabletAt>& tablets,
                std::vector<TabletFigures>* answers) {
  const auto is_unreached = [](const TabletFigures& answer) {
    return answer.status().code() == StatusCode::kUnavailable;
  };
  if (std::none_of(answers->begin(), answers->end(), is_unreached)) return;
  const StatusOr<std::set<ServerId>> lives = LivesWithLocks(session);
  if (!lives.ok()) return;
  for (size_t i = 0; i < tablets.size(); ++i) {
    TabletFigures& answer = (*answers)[i];
    if (!is_unreached(answer) || !lives->contains(tablets[i].server)) continue;
    answer = SilentServer(tablets[i].server, answer.status());
  }
}

}  // namespace

ClusterData::ClusterData(const ClusterDataOptions& options, uint64_t client_id)
    : transport_(options.transport),
      session_(options.session),
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

// Within one process every call is answered, so no write is retried with an unknown outcome, and no
// write needs a request id, which costs space in the log and in the tablet's state. Where answers
// can be lost, each write gets an id, unless its caller, such as a client in another process, has
// already given it one.
StatusOr<std::vector<Status>> ClusterData::Perform(const calls::ApplyRows<LentTable>& asked,
                                                   const CallTime& time) {
  const bool is_certain = !caller_.loses_answers();
  if (is_certain && asked.batch.size() != 1) {
    return ApplyInGroups(&caller_, asked, Repeat::kUnsafe, 1, time);
  }
  std::vector<Status> statuses;
  if (is_certain) {
    statuses.push_back(caller_.OnTablet<Status>(
        *asked.to, asked.batch[0].row, Repeat::kUnsafe, time,
        [&](const TabletLocation& tablet, const CallOptions& now) {
          return OnlyPart(tablet.service->Do(
              calls::ApplyRows<TabletAddress>{tablet.address, asked.batch}, now));
        }));
    return statuses;
  }
  const NumberedCall numbered(&numbers_, asked);
  const LentBatch<RowMutation>& batch = numbered.call().batch;
  if (batch.size() != 1) {
    return ApplyInGroups(&caller_, numbered.call(), Repeat::kSafe, parallel_calls_, time);
  }
  statuses.push_back(
      caller_.OnTablet<Status>(*asked.to, batch[0].row, Repeat::kSafe, time,
                               [&](const TabletLocation& tablet, const CallOptions&) {
                                 return gatherer_.Apply(tablet, batch[0], time);
                               }));
  return statuses;
}

std::optional<uint64_t> ClusterData::BundleOf(const std::string& table, std::string_view row) {
  LocationPtr known = caller_.FindKnown(table, row);
  return known == nullptr ? std::nullopt : std::optional(known->address.tablet_id);
}

StatusOr<ClusterData::Updates::Reply> ClusterData::Perform(const Updates& asked,
                                                           const CallTime& time) {
  if (!caller_.loses_answers() && asked.batch.size() > 1) return UpdateTogether(asked, time);
  const auto update_each = [&](const Updates& sent, Repeat repeat) {
    Updates::Reply answers;
    answers.reserve(sent.batch.size());
    for (const engine::RowUpdate* update : sent.batch.values()) {
      answers.push_back(UpdateOne(*sent.to, *update, repeat, time));
    }
    return answers;
  };
  if (!caller_.loses_answers()) return update_each(asked, Repeat::kUnsafe);
  return update_each(NumberedCall(&numbers_, asked).call(), Repeat::kSafe);
}

ClusterData::Updates::Reply::value_type ClusterData::UpdateOne(const std::string& table,
                                                               const engine::RowUpdate& update,
                                                               Repeat repeat,
                                                               const CallTime& time) {
  const engine::RowUpdate* only = &update;
  return caller_.OnTablet<Updates::Reply::value_type>(
      table, update.row, repeat, time, [&](const TabletLocation& tablet, const CallOptions& now) {
        return OnlyPart(
            tablet.service->Do(calls::UpdateRows<TabletAddress>{tablet.address, {&only, 1}}, now));
      });
}

// The updates that belong to the tablet of the first row go there in one call, which needs only
// one sync of the log. Each other update, and each update that was refused because the tablet has
// moved, takes a call of its own: batches from the API mostly concern one tablet.
ClusterData::Updates::Reply ClusterData::UpdateTogether(const Updates& asked,
                                                        const CallTime& time) {
  const LentBatch<engine::RowUpdate>& batch = asked.batch;
  LocationPtr tablet = caller_.FindKnown(*asked.to, batch[0].row);
  Updates::Reply answers(batch.size(), NotServed("not sent to a tablet yet"));
  std::vector<const engine::RowUpdate*> part;
  std::vector<size_t> positions;
  for (size_t i = 0; i < batch.size() && tablet != nullptr; ++i) {
    if (!tablet->range.Contains(batch[i].row)) continue;
    part.push_back(&batch[i]);
    positions.push_back(i);
  }
  if (!part.empty()) {
    Updates::Reply given = PartsOf(
        tablet->service->Do(calls::UpdateRows<TabletAddress>{tablet->address, part}, time.Left()),
        part.size());
    for (size_t i = 0; i < part.size(); ++i) answers[positions[i]] = std::move(given[i]);
  }
  bool has_left = false;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!HasCause(answers[i].status(), Cause::kNotServed)) continue;
    if (tablet != nullptr && !std::exchange(has_left, true)) caller_.Invalidate(*tablet);
    answers[i] = UpdateOne(*asked.to, batch[i], Repeat::kUnsafe, time);
  }
  return answers;
}

Status ClusterData::Perform(const calls::CommitRow<LentTable>& asked, const CallTime& time) {
  if (!caller_.loses_answers()) return Commit(asked, Repeat::kUnsafe, time);
  return Commit(NumberedCall(&numbers_, asked).call(), Repeat::kSafe, time);
}

Status ClusterData::Commit(const calls::CommitRow<LentTable>& asked, Repeat repeat,
                           const CallTime& time) {
  return caller_.OnTablet<Status>(
      *asked.to, asked.mutation->row, repeat, time,
      [&](const TabletLocation& tablet, const CallOptions& now) {
        return tablet.service->Do(
            calls::CommitRow<TabletAddress>{tablet.address, asked.mutation, asked.checks}, now);
      });
}

StatusOr<std::unique_ptr<CellStream>> ClusterData::Read(const std::string& table,
                                                        const ReadSpec& read,
                                                        const CallOptions& options) {
  using Answer = StatusOr<std::unique_ptr<CellStream>>;
  const std::vector<RowRange>& ranges = read.rows.ranges();
  if (options.from_memory) {
    const LocationPtr known = caller_.loses_answers() || ranges.size() != 1 || !ranges[0].IsSingle()
                                  ? nullptr
                                  : caller_.FindKnown(table, ranges[0].start);
    if (known == nullptr) return Unavailable("row: its tablet is not known to be in this process");
    return known->service->Read(known->address, read, options);
  }
  if (caller_.loses_answers() || ranges.size() != 1) {
    return NewScanStream(&caller_, table, read, options);
  }
  // In one process no stream breaks off because of a network or a move: an open stream keeps its
  // snapshot. So a read within one tablet needs no ScanStream around it.
  bool one_tablet = true;
  const CallTime time(caller_.settings().clock, options);
  Answer answer = caller_.OnTablet<Answer>(
      table, ranges[0].start, Repeat::kSafe, time,
      [&](const TabletLocation& tablet, const CallOptions& now) -> Answer {
        const std::string& limit = tablet.range.limit;
        one_tablet = limit.empty() || (!ranges[0].limit.empty() && ranges[0].limit <= limit);
        if (!one_tablet) return std::unique_ptr<CellStream>();
        return tablet.service->Read(tablet.address, read, now);
      });
  return one_tablet ? std::move(answer) : NewScanStream(&caller_, table, read, time.Left());
}

Status ClusterData::Run(const std::string& table, const RowRange& tablet_range,
                        const engine::Program& program, const CallOptions& options,
                        engine::ProgramSink* sink) {
  return RunOnRange(&caller_, table, tablet_range, program, options, sink);
}

StatusOr<std::unique_ptr<ChangeStream>> ClusterData::ReadChanges(const std::string& table,
                                                                 const ChangesRequest& request,
                                                                 const CallOptions& options) {
  const CallTime time(caller_.settings().clock, options);
  ChangeSources sources;
  sources.open = [=, this](const ChangesRequest& wanted, RowRange* rows) {
    return caller_.OnTablet<StatusOr<std::unique_ptr<ChangeStream>>>(
        table, wanted.partition.start, Repeat::kSafe, time,
        [&](const TabletLocation& tablet, const CallOptions& now) {
          *rows = tablet.range;
          return tablet.service->ReadChanges(tablet.address, wanted, now);
        });
  };
  sources.ranges = [=, this] { return Perform(calls::TabletRanges{table}, time); };
  return NewChangeCourse(std::move(sources), request);
}

StatusOr<std::vector<RowRange>> ClusterData::Perform(const calls::TabletRanges& asked,
                                                     const CallTime& time) {
  std::vector<RowRange> ranges;
  std::string row;
  do {
    RowRange range;
    RETURN_IF_ERROR(caller_.OnTablet<Status>(asked.table, row, Repeat::kSafe, time,
                                             [&](const TabletLocation& tablet, const CallOptions&) {
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

// Reads METADATA and not the cache: the cache may have a tablet that was split since, and the
// server of that tablet may still answer for it. If a tablet moves during the call, METADATA is
// read once more, and only the tablets without figures are asked for again. A server that cannot be
// reached then, either, has ended, or it is silent. The caller's time is checked before the answers
// are used: a kDeadlineExceeded among them is then that of a silent server.
StatusOr<std::vector<TabletInfo>> ClusterData::Perform(const calls::ListTablets& asked,
                                                       const CallTime& time) {
  TabletList list;
  for (bool again : {true, false}) {
    auto records = caller_.ReadAll(asked.table, time);
    if (!again && IsMoving(records.status())) break;  // returns the first list
    RETURN_IF_ERROR(records.status());
    list.Begin(*records);
    std::vector<TabletFigures> answers = ReadFigures(transport_, list.Wanted(), time);
    RETURN_IF_ERROR(time.Check());
    if (!again) TellSilent(session_, list.Wanted(), &answers);
    RETURN_IF_ERROR(list.Add(answers));
    if (!list.has_moving()) break;
  }
  return list.Take();
}

}  // namespace sippar::cluster
