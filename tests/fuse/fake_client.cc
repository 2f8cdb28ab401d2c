// Fake client.
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuse/fake_client.h"

#include "engine/model/change_config.h"

namespace sippar::fuse {
namespace {

using cluster::Cell;

bool Matches(const engine::NamePattern& pattern, std::string_view text) {
  switch (pattern.kind) {
    case engine::NamePattern::kExact:
      return text == pattern.text;
    case engine::NamePattern::kPrefix:
      return text.starts_with(pattern.text);
    case engine::NamePattern::kAny:
      return true;
    case engine::NamePattern::kRegex:
      break;
  }
  return false;  // the tree sends no regexes
}

bool MatchesAny(const std::vector<engine::ColumnPattern>& patterns, std::string_view family,
                std::string_view qualifier) {
  if (patterns.empty()) return true;
  for (const engine::ColumnPattern& pattern : patterns) {
    if (Matches(pattern.family, family) && Matches(pattern.qualifier, qualifier)) return true;
  }
  return false;
}

std::string PartOf(const std::string& value, const engine::ValuePart& part, uint64_t* omitted) {
  std::string wanted = value.substr(std::min<uint64_t>(part.offset, value.size()), part.size);
  *omitted = value.size() - wanted.size();
  return wanted;
}

class VectorStream final : public cluster::CellStream {
 public:
  VectorStream(std::vector<Cell> cells, std::vector<uint64_t> omitted_sizes, Status failure,
               cluster::CancelFlag cancel, std::shared_ptr<uint64_t> taken)
      : cells_(std::move(cells)),
        omitted_sizes_(std::move(omitted_sizes)),
        failure_(std::move(failure)),
        cancel_(std::move(cancel)),
        taken_(std::move(taken)) {
    Take();
  }
  bool Valid() const override { return index_ < cells_.size() && status_.ok(); }
  const cluster::CellView& cell() const override { return view_; }
  void Next() override {
    ++index_;
    if (cancel_ != nullptr && cancel_->load()) status_ = Cancelled("cancelled");
    Take();
  }
  void NextRow() override {
    std::string row(view_.row);
    while (Valid() && view_.row == row) Next();
  }
  Status status() const override { return status_; }

 private:
  void Take() {
    if (index_ < cells_.size()) {
      view_ = cells_[index_].view();
      view_.omitted_size = omitted_sizes_[index_];
      ++*taken_;
    } else if (status_.ok()) {
      status_ = failure_;
    }
  }

  const std::vector<Cell> cells_;
  const std::vector<uint64_t> omitted_sizes_;
  const Status failure_;
  const cluster::CancelFlag cancel_;
  const std::shared_ptr<uint64_t> taken_;
  size_t index_ = 0;
  cluster::CellView view_;
  Status status_;
};

// The changes after the stream was opened.
class FakeChanges final : public cluster::ChangeStream {
 public:
  FakeChanges(std::shared_ptr<std::vector<cluster::Change>> changes,
              std::shared_ptr<Status> failure)
      : changes_(std::move(changes)), failure_(std::move(failure)), next_(changes_->size()) {}
  StatusOr<cluster::ChangeBatch> Next(int64_t) override {
    RETURN_IF_ERROR(*failure_);
    cluster::ChangeBatch batch;
    while (next_ < changes_->size()) batch.changes.push_back((*changes_)[next_++]);
    return batch;
  }

