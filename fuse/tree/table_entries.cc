// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/table_entries.h"

#include "fuse/tree/entries.h"
#include "fuse/tree/long_name_search.h"
#include "fuse/tree/time_name.h"

namespace sippar::fuse {
namespace {

LongNameScope ScopeOf(const Node& node, const ReadView& view) {
  return {view, node.table_id, node.kind != NodeKind::kRow, node.row, node.family};
}

// Turns a cell stream into entries. If a new read is cheap, a stream that is older than
// kFreshnessUs is reopened after the current entry: an entry to which the reader moves is then
// never older than that, and a long listing does not keep an old snapshot and its files alive.
class ScanSource : public EntrySource {
 public:
  ScanSource(TreeContext* context, TablePtr table, const Node& directory, NodeKind child,
             cluster::CancelFlag cancel)
      : context_(context),
        table_(std::move(table)),
        view_{table_->schema.name, directory.as_of},
        child_(ChildOf(directory, child)),
        cancel_(std::move(cancel)) {}

  Status Start(const std::optional<std::string>& after) override {
    stream_.reset();
    status_ = OkStatus();
    opened_at_ns_ = context_->clock->MonotonicNanos();
    cluster::CallOptions call;
    call.cancel = cancel_;
    cluster::ReadSpec spec = SpecBehind(after);
    if (spec.rows.IsEmpty()) return status_;  // the range ends right after the mark
    auto stream = context_->data->Read(view_.table, spec, call);
    if (!stream.ok()) return status_ = stream.status();
    stream_ = *std::move(stream);
    // Not every read can start exactly after the mark (SpecBehind); the cells up to the mark are
    // skipped.
    while (stream_->Valid() && after.has_value() && IsAtOrBefore(*after)) stream_->Next();
    TakeMark();
    return status_;
  }

  bool Valid() const override { return status_.ok() && stream_ != nullptr && stream_->Valid(); }
  Status status() const override { return status_; }
  std::string_view Mark() const override { return mark_; }

  void Next() override {
    // Checked at each step: the reader may have paused after any entry.
    if (context_->AgeUs(opened_at_ns_) > kFreshnessUs && IsCheapToEnter()) {
      std::string after = mark_;
      (void)Start(after);  // status_ keeps the error
      return;
    }
    stream_->Next();
    TakeMark();
  }

  void Fill(DirEntry* out) override {
    Entry& entry = out->entry;
    // A reused entry keeps the strings of its node; only the fields that differ are assigned again.
    if (entry.node.kind != child_.kind) entry.node = child_;
    FillCell(stream_->cell(), out);
    bool is_cell = child_.kind == NodeKind::kCell;
    entry.attributes.changed_at_us = is_cell ? entry.node.timestamp_us : table_->changed_at_us;
    entry.inode_number = InodeNumber(entry.node);
    entry.age_us = context_->AgeUs(opened_at_ns_);
    // A row that was just listed needs no read when it is looked up (recent_rows.h).
    if (child_.kind == NodeKind::kRow) {
      context_->recent_rows.Note(entry.inode_number, opened_at_ns_);
    }
  }

 protected:
  virtual cluster::ReadSpec SpecBehind(const std::optional<std::string>& after) const = 0;
  virtual void MarkOf(const cluster::CellView& cell, std::string* mark) const = 0;
  virtual bool IsAtOrBefore(const std::string& after) const = 0;
  virtual void FillCell(const cluster::CellView& cell, DirEntry* out) = 0;
  // True if a read can start after any entry without reading the entries before it.
  virtual bool IsCheapToEnter() const { return true; }

  void NameKey(std::string_view key, DirEntry* out) {
    context_->codec.Encode(key, &out->name);
    // Encoding turns a byte into at most three, so a shorter key never gets a long name.
    if (key.size() * 3 > kNameSizeMax && out->name.find("%~") != std::string::npos) {
      LongNameScope scope = ScopeOf(child_, view_);
      context_->long_names.Note(scope.Key(), out->name, key, scope.run_keys());
    }
  }

  TreeContext* const context_;
  const TablePtr table_;
  const ReadView view_;
  const Node child_;
  const cluster::CancelFlag cancel_;
  std::unique_ptr<cluster::CellStream> stream_;
  int64_t opened_at_ns_ = 0;

 private:
  void TakeMark() {
    if (stream_->Valid()) {
      MarkOf(stream_->cell(), &mark_);
    } else {
      status_ = stream_->status();
    }
  }

