// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/batch_course.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "cluster/location/set_aside.h"
#include "engine/base/call_notes.h"
#include "engine/base/printable.h"
#include "engine/base/thread.h"

namespace sippar::cluster {
namespace {

struct Group {
  LocationPtr tablet;
  // Positions in the batch, ascending: the writes to one row keep their order.
  std::vector<size_t> positions;
};

// Maps the first row of each group's tablet to the group's index. The rows of two groups are
// disjoint.
using GroupMap = std::map<std::string_view, size_t>;

class BatchCourse {
 public:
  BatchCourse(TabletCaller* caller, const calls::ApplyRows<LentTable>& asked, Repeat repeat,
              size_t parallel_calls, const CallTime& time)
      : caller_(caller),
        table_(*asked.to),
        batch_(asked.batch.values()),
        repeat_(repeat),
        parallel_calls_(parallel_calls),
        statuses_(batch_.size()),
        course_(caller->settings(), time) {}

  std::vector<Status> Run() {
    std::vector<size_t> left(batch_.size());
    for (size_t i = 0; i < left.size(); ++i) left[i] = i;
    while (!left.empty()) {
      again_.clear();
      Send(GroupByTablet(left));
      left.clear();
      if (again_.empty()) break;
      // again_ contains only writes that may be retried, so kSafe is right whatever repeat_ is. All
      // of them are retried after one common wait.
      Status unsafe = course_.AfterFailure(statuses_[again_.front()], Repeat::kSafe);
      for (size_t position : again_) {
        if (unsafe.ok()) {
          left.push_back(position);
        } else {
          statuses_[position] = unsafe;
        }
      }
      std::sort(left.begin(), left.end());
    }
    return std::move(statuses_);
  }

 private:
  static constexpr int64_t kFailedLookUpsMaxUs = 500'000;

  // The server that was called does not serve the tablet, and nothing was done
  // (cluster/api/tablet_service.h).
  static bool IsElsewhere(const Status& status) { return HasCause(status, Cause::kNotServed); }

  // All writes of a row go into one group, or wait together for the next round: groups are sent
  // concurrently, so a later write in one group could overtake an earlier one in another.
  std::vector<Group> GroupByTablet(const std::vector<size_t>& positions) {
    failed_look_ups_us_ = 0;
    std::vector<Group> groups;
    GroupMap by_start;
    std::set<std::string_view> waiting;
    size_t last = 0;
    for (size_t position : positions) {
      const std::string& row = batch_[position]->row;
      if (!waiting.empty() && waiting.contains(row)) {
        Wait(position, Unavailable("row '" + engine::PrintableBytes(row) +
                                   "': an earlier write of this row in the batch still waits for "
                                   "its tablet; write again"));
        continue;
      }
      if (groups.empty() || !groups[last].tablet->range.Contains(row)) {
        auto known = GroupOf(by_start, groups, row);
        if (!known.has_value()) {
          Status added = AddGroup(row, &by_start, &groups);
          if (!added.ok()) {
            if (Wait(position, added)) waiting.insert(row);
            continue;
          }
          known = groups.size() - 1;
        }
        last = *known;
      }
      groups[last].positions.push_back(position);
    }
    return groups;
  }

  // Notes why the write was not sent. Returns true if the next round tries the write again.
  bool Wait(size_t position, Status why) {
    // NotServed here means that a METADATA tablet is moving.
    const bool waits =
        (why.code() == StatusCode::kUnavailable && !IsSetAside(why)) || IsElsewhere(why);
    statuses_[position] = std::move(why);
    if (waits) again_.push_back(position);
    return waits;
  }

  static std::optional<size_t> GroupOf(const GroupMap& by_start, const std::vector<Group>& groups,
                                       std::string_view row) {
    auto after = by_start.upper_bound(row);
    if (after == by_start.begin()) return std::nullopt;
    const size_t group = std::prev(after)->second;
    if (!groups[group].tablet->range.Contains(row)) return std::nullopt;
    return group;
  }

