// TreeView: the mounted tree without the kernel (SEMANTICS.md): the meaning of a name in a
// directory and the entries of a directory, both by directory.h, and the content of a file. Uses
// neither the inode table nor libfuse, so tests run it against a fake client. Thread safe. Errors:
// kNotFound; kInvalidArgument (a time, range, number, test or saved query that is not valid);
// kFailedPrecondition (the version of an inode no longer exists, or a node of the wrong kind);
// TooLarge (open_values.h, and control files above kControlTextSizeMax); kResourceExhausted
// (open_values.h, and more than kStreamsMax generated files); kDeadlineExceeded; kCancelled;
// kDataLoss (two keys with one long name); kInternal; and the errors of the client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/client.h"
#include "fuse/directories/usage.h"
#include "fuse/tree/attributes.h"
#include "fuse/tree/change_follower.h"
#include "fuse/tree/dir_stream.h"
#include "fuse/tree/open_values.h"
#include "fuse/tree/text_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// Bytes of a file; `view` is valid as long as `owner` exists.
struct FileBytes {
  ValuePtr owner;
  std::string_view view;
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
  // ReadFile, piece by piece (open_values.h).
  [[nodiscard]] StatusOr<OpenValuePtr> OpenFile(const Node& file, const Attributes& attributes,
                                                const cluster::CallOptions& call);
  // Returns `size` bytes from `offset` on, or those before the end of the file.
  [[nodiscard]] StatusOr<FileBytes> ReadFile(OpenValue* file, uint64_t offset, uint64_t size,
                                             const cluster::CallOptions& call);
  // Starts to generate the text of a kGenerated. The stream must not outlive this object.
  [[nodiscard]] StatusOr<std::unique_ptr<TextStream>> OpenGenerated(
      const Node& file, const cluster::CallOptions& call);
  // Ends the reads of all streams: those that wait now, perhaps for a long time, and all later
  // ones.
  void StopStreams() { is_stopping_->store(true); }
  // std::nullopt if there is no such attribute. XattrNames (xattrs.h) lists the names.
  [[nodiscard]] StatusOr<std::optional<std::string>> Xattr(const Node& node, std::string_view name,
                                                           const cluster::CallOptions& call);
  [[nodiscard]] StatusOr<Usage> ReadUsage() { return usage_.Read(); }

  // Null without TreeOptions::follows_changes. Setting follower_cancel ends its Poll.
  ChangeFollower* follower() { return follower_.get(); }
  const cluster::CancelFlag& follower_cancel() const { return follower_cancel_; }

  // Counts an error and keeps its text for .status. Called by the layer that reports errors to the
  // kernel.
  void NoteError(const std::string& text) { context_.status.NoteError(text); }
  uint64_t row_reads() const { return context_.rows.reads(); }
  uint64_t value_bytes() { return values_.held_bytes(); }

 private:
  StatusOr<std::vector<DirEntry>> FixedEntries(const Node& directory,
                                               const cluster::CallOptions& call);

  TreeContext context_;
  OpenValues values_;
  UsageReader usage_;
  const cluster::CancelFlag follower_cancel_ = std::make_shared<std::atomic<bool>>(false);
  const std::unique_ptr<ChangeFollower> follower_;
  const std::shared_ptr<std::atomic<bool>> is_stopping_;
  std::atomic<int> streams_{0};  // number of open streams
};

}  // namespace sippar::fuse