 private:
  const std::shared_ptr<std::vector<cluster::Change>> changes_;
  const std::shared_ptr<Status> failure_;
  size_t next_;
};

Status NoTable(const std::string& table) { return NotFound("no table " + table); }

}  // namespace

FakeClient::FakeClient() = default;

void FakeClient::AddTable(const std::string& name, const std::vector<std::string>& families) {
  Table& table = tables_[name];
  table.columns.clear();
  table.info.table_id = next_table_id_++;
  table.info.changed_at_us = 1'234'567'890'123'456 + static_cast<int64_t>(table.info.table_id);
  table.info.schema.name = name;
  table.info.schema.families.clear();
  for (const std::string& family : families) {
    engine::FamilySchema schema;
    schema.name = family;
    table.info.schema.families.push_back(schema);
  }
  table.info.schema.Normalize();
}

void FakeClient::AddFamily(const std::string& table, const std::string& family) {
  engine::TableSchema& schema = tables_.at(table).info.schema;
  ++tables_.at(table).info.schema_version;
  schema.families.emplace_back().name = family;
  schema.Normalize();
}

void FakeClient::Set(const std::string& table, std::string_view row, std::string_view family,
                     std::string_view qualifier, int64_t timestamp_us, std::string_view value) {
  ColumnKey key{row, family, qualifier};
  tables_.at(table).columns[key][timestamp_us] = {next_sequence_++, std::string(value)};
  NoteChange(table, engine::RowMutation(row).Set(family, qualifier, value, timestamp_us));
}

void FakeClient::DeleteColumn(const std::string& table, const std::string& row,
                              const std::string& family, const std::string& qualifier) {
  tables_.at(table).columns.erase({row, family, qualifier});
  NoteChange(table, engine::RowMutation(row).DeleteColumn(family, qualifier));
}

void FakeClient::DeleteRow(const std::string& table, const std::string& row) {
  std::erase_if(tables_.at(table).columns,
                [&](const auto& item) { return std::get<0>(item.first) == row; });
  NoteChange(table, engine::RowMutation(row).DeleteRow());
}

void FakeClient::KeepChanges(const std::string& table) {
  cluster::TableInfo& info = tables_.at(table).info;
  engine::SetChangeStream(engine::ChangeStreamConfig{engine::kChangesKeptMinUs, 1}, &info.schema);
  ++info.schema_version;
}

void FakeClient::NoteChange(const std::string& table, engine::RowMutation mutation) {
  if (!engine::ChangeStreamOf(tables_.at(table).info.schema).has_value()) return;
  cluster::Change change;
  change.mutation = std::move(mutation);
  tables_.at(table).changes->push_back(std::move(change));
}

StatusOr<std::unique_ptr<cluster::ChangeStream>> FakeClient::ReadChanges(
    const std::string& table, const cluster::ChangesRequest&, const cluster::CallOptions&) {
  if (!tables_.contains(table)) return NoTable(table);
  RETURN_IF_ERROR(*changes_failure_);
  return std::unique_ptr<cluster::ChangeStream>(
      std::make_unique<FakeChanges>(tables_.at(table).changes, changes_failure_));
}

void FakeClient::FailNextRead(Status status, int64_t after_cells) {
  next_failure_ = std::move(status);
  failure_after_ = after_cells;
}

StatusOr<std::unique_ptr<cluster::CellStream>> FakeClient::Read(
    const std::string& table, const cluster::ReadSpec& read, const cluster::CallOptions& options) {
  ++reads_;
  Status failure = std::exchange(next_failure_, OkStatus());
  if (!failure.ok() && failure_after_ < 0) return failure;
  const engine::ValuePart part = gives_whole_values_ ? engine::ValuePart() : read.value_part;
  auto found = tables_.find(table);
  if (found == tables_.end()) return NoTable(table);
  std::vector<Cell> cells;
  std::vector<uint64_t> omitted_sizes;
  const auto& columns = found->second.columns;
  for (const engine::RowRange& range : read.rows.ranges()) {
    for (auto at = columns.lower_bound({range.start, "", ""}); at != columns.end(); ++at) {
      const auto& [row, family, qualifier] = at->first;
      if (!range.Contains(row)) break;
      if (read.keys_only && !cells.empty() && cells.back().row == row) continue;
      if (!MatchesAny(read.columns, family, qualifier)) continue;
      if (read.cells_per_family == 1 && !cells.empty() && cells.back().row == row &&
          cells.back().family == family) {
        continue;
      }
      uint32_t versions = 0;
      for (const auto& [time, version] : at->second) {
        if (!read.time.Contains(time)) continue;
        Cell& cell = cells.emplace_back();
        cell.row = row, cell.family = family, cell.qualifier = qualifier;
        cell.timestamp_us = time, cell.sequence = version.sequence;
        uint64_t& omitted = omitted_sizes.emplace_back(0);
        if (!read.strip_values && !read.keys_only) {
          bool is_left_out = version.value.size() > read.value_size_max;
          if (is_left_out) omitted = version.value.size();
          if (!is_left_out) cell.value = PartOf(version.value, part, &omitted);
        }
        value_bytes_given_ += cell.value.size();
        if (++versions == read.versions_per_column || read.keys_only) break;
      }
    }
  }
  if (!failure.ok() && cells.size() > static_cast<size_t>(failure_after_)) {
    cells.resize(static_cast<size_t>(failure_after_));
  }
  std::unique_ptr<cluster::CellStream> stream = std::make_unique<VectorStream>(
      std::move(cells), std::move(omitted_sizes), failure, options.cancel, cells_taken_);
  return stream;
}

StatusOr<std::vector<cluster::TabletInfo>> FakeClient::Perform(
    const cluster::calls::ListTablets& asked) {
  if (!tables_.contains(asked.table)) return NoTable(asked.table);
  cluster::TabletInfo tablet;
  tablet.tablet_id = 1;
  tablet.server = "fake";
  tablet.state = "online";
  return std::vector<cluster::TabletInfo>{tablet};
}

StatusOr<std::vector<cluster::RowRange>> FakeClient::Perform(
    const cluster::calls::TabletRanges& asked) {
  if (!tables_.contains(asked.table)) return NoTable(asked.table);
  return std::vector<cluster::RowRange>(1);
}

StatusOr<cluster::TableInfo> FakeClient::Perform(const cluster::calls::GetTable& asked) {
  auto found = tables_.find(asked.table);
  if (found == tables_.end()) return NoTable(asked.table);
  return found->second.info;
}

StatusOr<std::vector<cluster::TableInfo>> FakeClient::Perform(const cluster::calls::ListTables&) {
  std::vector<cluster::TableInfo> infos;
  for (const auto& [name, table] : tables_) infos.push_back(table.info);
  return infos;
}

StatusOr<std::vector<cluster::GroupStats>> FakeClient::Perform(const cluster::calls::Stats& asked) {
  if (!tables_.contains(asked.table)) return NoTable(asked.table);
  if (auto found = stats_failures_.find(asked.table); found != stats_failures_.end()) {
    if (found->second.second) tables_.erase(asked.table);
    return found->second.first;
  }
  cluster::GroupStats stats;
  stats.group = "default";
  stats.stored_bytes = 10'000;
  stats.entries = tables_.at(asked.table).columns.size();
  return std::vector<cluster::GroupStats>{stats};
}

Status FakeClient::Run(const std::string&, const cluster::RowRange&, const engine::Program&,
                       const cluster::CallOptions&, engine::ProgramSink*) {
  return Unfaked();
}

}  // namespace sippar::fuse
