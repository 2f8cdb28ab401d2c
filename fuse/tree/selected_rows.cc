// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/selected_rows.h"

#include <algorithm>

#include "fuse/tree/long_name_search.h"
#include "fuse/tree/table_entries.h"

namespace sippar::fuse {
namespace {

Status NoLanguage() {
  return NotFound(
      "the query language is not part of this mount, so it has no .where, .export, "
      ".row.json and .sql");
}

// Calls `visit` with the key of each row in the question's range, until `visit` returns false. The
// question has no tests; rows_max is ignored.
template <typename Visit>
Status VisitKeys(TreeContext* context, const RowQuestion& question,
                 const cluster::CallOptions& call, Visit visit) {
  if (question.range.IsEmpty()) return OkStatus();
  cluster::ReadSpec spec;
  spec.rows = engine::RowSet(question.range);
  spec.time = TimesOf(question.as_of);
  spec.versions_per_column = 1;
  spec.keys_only = true;
  ASSIGN_OR_RETURN(auto stream, context->data->Read(question.table, spec, call));
  while (stream->Valid() && visit(stream->cell().row)) stream->Next();
  return stream->status();
}

// Returns the exclusive end of the first `count` rows. If the question has fewer rows, returns the
// question's own limit.
StatusOr<std::string> LimitOfFirst(TreeContext* context, const RowQuestion& question,
                                   uint64_t count, const cluster::CallOptions& call) {
  RowQuestion page = question;
  if (question.tests.empty()) {
    uint64_t left = count;
    std::string last;
    RETURN_IF_ERROR(VisitKeys(context, question, call, [&](std::string_view row) {
      if (--left > 0) return true;
      last = row;
      return false;
    }));
    return left == 0 ? engine::RowSuccessor(last) : question.range.limit;
  }
  // Reads the keys in pages, so that a large count does not fill the memory.
  for (uint64_t left = count; !page.range.IsEmpty();) {
    page.rows_max = std::min(left, kMatchesMax);
    ASSIGN_OR_RETURN(std::vector<std::string> keys, context->answers->Keys(page, call));
    if (keys.size() < page.rows_max) break;
    page.range.start = engine::RowSuccessor(keys.back());
    left -= keys.size();
    if (left == 0) return page.range.start;
  }
  return question.range.limit;
}

// Lists the rows that pass the tests. Asks for their keys in pages, because the query language
// returns all keys of an answer in one call, but a listing takes one entry at a time. The pages
// grow, so that the first names appear soon.
class MatchSource final : public EntrySource {
 public:
  MatchSource(TreeContext* context, TablePtr table, const Node& directory, RowQuestion question,
              cluster::CancelFlag cancel)
      : context_(context),
        table_(std::move(table)),
        child_(directory),
        question_(std::move(question)),
        cancel_(std::move(cancel)) {
    child_.kind = NodeKind::kRow;
  }

  Status Start(const std::optional<std::string>& after) override {
    question_.rows_max = kMatchesMin;
    if (after.has_value()) question_.range.start = engine::RowSuccessor(*after);
    return status_ = LoadPage();
  }
  bool Valid() const override { return status_.ok() && index_ < keys_.size(); }
  Status status() const override { return status_; }
  std::string_view Mark() const override { return keys_[index_]; }

  void Next() override {
    if (++index_ < keys_.size() || keys_.size() < question_.rows_max) return;
    question_.range.start = engine::RowSuccessor(keys_.back());
    question_.rows_max = std::min(question_.rows_max * 4, kMatchesMax);
    status_ = LoadPage();
  }

  void Fill(DirEntry* out) override {
    const std::string& key = keys_[index_];
    context_->codec.Encode(key, &out->name);
    if (out->name.find("%~") != std::string::npos) {
      LongNameScope scope;
      scope.table_id = child_.table_id;
      context_->long_names.Note(scope.Key(), out->name, key, scope.run_keys());
    }
    out->entry = {};
    out->entry.node = child_;
    out->entry.node.row = key;
    out->entry.attributes = {0, table_->changed_at_us};
    out->entry.inode_number = InodeNumber(out->entry.node);
    out->entry.age_us = context_->AgeUs(loaded_at_ns_);
    context_->recent_rows.Note(out->entry.inode_number, loaded_at_ns_);
  }

 private:
  Status LoadPage() {
    keys_.clear();
    index_ = 0;
    loaded_at_ns_ = context_->clock->MonotonicNanos();
    if (question_.range.IsEmpty()) return OkStatus();
    cluster::CallOptions call;
    call.cancel = cancel_;
    call.timeout_us = context_->query_timeout_us;
    ASSIGN_OR_RETURN(keys_, context_->answers->Keys(question_, call));
    return OkStatus();
  }

