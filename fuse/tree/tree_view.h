// TreeView: the mounted tree without the kernel: the meaning of a name in a directory, the entries
// of a directory, the content of a file (SEMANTICS.md). Uses neither the inode table nor libfuse,
// so tests run it against a fake client. Thread safe. Errors: kNotFound; kInvalidArgument (bad
// time); kFailedPrecondition (the version of an inode no longer exists); TooLarge and
// kResourceExhausted (open_values.h); and the errors of the client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/client.h"
#include "fuse/tree/attributes.h"
#include "fuse/tree/control_text.h"
#include "fuse/tree/dir_stream.h"
#include "fuse/tree/long_name_search.h"
#include "fuse/tree/open_values.h"
#include "fuse/tree/text_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// Totals that statfs reports.
struct Usage {
  uint64_t stored_bytes = 0;
  uint64_t entries = 0;
};

class TreeView {
 public:
  // `client` must outlive this object.
  TreeView(cluster::Client* client, const TreeOptions& options);

  Entry Root() const;
  [[nodiscard]] StatusOr<Entry> Lookup(const Node& directory, std::string_view name,
                                       const cluster::CallOptions& call);
  // Setting `cancel` stops the scans of this stream.
  [[nodiscard]] StatusOr<std::unique_ptr<DirStream>> OpenDirectory(
      const Node& directory, const cluster::CancelFlag& cancel);
  // Opens a kCell or kText that has these attributes. A small value is read now, a larger one by
  // the first ReadFile.
  [[nodiscard]] StatusOr<OpenValuePtr> OpenFile(const Node& file, const Attributes& attributes,
                                                const cluster::CallOptions& call);
  // Returns the whole content, which stays in memory while the pointer exists.
  [[nodiscard]] StatusOr<ValuePtr> ReadFile(OpenValue* file, const cluster::CallOptions& call);
  // Starts to generate the text of a kGenerated. The stream must not outlive this object.
  [[nodiscard]] StatusOr<std::unique_ptr<TextStream>> OpenGenerated(
      const Node& file, const cluster::CallOptions& call);
  // Ends the reads of all streams: those that wait now, perhaps for a long time, and all later
  // ones.
  void StopStreams() { is_stopping_->store(true); }
  // std::nullopt if there is no such attribute. XattrNames (xattrs.h) lists the names.
  [[nodiscard]] StatusOr<std::optional<std::string>> Xattr(const Node& node, std::string_view name,
                                                           const cluster::CallOptions& call);
  // The totals, at most as old as TreeOptions::freshness_us.
  [[nodiscard]] StatusOr<Usage> ReadUsage();

  // Counts an error and keeps its text for .status. Called by the layer that reports errors to the
  // kernel.
  void NoteError(const std::string& text);
  uint64_t row_reads() const { return context_.rows.reads(); }
  uint64_t value_bytes() { return values_.held_bytes(); }

 private:
  using Call = cluster::CallOptions;

  StatusOr<Entry> LookupInRoot(const Node& directory, std::string_view name);
  StatusOr<Entry> LookupInAsOf(const Node& directory, std::string_view name);
  StatusOr<Entry> LookupInTable(const Node& directory, std::string_view name, const Call& call);
  StatusOr<Entry> LookupInSelectionHome(const Node& directory, std::string_view name,
                                        const Call& call);
  StatusOr<Entry> LookupInExport(const Node& directory, std::string_view name);
  StatusOr<Entry> LookupInFanOut(const Node& directory, std::string_view name, const Call& call);
  StatusOr<Entry> LookupInSavedQueries(const Node& directory, std::string_view name);
  StatusOr<Entry> LookupRowText(const Node& directory, const Call& call);
  StatusOr<Entry> LookupFamily(const Node& directory, std::string_view name, NodeKind kind);
  StatusOr<Entry> LookupColumn(const Node& directory, std::string_view name, NodeKind kind,
                               const Call& call);
  StatusOr<Entry> LookupVersion(const Node& directory, std::string_view name, const Call& call);
  StatusOr<TablePtr> FindTable(std::string_view name);
  // Returns the key that a name stands for, and sets *canonical to the right spelling of the name.
  StatusOr<std::string> ResolveName(const LongNameScope& scope, std::string_view name,
                                    std::string* canonical, const Call& call);
  StatusOr<Entry> FindRow(const TablePtr& table, Node node, const Call& call);
  StatusOr<Entry> FindColumn(const TablePtr& table, Node node, const Call& call);
  StatusOr<std::string> ReadValue(const Node& cell, const Call& call);

  Entry DirectoryEntry(Node node, int64_t changed_at_us) const;
  Entry TextEntry(const Node& directory, std::string_view name, std::string text,
                  int64_t changed_at_us) const;
  Entry SymlinkEntry(const Node& directory, std::string_view name, std::string target,
                     int64_t changed_at_us) const;
  StatusOr<std::vector<DirEntry>> FixedEntries(const Node& directory, const Call& call);
  StatusOr<std::vector<DirEntry>> TableEntries(const Node& directory);
  StatusOr<std::optional<Entry>> ControlEntry(const Node& directory, std::string_view name);
  std::optional<Entry> RootControl(const Node& directory, std::string_view name);
  StatusOr<std::optional<Entry>> QueryEntry(const Node& directory, std::string_view name);
  Entry GeneratedEntry(const Node& directory, std::string_view name, int64_t changed_at_us) const;
  StatusOr<std::vector<std::string>> SavedQueryFiles();
  StatusOr<TextStream::Writer> WriterOf(const Node& file);
  std::string RenderMountStatus();

  TreeContext context_;
  OpenValues values_;
  const int64_t mounted_at_us_;
  const std::shared_ptr<std::atomic<bool>> is_stopping_;
  std::atomic<int> streams_{0};  // number of open streams

  engine::Mutex mutex_;
  MountStatus status_ GUARDED_BY(mutex_);
  Usage usage_ GUARDED_BY(mutex_);
  int64_t usage_read_at_ns_ GUARDED_BY(mutex_) = 0;
  bool is_usage_read_ GUARDED_BY(mutex_) = false;
};

}  // namespace sippar::fuse
