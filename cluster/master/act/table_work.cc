// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/table_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/api/member_answer.h"
#include "cluster/client/tablet_figures.h"
#include "engine/base/parallel.h"
#include "engine/base/thread.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kMoveWaitMicros = 20'000;
// The limit of attempts of a call to a tablet. With the waits between the attempts, the call still
// succeeds if no server has the tablet for up to 10 s.
constexpr int kTriesMax = 500;
// The same limit as a time: an attempt at a server that hangs takes long.
constexpr int64_t kTryingMaxUs = kTriesMax * kMoveWaitMicros;

std::vector<ServerId> ServersOf(const std::vector<TabletPlace>& places) {
  std::vector<ServerId> servers;
  servers.reserve(places.size());
  for (const TabletPlace& place : places) servers.push_back(place.server);
  return servers;
}

}  // namespace

StatusOr<TabletPlace> TableWork::Find(const std::string& table, const std::string& row) const {
  ASSIGN_OR_RETURN(std::vector<TabletPlace> found, find_(table, {RowRange::Single(row)}));
  TabletPlace place;
  for (TabletPlace& each : found) {
    if (each.range.Contains(row)) place = std::move(each);
  }
  return place;
}

Status TableWork::OnTablet(const std::string& table, const std::string& row, const CallTime& time,
                           const TabletCall& call, std::string* limit) const {
  Status status;
  std::optional<int64_t> failing_since_us;
  for (int i = 0; i < kTriesMax; ++i) {
    if (i > 0) clock_->SleepMicros(kMoveWaitMicros);
    RETURN_IF_ERROR(time.Check());
    ASSIGN_OR_RETURN(TabletPlace place, Find(table, row));
    *limit = place.range.limit;
    // A tablet that is moving is briefly served by no server.
    status = place.server.IsNone()
                 ? Unavailable(fmt::format(
                       "table {}: no server has the tablet with row '{}' at present; try again",
                       table, row))
                 : CallAt(place, call);
    if (!MayHaveMoved(status)) return status;
    const int64_t now_us = clock_->MonotonicNanos() / 1000;
    if (!failing_since_us.has_value()) failing_since_us = now_us;
    if (now_us - *failing_since_us > kTryingMaxUs) return status;
  }
  return status;
}

// A failure without an answer does not name the server; the server's own failures do.
Status TableWork::CallAt(const TabletPlace& place, const TabletCall& call) const {
  const Status status = call(transport_->Control(place.server).get(), place);
  const bool may_be_silent =
      status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kDeadlineExceeded;
  if (!may_be_silent || IsAnswered(status)) return status;
  return Annotate(status, fmt::format("server {}, tablet {}: no answer", place.server.ToString(),
                                      place.tablet_id));
}

Status TableWork::OnTablets(const std::string& table, const std::vector<RowRange>& rows,
                            const CallTime& time, const TabletCall& call) const {
  ASSIGN_OR_RETURN(std::vector<TabletPlace> found, find_(table, rows));
  return OnPlaces(table, rows, WithHoles(rows, std::move(found)), time, call);
}

Status TableWork::OnPlaces(const std::string& table, const std::vector<RowRange>& rows,
                           const std::vector<TabletPlace>& places, const CallTime& time,
                           const TabletCall& call) const {
  const std::vector<ServerGroup> groups = GroupByServer(ServersOf(places));
  std::vector<std::optional<Status>> outcomes(places.size());
  engine::RunParallel(kServersAtOnce, groups.size(), [&](size_t i) {
    for (size_t position : groups[i].positions) {
      const Status status = OnPlace(table, rows, places[position], time, call);
      outcomes[position] = status;
      if (EndsWork(status)) break;
    }
  });
  return FirstError(outcomes);
}

Status TableWork::OnPlace(const std::string& table, const std::vector<RowRange>& rows,
                          const TabletPlace& place, const CallTime& time,
                          const TabletCall& call) const {
  RETURN_IF_ERROR(time.Check());
  if (!place.server.IsNone()) {
    const Status status = CallAt(place, call);
    if (!MayHaveMoved(status)) return status;
  }
  return OnRows(table, RowsWithin(rows, place.range), time, call);
}

Status TableWork::OnRows(const std::string& table, const std::vector<RowRange>& rows,
                         const CallTime& time, const TabletCall& call) const {
  std::string done;  // limit of the last tablet for which `call` ran
  for (const RowRange& range : rows) {
    // Continues at the end of the last tablet called, so that a split or merge between two calls
    // leaves out no rows.
    std::string row = std::max(range.start, done);
    while (range.limit.empty() || row < range.limit) {
      std::string limit;
      RETURN_IF_ERROR(OnTablet(table, row, time, call, &limit));
      if (limit.empty()) return OkStatus();  // the table has no further tablet
      row = done = std::move(limit);
    }
  }
  return OkStatus();
}

StatusOr<std::vector<std::vector<GroupStats>>> TableWork::Figures(const std::string& table,
                                                                  const CallTime& time) const {
  const std::vector<RowRange> rows = {RowRange::All()};
  ASSIGN_OR_RETURN(std::vector<TabletPlace> places, find_(table, rows));
  places = WithHoles(rows, std::move(places));
  RowParts<std::vector<GroupStats>> parts;
  ASSIGN_OR_RETURN(places, AskOnce(std::move(places), time, &parts));
  engine::Mutex mutex;  // guards `parts`
  const auto add = [&](TabletControl* control, const TabletPlace& place) -> Status {
    ASSIGN_OR_RETURN(std::vector<GroupStats> groups,
                     control->Do(calls::TabletStats{place.tablet_id}, time.Part(kFiguresWaitUs)));
    engine::MutexLock lock(&mutex);
    parts.Add(place.range, std::move(groups));
    return OkStatus();
  };
  RETURN_IF_ERROR(OnPlaces(table, rows, places, time, add));
  return parts.Take();
}

// Returns the places that are to be looked up again.
StatusOr<std::vector<TabletPlace>> TableWork::AskOnce(
    std::vector<TabletPlace> places, const CallTime& time,
    RowParts<std::vector<GroupStats>>* parts) const {
  std::vector<TabletAt> tablets;
  for (const TabletPlace& place : places) {
    if (!place.server.IsNone()) tablets.push_back({place.server, place.tablet_id});
  }
  std::vector<TabletFigures> answers = ReadFigures(transport_, tablets, time);
  RETURN_IF_ERROR(time.Check());
  std::vector<TabletPlace> left;
  std::vector<std::optional<Status>> errors;
  auto answer = answers.begin();
  for (TabletPlace& place : places) {
    if (place.server.IsNone()) {
      left.push_back(std::move(place));
      continue;
    }
    TabletFigures& its = *answer++;
    if (its.ok()) {
      parts->Add(std::move(place.range), *std::move(its));
    } else if (MayHaveMoved(its.status())) {
      left.push_back(std::move(place));
    } else {
      errors.emplace_back(its.status());
    }
  }
  RETURN_IF_ERROR(FirstError(errors));
  return left;
}

}  // namespace sippar::cluster::master
