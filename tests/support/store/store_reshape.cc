// Splits and merges: tablets of a table give way to others with the same rows and the same
// SSTables, in one saved catalog (paper sections 5.1 and 5.2; FAULTS.md P7, P8). Writers wait for
// the second, short flush only; a writer that meets a closed tablet is routed again.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/crash_point.h"
#include "engine/base/limits.h"
#include "engine/tablet/reshape.h"
#include "tests/support/store/store.h"

namespace sippar::engine {
namespace {

constexpr int64_t kRoutingWaitMicros = 10'000;
}  // namespace

Status Store::OnTablet(const std::string& name, std::string_view row,
                       const std::function<Status(Tablet*)>& action) {
  for (;;) {
    ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
    Status status = action(table->TabletOf(row).get());
    if (!IsMoved(status)) return status;
    WaitForRouting(name, table);
  }
}

Status Store::OnTablets(const std::string& name, const std::function<Status(Tablet*)>& action) {
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

// A tablet of `table` is closed: until its successors are there, or it is open again.
void Store::WaitForRouting(const std::string& name, const std::shared_ptr<const OpenTable>& table) {
  MutexLock lock(&tables_mutex_);
  auto found = tables_.find(name);
  if (found == tables_.end() || found->second != table) return;
  routing_changed_.WaitFor(&tables_mutex_, kRoutingWaitMicros);
}

Status Store::Split(const std::string& name, const std::string& row) {
  RETURN_IF_ERROR(Annotate(ValidateRowKey(row), "split key"));
  Status status;
  do {
    ASSIGN_OR_RETURN(std::shared_ptr<Tablet> parent, FindTablet(name, row));
    if (parent->range().start == row) return OkStatus();  // cut there already
    auto halves = [&](const std::vector<TabletState>& states,
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
    };
    static constexpr ReshapePoints kPoints = {
        CRASH_POINT_NAME("split.after_flush"), CRASH_POINT_NAME("split.after_states"),
        CRASH_POINT_NAME("split.after_catalog"), CRASH_POINT_NAME("split.after_removal")};
    status = Replace(name, {parent}, halves, kPoints);
  } while (status.code() == StatusCode::kAborted);
  if (status.ok()) metrics()->Get("tablet_splits")->Add();
  return Annotate(status, fmt::format("split table {} at '{}'", name, row));
}

Status Store::Merge(const std::string& name, const RowRange& rows) {
  for (;;) {
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, Tablets(name));
    std::erase_if(tablets,
                  [&](const auto& tablet) { return Intersect(tablet->range(), rows).IsEmpty(); });
    if (tablets.size() < 2) return OkStatus();
    tablets.resize(2);
    Status status = MergePair(name, tablets);
    if (!status.ok() && status.code() != StatusCode::kAborted && !IsMoved(status)) {
      return Annotate(status, fmt::format("merge tablets of table {}", name));
    }
  }
}

Status Store::MergePair(const std::string& name,
                        const std::vector<std::shared_ptr<Tablet>>& tablets) {
  if (tablets[0]->families().Births() != tablets[1]->families().Births()) {
    for (const auto& tablet : tablets) RETURN_IF_ERROR(tablet->families().ForgetBirths());
  }
  auto joined = [&](const std::vector<TabletState>& states,
                    uint64_t* next_id) -> StatusOr<std::vector<TabletState>> {
    ASSIGN_OR_RETURN(TabletState state, JoinStates(states[0], states[1], (*next_id)++,
                                                   [this] { return host_.NextId(); }));
    return std::vector<TabletState>{std::move(state)};
  };
  static constexpr ReshapePoints kPoints = {
      CRASH_POINT_NAME("merge.after_flush"), CRASH_POINT_NAME("merge.after_states"),
      CRASH_POINT_NAME("merge.after_catalog"), CRASH_POINT_NAME("merge.after_removal")};
  RETURN_IF_ERROR(Replace(name, tablets, joined, kPoints));
  metrics()->Get("tablet_merges")->Add();
  return OkStatus();
}

// kAborted: `parents` are not tablets of the table any more.
Status Store::Replace(const std::string& name, const std::vector<std::shared_ptr<Tablet>>& parents,
                      const ChildStates& children_of, const ReshapePoints& points) {
  {
    GivingWay giving_way(parents);
    RETURN_IF_ERROR(giving_way.Begin());
    MutexLock admin_lock(&admin_mutex_);
    ASSIGN_OR_RETURN(std::shared_ptr<const OpenTable> table, FindTable(name));
    auto at =
        std::search(table->tablets.begin(), table->tablets.end(), parents.begin(), parents.end());
    if (at == table->tablets.end()) return Aborted("the tablets changed meanwhile");
    auto first = static_cast<size_t>(at - table->tablets.begin());
    RETURN_IF_ERROR(CommitReplacement(*table, first, &giving_way, children_of, points));
  }
  {
    MutexLock lock(&tables_mutex_);
    routing_changed_.NotifyAll();
  }
  host_.RemoveObsoleteSegments();
  return OkStatus();
}

// On error the parents stay what they were, or have been given up.
Status Store::CommitReplacement(const OpenTable& table, size_t first, GivingWay* parents,
                                const ChildStates& children_of, const ReshapePoints& points) {
  ASSIGN_OR_RETURN(std::vector<TabletState> states, parents->Close());
  CRASH_POINT(points.after_flush);
  Catalog changed = catalog_;
  ASSIGN_OR_RETURN(std::vector<TabletState> children, children_of(states, &changed.next_tablet_id));
  for (const TabletState& child : children) RETURN_IF_ERROR(states_->Save(child));
  CRASH_POINT(points.after_states);
  CatalogTable& entry = changed.tables[table.entry.schema.name];
  auto begin = entry.tablets.begin() + static_cast<std::ptrdiff_t>(first);
  begin = entry.tablets.erase(begin, begin + static_cast<std::ptrdiff_t>(states.size()));
  for (const TabletState& child : children) {
    begin = std::next(entry.tablets.insert(begin, {child.tablet_id, child.range}));
  }
  if (Status saved = SaveCatalog(changed); !saved.ok()) {
    // It may be on the disk all the same. Saved over by the old one, or nothing is certain.
    if (catalog_in_doubt_) parents->GiveUp();
    return saved;
  }
  CRASH_POINT(points.after_catalog);
  Install(table, first, states, std::move(children), std::move(changed));
  parents->Retire();
  for (const TabletState& parent : states) {
    (void)states_->Remove(parent.tablet_id);  // an orphan otherwise, swept at the next start
  }
  CRASH_POINT(points.after_removal);
  return OkStatus();
}

// What the catalog says now holds in memory too.
void Store::Install(const OpenTable& table, size_t first, const std::vector<TabletState>& parents,
                    std::vector<TabletState> children, Catalog changed) {
  const std::string& name = table.entry.schema.name;
  catalog_ = std::move(changed);
  auto replaced = std::make_shared<OpenTable>();
  replaced->entry = catalog_.tables[name];
  replaced->tablets = table.tablets;
  auto schema = std::make_shared<const TableSchema>(replaced->entry.schema);
  auto begin = replaced->tablets.begin() + static_cast<std::ptrdiff_t>(first);
  begin = replaced->tablets.erase(begin, begin + static_cast<std::ptrdiff_t>(parents.size()));
  for (TabletState& child : children) {
    // Names its files before the parents let go of them.
    std::shared_ptr<Tablet> tablet = host_.Open(std::move(child), schema);
    host_.Serve(tablet);
    begin = std::next(replaced->tablets.insert(begin, std::move(tablet)));
  }
  for (const TabletState& parent : parents) host_.Forget(parent.tablet_id);
  MutexLock lock(&tables_mutex_);
  tables_[name] = std::move(replaced);
}

bool Store::ReshapeOnce() {
  for (const CatalogTable& entry : ListTables()) {
    auto tablets = Tablets(entry.schema.name);
    if (!tablets.ok()) continue;  // dropped meanwhile
    uint64_t split_size = SplitSizeOf(entry.schema, options_.split_size);
    for (size_t i = 0; i < tablets->size() && !host_.stopping(); ++i) {
      if (SplitIfLarge(entry.schema.name, (*tablets)[i], split_size)) return true;
      if (i > 0 && MergeIfSmall(entry.schema.name, (*tablets)[i - 1], (*tablets)[i], split_size)) {
        return true;
      }
    }
  }
  return false;
}

TabletSize Store::SizeOf(const Tablet& tablet) const {
  return {tablet.stored_bytes(), static_cast<uint64_t>(tablet.memtable_bytes()),
          options_.clock->NowMicros() - tablet.serving().since_us()};
}

bool Store::SplitIfLarge(const std::string& name, const std::shared_ptr<Tablet>& tablet,
                         uint64_t split_size) {
  // One row cannot be cut; asked again when the tablet has grown by a quarter.
  split_size = std::max(split_size, tablet->unsplit_bytes() + tablet->unsplit_bytes() / 4);
  if (!DecideSplit(SizeOf(*tablet), split_size).wanted) return false;
  auto row = tablet->MiddleRow();
  Status status = row.status();
  if (row.ok() && row->has_value()) status = Split(name, **row);
  if (status.ok() && row->has_value()) return true;
  if (!status.ok()) metrics()->Get("tablet_split_errors")->Add();
  tablet->SetUnsplitBytes(tablet->stored_bytes());
  return false;
}

bool Store::MergeIfSmall(const std::string& name, const std::shared_ptr<Tablet>& left,
                         const std::shared_ptr<Tablet>& right, uint64_t split_size) {
  if (!DecideMerge(SizeOf(*left), SizeOf(*right), split_size).wanted) return false;
  Status status = MergePair(name, {left, right});
  if (!status.ok()) metrics()->Get("tablet_merge_errors")->Add();
  return status.ok();
}

}  // namespace sippar::engine
