// Routes calls to tablets, and splits and merges tablets: new tablets with the same rows and the
// same SSTables replace the old ones. A write that reaches a closed tablet is routed again.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/crash_point.h"
#include "engine/tablet/giving_way.h"
#include "engine/tablet/reshape.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {
namespace {
constexpr int64_t kRoutingWaitMicros = 10'000;
}  // namespace

const std::shared_ptr<Tablet>& HostedTables::OpenTable::TabletOf(std::string_view row) const {
  auto after = std::upper_bound(
      tablets.begin(), tablets.end(), row,
      [](std::string_view key, const auto& tablet) { return key < tablet->range().start; });
  return *std::prev(after);
}

StatusOr<std::shared_ptr<Tablet>> HostedTables::FindTablet(const std::string& name,
                                                           std::string_view row) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  return table->TabletOf(row);
}

StatusOr<std::vector<std::shared_ptr<Tablet>>> HostedTables::Tablets(
    const std::string& name) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
  return table->tablets;
}

// Called after a tablet of `table` was found closed. Waits, for a limited time, until the routing
// changes.
void HostedTables::WaitForRouting(const std::string& name,
                                  const std::shared_ptr<const OpenTable>& table) {
  MutexLock lock(&tables_mutex_);
  auto found = tables_.find(name);
  if (found == tables_.end() || found->second != table) return;
  routing_changed_.WaitFor(&tables_mutex_, kRoutingWaitMicros);
}

Status HostedTables::OnTablet(const std::string& name, std::string_view row,
                              const std::function<Status(Tablet*)>& action) {
  for (;;) {
    ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
    Status status = action(table->TabletOf(row).get());
    if (!IsMoved(status)) return status;
    WaitForRouting(name, table);
  }
}

Status HostedTables::OnTablets(const std::string& name,
                               const std::function<Status(Tablet*)>& action) {
  std::string row;
  do {
    std::string limit;
    RETURN_IF_ERROR(OnTablet(name, row, [&](Tablet* tablet) {
      limit = tablet->range().limit;
      return action(tablet);
    }));
    row = std::move(limit);
  } while (!row.empty());
  return OkStatus();
}

std::vector<Status> HostedTables::Apply(const std::string& name,
                                        const std::vector<const RowMutation*>& batch) {
  std::vector<Status> statuses(batch.size(), host_.Admit(batch.size()));
  if (batch.empty() || !statuses[0].ok()) return statuses;
  std::vector<size_t> left(batch.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    auto table = FindTable(name);
    if (!table.ok()) {
      for (size_t i : left) statuses[i] = table.status();
      return statuses;
    }
    std::map<std::string, std::vector<size_t>> by_tablet;  // in key order
    for (size_t i : left) by_tablet[(*table)->TabletOf(batch[i]->row)->range().start].push_back(i);
    left.clear();
    for (const auto& [start, positions] : by_tablet) {
      std::vector<const RowMutation*> part;
      for (size_t i : positions) part.push_back(batch[i]);
      std::vector<Status> results = (*table)->TabletOf(start)->Apply(part);
      for (size_t i = 0; i < positions.size(); ++i) {
        statuses[positions[i]] = results[i];
        if (IsMoved(results[i])) left.push_back(positions[i]);
      }
    }
    if (!left.empty()) WaitForRouting(name, *table);
  }
  return statuses;
}

StatusOr<RowUpdateResult> HostedTables::Update(const std::string& table, const RowUpdate& update) {
  RETURN_IF_ERROR(host_.Admit(1));
  RowUpdateResult result;
  RETURN_IF_ERROR(OnTablet(table, update.row, [&](Tablet* tablet) -> Status {
    ASSIGN_OR_RETURN(result, tablet->Update(update));
    return OkStatus();
  }));
  return result;
}

Status HostedTables::CommitRow(const std::string& table, const RowMutation& mutation,
                               std::span<const RowCheck> checks) {
  RETURN_IF_ERROR(host_.Admit(1));
  return OnTablet(table, mutation.row,
                  [&](Tablet* tablet) { return tablet->CommitRow(mutation, checks); });
}

Status HostedTables::Flush(const std::string& table) {
  RETURN_IF_ERROR(OnTablets(table, [](Tablet* tablet) { return tablet->Flush(); }));
  host_.RemoveObsoleteSegments();
  return OkStatus();
}