  Status status_;
  std::string mark_;
};

class RowSource final : public ScanSource {
 public:
  RowSource(TreeContext* context, TablePtr table, const Node& directory, engine::RowRange range,
            cluster::CancelFlag cancel)
      : ScanSource(context, std::move(table), directory, NodeKind::kRow, std::move(cancel)),
        range_(std::move(range)) {}

 private:
  cluster::ReadSpec SpecBehind(const std::optional<std::string>& after) const override {
    cluster::ReadSpec spec;
    std::string start = after.has_value() ? engine::RowSuccessor(*after) : range_.start;
    // One cell without its value proves that the row exists, so a listing reads few bytes per row.
    spec.rows = engine::RowSet(engine::RowRange{std::move(start), range_.limit});
    spec.time = TimesOf(view_.as_of);
    spec.versions_per_column = 1;
    spec.keys_only = true;
    return spec;
  }
  void MarkOf(const cluster::CellView& cell, std::string* mark) const override {
    mark->assign(cell.row);
  }
  bool IsAtOrBefore(const std::string&) const override { return false; }
  void FillCell(const cluster::CellView& cell, DirEntry* out) override {
    NameKey(cell.row, out);
    out->entry.node.row.assign(cell.row);
  }

  const engine::RowRange range_;
};

// The columns of a row that is too wide for the row cache.
class WideColumnSource final : public ScanSource {
 public:
  using ScanSource::ScanSource;

 private:
  cluster::ReadSpec SpecBehind(const std::optional<std::string>&) const override {
    cluster::ReadSpec spec = RowSpec(view_, child_.row);
    spec.columns.push_back({engine::NamePattern::Exact(child_.family), engine::NamePattern::Any()});
    spec.value_size_max = 0;  // omits the bytes of values, but reads their sizes, which stat shows
    return spec;
  }
  void MarkOf(const cluster::CellView& cell, std::string* mark) const override {
    mark->assign(cell.qualifier);
  }
  bool IsAtOrBefore(const std::string& after) const override {
    return stream_->cell().qualifier <= after;
  }
  // False, because a read of one row always starts at its first column.
  bool IsCheapToEnter() const override { return false; }
  void FillCell(const cluster::CellView& cell, DirEntry* out) override {
    NameKey(cell.qualifier, out);
    out->entry.node.qualifier.assign(cell.qualifier);
    if (child_.kind != NodeKind::kCell) return;
    out->entry.node.timestamp_us = cell.timestamp_us;
    out->entry.node.sequence = cell.sequence;
    out->entry.attributes.size_bytes = ValueSize(cell);
  }
};

class VersionSource final : public ScanSource {
 public:
  using ScanSource::ScanSource;

 private:
  cluster::ReadSpec SpecBehind(const std::optional<std::string>& after) const override {
    cluster::ReadSpec spec = ColumnSpec(view_, child_.row, child_.family, child_.qualifier);
    spec.versions_per_column = 0;
    spec.value_size_max = 0;
    // Versions come newest first, so those after the mark have earlier times.
    if (after.has_value()) spec.time.limit_us = *ParseTime(*after);
    return spec;
  }
  void MarkOf(const cluster::CellView& cell, std::string* mark) const override {
    *mark = PrintTime(cell.timestamp_us);
  }
  bool IsAtOrBefore(const std::string& after) const override {
    // The limit kTimeMax means no limit (engine/model/cell.h), so a read after a version at
    // kTimeMax returns that version again.
    return stream_->cell().timestamp_us >= *ParseTime(after);
  }
  void FillCell(const cluster::CellView& cell, DirEntry* out) override {
    out->name = PrintTime(cell.timestamp_us);
    out->entry.node.timestamp_us = cell.timestamp_us;
    out->entry.node.sequence = cell.sequence;
    out->entry.attributes.size_bytes = ValueSize(cell);
  }
};

// The columns of a family, from the row cache; for a wide row, from a scan.
class ColumnSource final : public EntrySource {
 public:
  ColumnSource(TreeContext* context, TablePtr table, const Node& directory,
               cluster::CancelFlag cancel)
      : context_(context),
        table_(std::move(table)),
        directory_(directory),
        cancel_(std::move(cancel)) {
    child_ = directory.kind == NodeKind::kFamily ? NodeKind::kCell : NodeKind::kColumnVersions;
  }

