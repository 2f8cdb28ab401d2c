// Dispatch: kernel call -> tree -> reply. Owns the inode table and the open handles; the libfuse
// callbacks in the .cc files are thin and end here. Used by mount. Thread safe (libfuse calls it
// from many threads). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "fuse/kernel/inode_table.h"
#include "fuse/kernel/node_trimmer.h"
#include "fuse/kernel/trouble_log.h"
#include "fuse/tree/tree_view.h"

struct fuse_lowlevel_ops;

namespace sippar::fuse {

struct DispatchOptions {
  int64_t timeout_us = 10'000'000;          // of one request
  int64_t listing_timeout_us = 30'000'000;  // of one buffer of a listing
  int64_t name_age_us_max = kFreshnessUs;   // --entry-timeout
  uint64_t nodes_max = 1'000'000;  // above it listings hand out names only, and rows are forgotten
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode_mask = 0;            // --umask
  std::function<void()> on_ready;  // when the kernel has said hello
};

struct OpenFile {
  OpenValuePtr value;
};

struct OpenDir {
  Node node;
  uint64_t node_id = 0;
  uint64_t lookups_before = 0;  // LookupsIn(node_id) when it was opened
  cluster::CancelFlag cancel = std::make_shared<std::atomic<bool>>(false);
  engine::Mutex mutex;
  std::unique_ptr<DirStream> stream GUARDED_BY(mutex);
};

class Dispatch {
 public:
  Dispatch(TreeView* tree, engine::Clock* clock, const DispatchOptions& options);
  ~Dispatch();

  // The callbacks; their userdata is a Dispatch.
  static void FillOperations(fuse_lowlevel_ops* operations);

  TreeView* tree() { return tree_; }
  engine::Clock* clock() { return clock_; }
  const DispatchOptions& options() const { return options_; }
  InodeTable* inodes() { return &inodes_; }
  TroubleLog* log() { return &log_; }
  NodeTrimmer* trimmer() { return &trimmer_; }

  void FillStat(const Node& node, const Attributes& attributes, uint64_t inode_number,
                struct stat* out) const;
  // Seconds the kernel may keep the name, and the attributes.
  double NameSeconds(const Entry& entry) const;
  double AttributeSeconds(const Node& node) const;

  // Handles live until released or until this object ends: a lazy unmount releases nothing.
  uint64_t AddFile(OpenValuePtr value);
  uint64_t AddDir(uint64_t node_id, const Node& node);
  // What the kernel's handle means. The lock is for the memory model: that the open came before the
  // read only the kernel knows.
  OpenValuePtr ValueOf(uint64_t handle) EXCLUDES(mutex_);
  OpenDir* DirOf(uint64_t handle) EXCLUDES(mutex_);
  void Release(OpenFile* file);
  void Release(OpenDir* dir);

  // Roughly how many names were found in the directory by looking them up one by one.
  void NoteLookupIn(uint64_t node_id) { LookupCounter(node_id)->fetch_add(1); }
  uint64_t LookupsIn(uint64_t node_id) { return LookupCounter(node_id)->load(); }

  // "name value" lines for SIGUSR1.
  std::string Counters();

 private:
  std::atomic<uint64_t>* LookupCounter(uint64_t node_id) {
    return &lookups_[node_id % lookups_.size()];
  }

  TreeView* const tree_;
  engine::Clock* const clock_;
  const DispatchOptions options_;
  std::array<std::atomic<uint64_t>, 256> lookups_{};  // two directories may share one
  InodeTable inodes_;
  TroubleLog log_;
  NodeTrimmer trimmer_;
  engine::Mutex mutex_;
  std::unordered_set<OpenFile*> files_ GUARDED_BY(mutex_);
  std::unordered_set<OpenDir*> dirs_ GUARDED_BY(mutex_);
};

}  // namespace sippar::fuse
