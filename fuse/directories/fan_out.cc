// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/fan_out.h"

#include <fmt/format.h>

#include "fuse/directories/directory.h"
#include "fuse/directories/find_row.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/reads.h"

namespace sippar::fuse {
namespace {

// Number of a folder's rows to step over before a new read is opened after the folder: for fewer
// rows, stepping costs less than opening.
constexpr int kRowsStepped = 32;

cluster::ReadSpec KeysOf(const ReadView& view, engine::RowRange range) {
  cluster::ReadSpec spec;
  spec.rows = engine::RowSet(std::move(range));
  spec.time = TimesOf(view.as_of);
  spec.versions_per_column = 1;
  spec.keys_only = true;
  return spec;
}

class FanOutSource final : public EntrySource {
 public:
  FanOutSource(TreeContext* context, TablePtr table, const Node& directory,
               cluster::CancelFlag cancel)
      : context_(context),
        table_(std::move(table)),
        directory_(directory),
        view_{table_->schema.name, directory.as_of},
        range_(engine::RowRange::Prefix(directory.row)),
        cancel_(std::move(cancel)) {}

  Status Start(const std::optional<std::string>& after) override {
    Open(after.has_value() ? StartAfter(*after) : std::optional(range_.start));
    return status_;
  }
  // Starts at the entry to which the first row at or after `key` belongs.
  Status StartAt(const std::string& key) {
    Open(key);
    return status_;
  }
  bool Valid() const override { return status_.ok() && stream_ != nullptr && stream_->Valid(); }
  Status status() const override { return status_; }
  // The mark is 'd' for a folder or 'l' for a row, and then the key of the entry.
  std::string_view Mark() const override { return mark_; }

  void Next() override {
    if (is_folder()) {
      std::string folder = mark_.substr(1);
      for (int i = 0; i < kRowsStepped; ++i) {
        stream_->Next();
        if (!stream_->Valid() || !stream_->cell().row.starts_with(folder)) return Take();
      }
      return Open(StartAfter(mark_));
    }
    stream_->Next();
    Take();
  }

  void Fill(DirEntry* out) override {
    std::string_view key = std::string_view(mark_).substr(1);
    context_->codec.Encode(key.substr(directory_.row.size()), &out->name);
    out->entry = {};
    Entry& entry = out->entry;
    entry.node = directory_;
    entry.attributes.changed_at_us = table_->changed_at_us;
    if (is_folder()) {
      entry.node.row = key;
    } else {
      entry.node.kind = NodeKind::kSymlink;
      entry.node.qualifier = out->name;
      entry.node.text = RowLink(context_->codec, directory_.row, key);
      entry.attributes.size_bytes = entry.node.text.size();
    }
    entry.inode_number = InodeNumber(entry.node);
    entry.age_us = context_->AgeUs(opened_at_ns_);
  }

 private:
  bool is_folder() const { return mark_.front() == 'd'; }

  // The first key after an entry; std::nullopt if no key can follow.
  static std::optional<std::string> StartAfter(const std::string& mark) {
    std::string_view key = std::string_view(mark).substr(1);
    if (mark.front() != 'd') return engine::RowSuccessor(key);
    std::string limit = engine::PrefixLimit(key);
    return limit.empty() ? std::nullopt : std::optional(std::move(limit));
  }

  void Open(const std::optional<std::string>& start) {
    stream_.reset();
    status_ = OkStatus();
    if (!start.has_value()) return;
    engine::RowRange range{*start, range_.limit};
    if (range.IsEmpty()) return;
    opened_at_ns_ = context_->clock->MonotonicNanos();
    cluster::CallOptions call;
    call.cancel = cancel_;
    auto stream = context_->data->Read(view_.table, KeysOf(view_, std::move(range)), call);
    if (!stream.ok()) {
      status_ = stream.status();
      return;
    }
    stream_ = *std::move(stream);
    Take();
  }

  // Makes the entry to which the stream's current row belongs the current entry.
  void Take() {
    if (!stream_->Valid()) {
      status_ = stream_->status();
      return;
    }
    std::string_view row = stream_->cell().row;
    size_t size = ComponentSize(directory_.row, row.substr(directory_.row.size()));
    mark_ = size > 0 ? 'd' : 'l';
    mark_.append(size > 0 ? row.substr(0, directory_.row.size() + size) : row);
  }

