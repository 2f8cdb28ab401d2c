// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/node_trimmer.h"

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

namespace sippar::fuse {
namespace {

constexpr size_t kRowsAtOnce = 256;
// The first round over all rows may only clear their use marks. Rows that remain after the third
// round are in use.
constexpr int kRoundsMax = 3;
// The kernel forgets nodes by separate requests, which need time to arrive and be counted.
constexpr int64_t kPauseUs = 20'000;

}  // namespace

void NodeTrimmer::Start(fuse_session* session) {
  {
    engine::MutexLock lock(&mutex_);
    is_stopped_ = false;
  }
  thread_ = engine::Thread("fuse-trim", [this, session] { Run(session); });
}

void NodeTrimmer::Look() {
  if (inodes_->size() <= nodes_max_) return;
  {
    engine::MutexLock lock(&mutex_);
    is_wanted_ = true;
  }
  changed_.NotifyAll();
}

void NodeTrimmer::Stop() {
  {
    engine::MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  changed_.NotifyAll();
  engine::MutexLock lock(&mutex_);
  while (!is_stopped_) changed_.Wait(&mutex_);
}

// Waits until there is work. Returns false if the thread must end.
bool NodeTrimmer::AwaitWork() {
  engine::MutexLock lock(&mutex_);
  while (!is_wanted_ && !is_stopping_) changed_.Wait(&mutex_);
  is_wanted_ = false;
  return !is_stopping_;
}

void NodeTrimmer::Trim(fuse_session* session) {
  // Trims to an eighth below the limit, so that not every new node starts another pass over all
  // rows.
  uint64_t wanted = nodes_max_ - nodes_max_ / 8;
  for (int rounds = 0; rounds < kRoundsMax && inodes_->size() > wanted;) {
    std::vector<InodeTable::RowPlace> rows = inodes_->IdleRows(kRowsAtOnce);
    if (rows.size() < kRowsAtOnce) ++rounds;
    for (const InodeTable::RowPlace& place : rows) {
      std::string name = codec_.Encode(place.row);
      // The kernel may have forgotten the name already; that error is expected.
      (void)fuse_lowlevel_notify_inval_entry(session, place.table_id, name.data(), name.size());
    }
    engine::MutexLock lock(&mutex_);
    if (!is_stopping_) changed_.WaitFor(&mutex_, kPauseUs);
    if (is_stopping_) return;
  }
}

void NodeTrimmer::Run(fuse_session* session) {
  while (AwaitWork()) Trim(session);
  engine::MutexLock lock(&mutex_);
  is_stopped_ = true;
  changed_.NotifyAll();
}

}  // namespace sippar::fuse