  TreeContext* const context_;
  const TablePtr table_;
  Node child_;
  RowQuestion question_;
  const cluster::CancelFlag cancel_;
  std::vector<std::string> keys_;
  size_t index_ = 0;
  int64_t loaded_at_ns_ = 0;
  Status status_;
};

// Determines the directory's rows when a listing starts, so that a rewound listing shows the
// current rows.
class SelectionSource final : public EntrySource {
 public:
  SelectionSource(TreeContext* context, TablePtr table, const Node& directory,
                  cluster::CancelFlag cancel)
      : context_(context),
        table_(std::move(table)),
        directory_(directory),
        cancel_(std::move(cancel)) {}

  Status Start(const std::optional<std::string>& after) override {
    rows_.reset();
    cluster::CallOptions call;
    call.cancel = cancel_;
    ASSIGN_OR_RETURN(RowQuestion question, RowsOf(context_, table_, directory_, call));
    if (question.range.IsEmpty()) return OkStatus();
    if (question.tests.empty()) {
      rows_ = NewRowSource(context_, table_, directory_, std::move(question.range), cancel_);
    } else {
      rows_ =
          std::make_unique<MatchSource>(context_, table_, directory_, std::move(question), cancel_);
    }
    return rows_->Start(after);
  }
  bool Valid() const override { return rows_ != nullptr && rows_->Valid(); }
  Status status() const override { return rows_ == nullptr ? OkStatus() : rows_->status(); }
  std::string_view Mark() const override { return rows_->Mark(); }
  void Next() override { rows_->Next(); }
  void Fill(DirEntry* out) override { rows_->Fill(out); }

 private:
  TreeContext* const context_;
  const TablePtr table_;
  const Node directory_;
  const cluster::CancelFlag cancel_;
  std::unique_ptr<EntrySource> rows_;  // null: the directory has no rows
};

}  // namespace

StatusOr<RowQuestion> RowsOf(TreeContext* context, const TablePtr& table, const Node& directory,
                             const cluster::CallOptions& call) {
  RowSelection selection = DecodeSelection(directory.selection);
  if (!selection.tests.empty() && context->answers == nullptr) return NoLanguage();
  RowQuestion question;
  question.table = table->schema.name;
  question.as_of = directory.as_of;
  question.range = std::move(selection.range);
  question.tests = std::move(selection.tests);
  if (!selection.rows_max.has_value() || question.range.IsEmpty()) return question;
  Node home;
  home.kind = NodeKind::kTable;
  home.as_of = directory.as_of;
  home.table_id = directory.table_id;
  home.selection = directory.selection;
  std::string key;
  EncodeNode(home, &key);
  int64_t now_ns = context->clock->MonotonicNanos();
  std::optional<std::string> limit = context->first_rows.Find(key, now_ns);
  if (!limit.has_value()) {
    ASSIGN_OR_RETURN(limit, LimitOfFirst(context, question, *selection.rows_max, call));
    context->first_rows.Note(key, *limit, now_ns);
  }
  question.range.limit = *std::move(limit);
  return question;
}

StatusOr<bool> HasRow(TreeContext* context, const TablePtr& table, const Node& directory,
                      std::string_view row, const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(RowQuestion question, RowsOf(context, table, directory, call));
  if (!question.range.Contains(row)) return false;
  if (question.tests.empty()) {
    return RowExists(context->data, {question.table, question.as_of}, row, call);
  }
  question.range = engine::RowRange::Single(row);
  question.rows_max = 1;
  ASSIGN_OR_RETURN(std::vector<std::string> keys, context->answers->Keys(question, call));
  return !keys.empty();
}

StatusOr<uint64_t> CountRows(TreeContext* context, const TablePtr& table, const Node& directory,
                             const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(RowQuestion question, RowsOf(context, table, directory, call));
  if (question.range.IsEmpty()) return 0;
  // The query language counts the rows where they are stored.
  if (context->answers != nullptr) return context->answers->Count(question, call);
  uint64_t count = 0;
  RETURN_IF_ERROR(VisitKeys(context, question, call, [&](std::string_view) {
    ++count;
    return true;
  }));
  return count;
}

std::unique_ptr<EntrySource> NewSelectionSource(TreeContext* context, TablePtr table,
                                                const Node& directory, cluster::CancelFlag cancel) {
  return std::make_unique<SelectionSource>(context, std::move(table), directory, std::move(cancel));
}

}  // namespace sippar::fuse