  TreeContext* const context_;
  const TablePtr table_;
  const Node directory_;
  const ReadView view_;
  const engine::RowRange range_;
  const cluster::CancelFlag cancel_;
  std::unique_ptr<cluster::CellStream> stream_;
  int64_t opened_at_ns_ = 0;
  std::string mark_;
  Status status_;
};

// Searches the entries that begin with the head of a long name.
StatusOr<std::string> SearchComponent(TreeContext* context, const TablePtr& table,
                                      const Node& directory, std::string_view name,
                                      const std::string& head, const cluster::CallOptions& call) {
  FanOutSource source(context, table, directory, call.cancel);
  int64_t started_at_ns = context->clock->MonotonicNanos();
  std::string first = directory.row + head;
  for (Status status = source.StartAt(first); status.ok() && source.Valid(); source.Next()) {
    std::string_view key = source.Mark().substr(1);
    if (!key.starts_with(first)) break;
    key.remove_prefix(directory.row.size());
    if (context->codec.Encode(key) == name) return std::string(key);
    if (call.timeout_us > 0 && context->AgeUs(started_at_ns) > call.timeout_us) {
      return DeadlineExceeded(
          fmt::format("entry {}: too many names with its first bytes; list its "
                      "folder, or use .prefix",
                      name));
    }
  }
  RETURN_IF_ERROR(source.status());
  return NoSuchName(name);
}

// Returns the component that a name stands for; a component with a long name (name_codec.h) is
// searched among the entries.
StatusOr<std::string> FindComponent(TreeContext* context, const TablePtr& table,
                                    const Node& directory, std::string_view name,
                                    const cluster::CallOptions& call) {
  std::optional<DecodedName> decoded = context->codec.Decode(name);
  if (!decoded.has_value()) return NoSuchName(name);
  if (!decoded->is_long) return std::move(decoded->key);
  return SearchComponent(context, table, directory, name, decoded->key, call);
}

// True if the key of any row begins with `prefix`.
StatusOr<bool> HasRowsBelow(TreeContext* context, const TablePtr& table, const Node& directory,
                            std::string_view prefix, const cluster::CallOptions& call) {
  ReadView view{table->schema.name, directory.as_of};
  ASSIGN_OR_RETURN(
      auto stream,
      context->data->Read(view.table, KeysOf(view, engine::RowRange::Prefix(prefix)), call));
  bool has_rows = stream->Valid();
  RETURN_IF_ERROR(stream->status());
  return has_rows;
}

StatusOr<Entry> LookupInFanOut(TreeContext* context, const Node& directory, std::string_view name,
                               const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  ASSIGN_OR_RETURN(std::string component, FindComponent(context, table, directory, name, call));
  std::string canonical = context->codec.Encode(component);
  std::string key = directory.row + component;
  size_t size = ComponentSize(directory.row, component);
  const bool is_row = size == 0;
  if (is_row) {
    Node row = ChildOf(directory, NodeKind::kRow);
    row.row = key;
    RETURN_IF_ERROR(FindRow(context, table, std::move(row), call).status());
  } else {
    ASSIGN_OR_RETURN(bool has_rows, HasRowsBelow(context, table, directory, key, call));
    if (!has_rows || size != component.size()) return NoSuchName(name);
  }
  if (canonical != name) {
    return SymlinkEntry(directory, name, std::move(canonical), table->changed_at_us);
  }
  if (is_row) {
    return SymlinkEntry(directory, name, RowLink(context->codec, directory.row, key),
                        table->changed_at_us);
  }
  Node node = directory;
  node.row = std::move(key);
  return EntryOf(std::move(node), table->changed_at_us);
}

StatusOr<std::unique_ptr<EntrySource>> ListFanOut(TreeContext* context, const Node& directory,
                                                  cluster::CancelFlag cancel) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(directory.table_id));
  return std::make_unique<FanOutSource>(context, std::move(table), directory, std::move(cancel));
}

}  // namespace

constinit const Directory kFanOutDirectory{.lookup = LookupInFanOut, .source = ListFanOut};

size_t ComponentSize(std::string_view prefix, std::string_view rest) {
  bool is_in_path = prefix.find('/') != std::string_view::npos;
  size_t end = rest.find_first_of(is_in_path ? "/#" : "/#.");
  return end == std::string_view::npos ? 0 : end + 1;
}

std::string RowLink(const NameCodec& codec, std::string_view prefix, std::string_view row) {
  std::string target = "../";
  for (size_t at = 0; at < prefix.size();) {
    at += ComponentSize(prefix.substr(0, at), prefix.substr(at));
    target += "../";
  }
  return target + codec.Encode(row);
}

}  // namespace sippar::fuse
