// ChangeNotifier: with --follow, tells the kernel which names the changes of tables have made stale
// (tree/change_follower.h decides). Only names are told: the inode of a file is one version of a
// cell, so its bytes and attributes never become stale. Runs on its own thread and holds no lock
// while it tells the kernel, because a notification waits for the requests in flight in the same
// directory. Used by dispatch and mount. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/thread.h"
#include "fuse/kernel/inode_table.h"
#include "fuse/tree/change_follower.h"

struct fuse_session;

namespace sippar::fuse {

class ChangeNotifier {
 public:
  // `follower` may be null; then nothing is followed. `cancel` is the follower's.
  ChangeNotifier(ChangeFollower* follower, cluster::CancelFlag cancel, InodeTable* inodes)
      : follower_(follower), cancel_(std::move(cancel)), inodes_(inodes) {}

  void Start(fuse_session* session);
  // Ends the thread. Call while the session still answers the kernel, or after its connection has
  // ended (by umount or AbortMount); otherwise a notification may block for ever. Call before
  // fuse_session_unmount, which closes the file that notifications are written to. Idempotent.
  void Stop() EXCLUDES(mutex_);

 private:
  void Run(fuse_session* session) EXCLUDES(mutex_);
  bool Pause() EXCLUDES(mutex_);
  void Tell(fuse_session* session, const std::vector<StaleName>& names);

  ChangeFollower* const follower_;
  const cluster::CancelFlag cancel_;
  InodeTable* const inodes_;
  engine::Mutex mutex_;
  engine::CondVar changed_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  bool is_stopped_ GUARDED_BY(mutex_) = true;
  // Declared last, so that the thread is joined before the members that it uses are destroyed.
  engine::Thread thread_;
};

}  // namespace sippar::fuse
