// SPDX-License-Identifier: Apache-2.0
#include "fuse/directories/tree_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuse/directories/directory.h"
#include "fuse/directories/generated_files.h"
#include "fuse/tree/entries.h"
#include "fuse/tree/reads.h"
#include "fuse/tree/tree_limits.h"
#include "fuse/tree/xattrs.h"

namespace sippar::fuse {
namespace {

Status NoDirectory() { return FailedPrecondition("not a directory"); }

// Returns a part of the bytes of exactly this version, whose value has `size_bytes`. A cached row
// of any age will do, because a version never changes.
StatusOr<std::string> ReadValue(TreeContext* context, const Node& cell, uint64_t size_bytes,
                                const engine::ValuePart& part, const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(TablePtr table, context->tables.FindId(cell.table_id));
  ReadView view{table->schema.name, std::nullopt};
  if (RowPtr row = context->rows.Peek(cell.table_id, view, cell.row); row != nullptr) {
    const RowColumn* column = row->Find(cell.family, cell.qualifier);
    if (column != nullptr && column->value.has_value() && column->sequence == cell.sequence &&
        column->timestamp_us == cell.timestamp_us) {
      return column->value->substr(part.offset, part.size);
    }
  }
  cluster::ReadSpec spec = ColumnSpec(view, cell.row, cell.family, cell.qualifier);
  spec.time = OnlyTime(cell.timestamp_us);
  if (part.size < size_bytes) spec.value_part = part;
  ASSIGN_OR_RETURN(std::optional<FoundVersion> found,
                   ReadFirst(context->data, view.table, spec, call));
  // An overwrite at the same timestamp has another sequence number: its bytes must not appear under
  // this inode.
  if (!found.has_value() || found->sequence != cell.sequence) {
    return FailedPrecondition(
        fmt::format("table {}: version {} of row {}, column {}:{} was overwritten, deleted or "
                    "garbage-collected; open the file again",
                    view.table, cell.timestamp_us, context->codec.Encode(cell.row), cell.family,
                    context->codec.Encode(cell.qualifier)));
  }
  // A server of an earlier version returns the whole value (ReadSpec::value_part).
  if (found->value.size() > part.size) return found->value.substr(part.offset, part.size);
  return std::move(found->value);
}

}  // namespace

TreeView::TreeView(cluster::Client* client, const TreeOptions& options)
    : context_(client, options),
      values_(options.value_memory_bytes, client->clock()),
      usage_(&context_),
      follower_(options.follows_changes
                    ? std::make_unique<ChangeFollower>(&context_, follower_cancel_)
                    : nullptr),
      is_stopping_(std::make_shared<std::atomic<bool>>(false)) {}

Entry TreeView::Root() const { return EntryOf(Node(), context_.mounted_at_us); }

StatusOr<Entry> TreeView::Lookup(const Node& directory, std::string_view name,
                                 const cluster::CallOptions& call) {
  const Directory* kind = DirectoryOf(directory.kind);
  if (kind == nullptr) return NoDirectory();
  return kind->lookup(&context_, directory, name, call);
}

StatusOr<std::unique_ptr<DirStream>> TreeView::OpenDirectory(const Node& directory,
                                                             const cluster::CancelFlag& cancel) {
  const Directory* kind = DirectoryOf(directory.kind);
  if (kind == nullptr) return NoDirectory();
  // A directory of a table that was dropped cannot be opened.
  if (directory.table_id != 0) {
    RETURN_IF_ERROR(context_.tables.FindId(directory.table_id).status());
  }
  std::unique_ptr<EntrySource> source;
  if (kind->source != nullptr) {
    ASSIGN_OR_RETURN(source, kind->source(&context_, directory, cancel));
  }
  // Runs at the first read and at each rewind, so that a rewound handle shows the current state.
  auto fixed = [this, directory, cancel] {
    cluster::CallOptions call;
    call.cancel = cancel;
    return FixedEntries(directory, call);
  };
  return std::make_unique<DirStream>(fixed, std::move(source), context_.clock);
}

StatusOr<std::vector<DirEntry>> TreeView::FixedEntries(const Node& directory,
                                                       const cluster::CallOptions& call) {
  std::vector<DirEntry> entries;
  // The kernel uses only the type and the inode number of "." and "..".
  entries.push_back({".", EntryOf(directory, 0)});
  entries.push_back({"..", EntryOf(ParentOf(directory), 0)});
  const Directory& kind = *DirectoryOf(directory.kind);
  if (kind.controls != nullptr) {
    for (std::string_view name : kind.controls(directory)) {
      // Each name is looked up as the kernel would, so that a listing and a stat agree.
      ASSIGN_OR_RETURN(Entry entry, Lookup(directory, name, call));
      entries.push_back({std::string(name), std::move(entry)});
    }
  }
  if (kind.entries == nullptr) return entries;
  ASSIGN_OR_RETURN(std::vector<DirEntry> others, kind.entries(&context_, directory, call));
  std::move(others.begin(), others.end(), std::back_inserter(entries));
  return entries;
}

StatusOr<OpenValuePtr> TreeView::OpenFile(const Node& file, const Attributes& attributes,
                                          const cluster::CallOptions& call) {
  if (file.kind == NodeKind::kCell || file.kind == NodeKind::kText) {
    ASSIGN_OR_RETURN(OpenValuePtr value, values_.Open(file, attributes.size_bytes));
    // A small value is read when it is opened, so that later writes, deletions and garbage
    // collection cannot make its reads fail, unless its bytes have made room for others
    // (SEMANTICS.md "Freshness").
    bool is_small = attributes.size_bytes <= kCachedValueSizeMax;
    if (is_small) {
      RETURN_IF_ERROR(ReadFile(value.get(), 0, attributes.size_bytes, call).status());
    }
    return value;
  }
  return FailedPrecondition("the entry is a directory or a symbolic link, not a file");
}

StatusOr<FileBytes> TreeView::ReadFile(OpenValue* file, uint64_t offset, uint64_t size,
                                       const cluster::CallOptions& call) {
  auto load = [&](const engine::ValuePart& part) -> StatusOr<std::string> {
    const Node& node = file->node();
    if (node.kind == NodeKind::kText) return node.text.substr(part.offset, part.size);
    return ReadValue(&context_, node, file->size_bytes(), part, call);
  };
  FileBytes found;
  std::string joined;
  uint64_t left = std::min(size, file->size_bytes() - std::min(offset, file->size_bytes()));
  while (left > 0) {
    ASSIGN_OR_RETURN(ValuePiece piece, values_.PieceAt(file, offset, call.timeout_us, load));
    found.view = std::string_view(*piece.bytes).substr(offset - piece.offset, left);
    found.owner = std::move(piece.bytes);
    offset += found.view.size();
    left -= found.view.size();
    // Only bytes on both sides of a border of two pieces are copied.
    if (left > 0 || !joined.empty()) joined.append(found.view);
    // Readers that held one piece while they wait for room for another could wait for each other.
    if (left > 0) found = {};
  }
  if (!joined.empty()) {
    found.owner = std::make_shared<const std::string>(std::move(joined));
    found.view = *found.owner;
  }
  return found;
}

StatusOr<std::unique_ptr<TextStream>> TreeView::OpenGenerated(const Node& file,
                                                              const cluster::CallOptions& call) {
  ASSIGN_OR_RETURN(TextStream::Writer writer, WriterOf(&context_, file));
  // The count of open streams falls when the last copy of the writer is destroyed with its stream.
  std::shared_ptr<void> ticket(nullptr, [this](void*) { --streams_; });
  if (++streams_ > kStreamsMax) {
    return ResourceExhausted(
        fmt::format("file {}: {} generated files are open, which is the limit; close some",
                    file.qualifier, kStreamsMax));
  }
  auto counted = [writer = std::move(writer), ticket](const cluster::CallOptions& write_call,
                                                      const ByteSink& sink) {
    return writer(write_call, sink);
  };
  auto stream =
      std::make_unique<TextStream>(std::move(counted), context_.query_timeout_us, is_stopping_);
  RETURN_IF_ERROR(stream->Start(call));
  return stream;
}

StatusOr<std::optional<std::string>> TreeView::Xattr(const Node& node, std::string_view name,
                                                     const cluster::CallOptions& call) {
  return ReadXattr(&context_, node, name, call);
}

}  // namespace sippar::fuse