  Status Start(const std::optional<std::string>& after) override {
    cluster::CallOptions call;
    call.cancel = cancel_;
    auto row = context_->rows.Get(table_->table_id, {table_->schema.name, directory_.as_of},
                                  directory_.row, call);
    if (!row.ok()) return row.status();
    row_ = *std::move(row);
    wide_.reset();
    if (row_->is_wide) {
      wide_ = std::make_unique<WideColumnSource>(context_, table_, directory_, child_, cancel_);
      return wide_->Start(after);
    }
    index_ = row_->FirstOf(directory_.family, after);
    return OkStatus();
  }

  bool Valid() const override {
    if (wide_ != nullptr) return wide_->Valid();
    return row_ != nullptr && index_ < row_->columns.size() &&
           row_->columns[index_].family == directory_.family;
  }
  Status status() const override { return wide_ != nullptr ? wide_->status() : OkStatus(); }
  std::string_view Mark() const override {
    return wide_ != nullptr ? wide_->Mark() : row_->columns[index_].qualifier;
  }
  void Next() override { wide_ != nullptr ? wide_->Next() : void(++index_); }

  void Fill(DirEntry* out) override {
    if (wide_ != nullptr) return wide_->Fill(out);
    const RowColumn& column = row_->columns[index_];
    context_->codec.Encode(column.qualifier, &out->name);
    Entry& entry = out->entry;
    entry.node = ChildOf(directory_, child_);
    if (out->name.find("%~") != std::string::npos) {
      LongNameScope scope = ScopeOf(entry.node, {});
      context_->long_names.Note(scope.Key(), out->name, column.qualifier, scope.run_keys());
    }
    entry.node.qualifier = column.qualifier;
    entry.attributes = {0, table_->changed_at_us};
    if (child_ == NodeKind::kCell) {
      entry.node.timestamp_us = column.timestamp_us;
      entry.node.sequence = column.sequence;
      entry.attributes = {column.size_bytes, column.timestamp_us};
    }
    entry.inode_number = InodeNumber(entry.node);
    entry.age_us = context_->AgeUs(row_->loaded_at_ns);
  }

 private:
  TreeContext* const context_;
  const TablePtr table_;
  const Node directory_;
  const cluster::CancelFlag cancel_;
  NodeKind child_;
  RowPtr row_;
  size_t index_ = 0;
  std::unique_ptr<EntrySource> wide_;
};

}  // namespace

std::unique_ptr<EntrySource> NewRowSource(TreeContext* context, TablePtr table,
                                          const Node& directory, engine::RowRange range,
                                          cluster::CancelFlag cancel) {
  return std::make_unique<RowSource>(context, std::move(table), directory, std::move(range),
                                     std::move(cancel));
}

std::unique_ptr<EntrySource> NewColumnSource(TreeContext* context, TablePtr table,
                                             const Node& directory, cluster::CancelFlag cancel) {
  return std::make_unique<ColumnSource>(context, std::move(table), directory, std::move(cancel));
}

std::unique_ptr<EntrySource> NewVersionSource(TreeContext* context, TablePtr table,
                                              const Node& directory, cluster::CancelFlag cancel) {
  return std::make_unique<VersionSource>(context, std::move(table), directory, NodeKind::kCell,
                                         std::move(cancel));
}

StatusOr<std::vector<std::string>> FamiliesOf(TreeContext* context, const TablePtr& table,
                                              const Node& directory,
                                              const cluster::CallOptions& call) {
  ReadView view{table->schema.name, directory.as_of};
  ASSIGN_OR_RETURN(RowPtr row, context->rows.Get(table->table_id, view, directory.row, call));
  std::vector<std::string> families;
  auto add = [&](std::string_view family) {
    if (families.empty() || families.back() != family) families.emplace_back(family);
  };
  for (const RowColumn& column : row->columns) add(column.family);
  // A wide row's snapshot has no columns, so one cell per family is read, without its value.
  if (!row->is_wide) return families;
  cluster::ReadSpec spec = RowSpec(view, directory.row);
  spec.cells_per_family = 1;
  spec.strip_values = true;
  ASSIGN_OR_RETURN(auto stream, context->data->Read(view.table, spec, call));
  for (; stream->Valid(); stream->Next()) add(stream->cell().family);
  RETURN_IF_ERROR(stream->status());
  return families;
}

}  // namespace sippar::fuse