  // A tablet may split, merge or move while the batch is grouped. If the tablet that is found for
  // `row` overlaps the tablet of an earlier group, one of the two is outdated, and the row waits.
  Status AddGroup(std::string_view row, GroupMap* by_start, std::vector<Group>* groups) {
    RETURN_IF_ERROR(course_.OptionsNow().status());
    ASSIGN_OR_RETURN(LocationPtr found, LookUp(row));
    const RowRange& range = found->range;
    auto next = by_start->lower_bound(range.start);
    const bool overlaps_next =
        next != by_start->end() && (range.limit.empty() || next->first < range.limit);
    if (overlaps_next || GroupOf(*by_start, *groups, range.start).has_value()) {
      return Unavailable("the tablets at row '" + engine::PrintableBytes(row) +
                         "' are being split or merged; write again");
    }
    by_start->emplace(range.start, groups->size());
    groups->push_back({std::move(found), {}});
    return OkStatus();
  }

  // While METADATA or the lock service does not answer, a look-up fails only after its timeout. The
  // failed look-ups of one round may take kFailedLookUpsMaxUs in total; the remaining rows are not
  // looked up in this round, but wait for the next. Otherwise a batch of thousands of rows would
  // wait for one timeout after another.
  StatusOr<LocationPtr> LookUp(std::string_view row) {
    if (failed_look_ups_us_ > kFailedLookUpsMaxUs) return why_not_found_;
    const int64_t begun_nanos = caller_->settings().clock->MonotonicNanos();
    StatusOr<LocationPtr> found = caller_->Find(table_, row);
    if (found.status().code() == StatusCode::kUnavailable) {
      failed_look_ups_us_ += (caller_->settings().clock->MonotonicNanos() - begun_nanos) / 1000;
      why_not_found_ = found.status();
    }
    return found;
  }

  void Send(const std::vector<Group>& groups) {
    // Within one process a call costs almost nothing (cluster/api/transport.h), less than starting
    // a thread, so one thread makes all calls.
    size_t workers = caller_->loses_answers() ? std::min(groups.size(), parallel_calls_) : 1;
    std::atomic<size_t> next{0};
    auto work = [&] {
      for (size_t i = next++; i < groups.size(); i = next++) SendGroup(groups[i]);
    };
    const engine::CarriedTrace trace;
    std::vector<engine::Thread> threads;
    for (size_t i = 1; i < workers; ++i) threads.emplace_back("batch", [&] { trace.Run(work); });
    work();
    for (engine::Thread& thread : threads) thread.Join();
    // Failures are noted after all workers have ended: a worker writes the statuses of its own
    // groups, but all groups share again_, which has no lock.
    for (const Group& group : groups) NoteFailures(group);
  }

  void SendGroup(const Group& group) {
    std::vector<const RowMutation*> part;
    for (size_t position : group.positions) part.push_back(batch_[position]);
    const StatusOr<CallOptions> now = course_.OptionsNow();
    std::vector<Status> answers =
        now.ok() ? PartsOf(group.tablet->service->Do(
                               calls::ApplyRows<TabletAddress>{group.tablet->address, part}, *now),
                           part.size())
                 : std::vector<Status>(part.size(), now.status());
    for (size_t i = 0; i < part.size(); ++i) {
      statuses_[group.positions[i]] = std::move(answers[i]);
    }
  }

  void NoteFailures(const Group& group) {
    size_t before = again_.size();
    for (size_t position : group.positions) {
      const Status& status = statuses_[position];
      // The caller's own timeout (kDeadlineExceeded) is final, so kUnavailable is the only code of
      // an unknown outcome that may be repeated.
      bool unknown = status.code() == StatusCode::kUnavailable;
      if (IsElsewhere(status) || (unknown && repeat_ == Repeat::kSafe)) again_.push_back(position);
    }
    if (again_.size() > before) caller_->Invalidate(*group.tablet);
  }

  TabletCaller* const caller_;
  const std::string& table_;
  const std::span<const RowMutation* const> batch_;
  const Repeat repeat_;
  const size_t parallel_calls_;
  std::vector<Status> statuses_;
  std::vector<size_t> again_;
  // Time that this round spent on look-ups of tablets that failed as kUnavailable.
  int64_t failed_look_ups_us_ = 0;
  Status why_not_found_;  // status of the last such look-up
  CallCourse course_;
};

}  // namespace

std::vector<Status> ApplyInGroups(TabletCaller* caller, const calls::ApplyRows<LentTable>& asked,
                                  Repeat repeat, size_t parallel_calls, const CallTime& time) {
  return BatchCourse(caller, asked, repeat, parallel_calls, time).Run();
}

}  // namespace sippar::cluster
