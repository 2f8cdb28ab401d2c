// Dispatch: turns each kernel request into calls of the tree and a reply. Owns the inode table and
// the open handles; the libfuse callbacks in dispatch_*.cc only translate. Used by mount. Thread
// safe: libfuse calls it from many threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "fuse/directories/tree_view.h"
#include "fuse/kernel/change_notifier.h"
#include "fuse/kernel/inode_table.h"
#include "fuse/kernel/node_trimmer.h"
#include "fuse/kernel/trouble_log.h"

struct fuse_lowlevel_ops;

namespace sippar::fuse {

struct DispatchOptions {
  int64_t timeout_us = 10'000'000;          // deadline of one kernel request
  int64_t listing_timeout_us = 30'000'000;  // deadline of filling one buffer of a listing
  // Longest time that the kernel may keep a name that is not followed: --entry-timeout.
  int64_t name_age_us_max = kFreshnessUs;
  // Above this number of nodes, listings return names without nodes and idle rows are forgotten.
  uint64_t nodes_max = 1'000'000;
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode_mask = 0;            // permission bits removed: --umask
  std::function<void()> on_ready;  // runs when the kernel has sent its first request
};

// An open file: either a value or the text of a generated file.
struct OpenFile {
  OpenValuePtr value;
  std::unique_ptr<TextStream> stream;
};

struct OpenDir {
  Node node;
  uint64_t node_id = 0;
  uint64_t lookups_before = 0;  // LookupsIn(node_id) when the directory was opened
  cluster::CancelFlag cancel = std::make_shared<std::atomic<bool>>(false);
  engine::Mutex mutex;
  std::unique_ptr<DirStream> stream GUARDED_BY(mutex);
};

class Dispatch {
 public:
  Dispatch(TreeView* tree, engine::Clock* clock, const DispatchOptions& options);
  ~Dispatch();

  // Sets all libfuse callbacks. Their userdata must be a Dispatch.
  static void FillOperations(fuse_lowlevel_ops* operations);

  TreeView* tree() { return tree_; }
  engine::Clock* clock() { return clock_; }
  const DispatchOptions& options() const { return options_; }
  InodeTable* inodes() { return &inodes_; }
  TroubleLog* log() { return &log_; }
  NodeTrimmer* trimmer() { return &trimmer_; }
  ChangeNotifier* notifier() { return &notifier_; }

  void FillStat(const Node& node, const Attributes& attributes, uint64_t inode_number,
                struct stat* out) const;
  // Seconds for which the kernel may cache the name of an entry (NameSeconds) and the attributes of
  // a node (AttributeSeconds). The kernel counts them from the reply, so `elapsed_us` is the time
  // since the lookup that found the entry began, or since a listing returned the entry.
  double NameSeconds(const Entry& entry, int64_t elapsed_us) const;
  // Like NameSeconds, for an entry that a lookup in `directory` found: a name whose changes are
  // followed is kept for longer.
  double FollowedNameSeconds(const Node& directory, const Entry& entry, int64_t elapsed_us) const;
  double AttributeSeconds(const Node& node) const;

  // Adds an open handle and returns the number for the kernel. A handle lives until it is released,
  // or until this object ends, because a lazy unmount sends no release.
  uint64_t AddFile(OpenFile file);
  uint64_t AddDir(uint64_t node_id, const Node& node);
  // Return the object of a handle. Both functions only cast the handle, but they take the lock,
  // because the C++ memory model needs it to order the open before the read. The order in which the
  // kernel sends these two requests is not enough.
  OpenFile* FileOf(uint64_t handle) EXCLUDES(mutex_);
  OpenDir* DirOf(uint64_t handle) EXCLUDES(mutex_);
  void Release(OpenFile* file);
  void Release(OpenDir* dir);

  // Counts the names that were looked up one by one in a directory. Approximate: directories share
  // counters.
  void NoteLookupIn(uint64_t node_id) { LookupCounter(node_id)->fetch_add(1); }
  uint64_t LookupsIn(uint64_t node_id) { return LookupCounter(node_id)->load(); }

  // Returns lines of "name value", which the process prints when it receives SIGUSR1.
  std::string Counters();

 private:
  std::atomic<uint64_t>* LookupCounter(uint64_t node_id) {
    return &lookups_[node_id % lookups_.size()];
  }

  TreeView* const tree_;
  engine::Clock* const clock_;
  const DispatchOptions options_;
  std::array<std::atomic<uint64_t>, 256> lookups_{};  // two directories may share a counter
  InodeTable inodes_;
  TroubleLog log_;
  NodeTrimmer trimmer_;
  ChangeNotifier notifier_;
  engine::Mutex mutex_;
  std::unordered_set<OpenFile*> files_ GUARDED_BY(mutex_);
  std::unordered_set<OpenDir*> dirs_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