Status HostedTables::CompactMajor(const std::string& table, const std::string& group) {
  RETURN_IF_ERROR(OnTablets(table, [&](Tablet* tablet) { return tablet->CompactMajor(group); }));
  host_.RemoveObsoleteSegments();
  return OkStatus();
}

Status HostedTables::Split(const std::string& name, const std::string& row) {
  for (;;) {
    ASSIGN_OR_RETURN(std::shared_ptr<Tablet> parent, FindTablet(name, row));
    if (parent->range().start == row) return OkStatus();  // `row` already begins a tablet
    Status status = Replace(
        name, {parent},
        [&](const std::vector<TabletState>& states,
            uint64_t* next_id) -> StatusOr<std::vector<TabletState>> {
          auto part_bytes = [&](const FileRef& file, const RowRange& rows) {
            return parent->StoredBytesOf(file, rows);
          };
          const RowRange& range = parent->range();
          std::vector<TabletState> children;
          for (const RowRange& half : {RowRange{range.start, row}, RowRange{row, range.limit}}) {
            children.push_back(PartOfState(states[0], (*next_id)++, half, part_bytes));
          }
          return children;
        });
    if (status.code() != StatusCode::kAborted) return status;
  }
}

Status HostedTables::Merge(const std::string& name, const RowRange& rows) {
  for (;;) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, Tablets(name));
    std::erase_if(tablets,
                  [&](const auto& tablet) { return Intersect(tablet->range(), rows).IsEmpty(); });
    if (tablets.size() < 2) return OkStatus();
    tablets.resize(2);
    Status status = MergePair(name, tablets);
    if (!status.ok() && status.code() != StatusCode::kAborted && !IsMoved(status)) return status;
  }
}

Status HostedTables::MergePair(const std::string& name,
                               const std::vector<std::shared_ptr<Tablet>>& tablets) {
  if (tablets[0]->families().Births() != tablets[1]->families().Births()) {
    for (const auto& tablet : tablets) RETURN_IF_ERROR(tablet->families().ForgetBirths());
  }
  return Replace(name, tablets,
                 [&](const std::vector<TabletState>& states,
                     uint64_t* next_id) -> StatusOr<std::vector<TabletState>> {
                   ASSIGN_OR_RETURN(TabletState state,
                                    JoinStates(states[0], states[1], (*next_id)++,
                                               [this] { return host_.NextId(); }));
                   return std::vector<TabletState>{std::move(state)};
                 });
}

Status HostedTables::Replace(const std::string& name,
                             const std::vector<std::shared_ptr<Tablet>>& parents,
                             const Successors& successors) {
  {
    GivingWay giving_way(parents);
    RETURN_IF_ERROR(giving_way.Begin());
    MutexLock admin_lock(&admin_mutex_);
    ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> before, FindTable(name));
    auto table = std::make_shared<OpenTable>(*before);
    auto at =
        std::search(table->tablets.begin(), table->tablets.end(), parents.begin(), parents.end());
    if (at == table->tablets.end()) return Aborted("the tablets changed meanwhile");
    ASSIGN_OR_RETURN(std::vector<TabletState> states, giving_way.Close());
    CRASH_POINT("reshape.after_flush");
    uint64_t next_id = book_->Content().next_tablet_id;
    ASSIGN_OR_RETURN(std::vector<TabletState> children, successors(states, &next_id));
    RETURN_IF_ERROR(book_->Change([&](BookContent* content) {
      content->next_tablet_id = next_id;
      for (const TabletState& parent : states) content->tablets.erase(parent.tablet_id);
      for (const TabletState& child : children) content->tablets[child.tablet_id] = child;
    }));
    CRASH_POINT("reshape.after_save");
    at = table->tablets.erase(at, at + static_cast<std::ptrdiff_t>(states.size()));
    auto schema = std::make_shared<const TableSchema>(table->entry.schema);
    for (TabletState& child : children) {
      // Opened before the parents are forgotten, so that the files always have an owner.
      std::shared_ptr<Tablet> tablet = host_.Open(std::move(child), schema);
      host_.Serve(tablet);
      at = std::next(table->tablets.insert(at, std::move(tablet)));
    }
    for (const TabletState& parent : states) host_.Forget(parent.tablet_id);
    Publish(std::move(table));
    giving_way.Retire();
  }
  host_.RemoveObsoleteSegments();
  CRASH_POINT("reshape.after_removal");
  return OkStatus();
}

}  // namespace sippar::engine
