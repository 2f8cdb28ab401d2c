// NodeTrimmer: while there are more nodes than --max-nodes, asks the kernel to forget idle rows and
// all nodes below them; by itself the kernel forgets nodes only when memory is short. Runs on its
// own thread, because the kernel may block the notification until requests in flight are answered.
// Used by dispatch and mount. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/thread.h"
#include "fuse/kernel/inode_table.h"
#include "fuse/tree/name_codec.h"

struct fuse_session;

namespace sippar::fuse {

class NodeTrimmer {
 public:
  NodeTrimmer(InodeTable* inodes, uint64_t nodes_max) : inodes_(inodes), nodes_max_(nodes_max) {}

  void Start(fuse_session* session);
  // Wakes the thread if there are too many nodes. Call after nodes were acquired. Never blocks.
  void Look() EXCLUDES(mutex_);
  // Ends the thread. Call while the session still answers the kernel, or after its connection has
  // ended (by umount or AbortMount); otherwise a notification may block for ever. Call before
  // fuse_session_unmount, which closes the file that notifications are written to. Idempotent.
  void Stop() EXCLUDES(mutex_);

 private:
  void Run(fuse_session* session) EXCLUDES(mutex_);
  bool AwaitWork() EXCLUDES(mutex_);
  void Trim(fuse_session* session) EXCLUDES(mutex_);

  InodeTable* const inodes_;
  const uint64_t nodes_max_;
  const NameCodec codec_;
  engine::Mutex mutex_;
  engine::CondVar changed_;
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  bool is_stopped_ GUARDED_BY(mutex_) = true;
  // Declared last, so that the thread is joined before the members that it uses are destroyed.
  engine::Thread thread_;
};

}  // namespace sippar::fuse
