// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/change_notifier.h"

#define FUSE_USE_VERSION 314
#include <fmt/format.h>
#include <fuse_lowlevel.h>

#include <cstdio>
#include <utility>

namespace sippar::fuse {
namespace {

// Time between two looks at the change streams, and so about the age of the oldest stale name.
constexpr int64_t kPauseUs = 20'000;

}  // namespace

void ChangeNotifier::Start(fuse_session* session) {
  if (follower_ == nullptr) return;
  {
    engine::MutexLock lock(&mutex_);
    is_stopped_ = false;
  }
  thread_ = engine::Thread("fuse-follow", [this, session] { Run(session); });
}

void ChangeNotifier::Stop() {
  cancel_->store(true);
  {
    engine::MutexLock lock(&mutex_);
    is_stopping_ = true;
  }
  changed_.NotifyAll();
  engine::MutexLock lock(&mutex_);
  while (!is_stopped_) changed_.Wait(&mutex_);
}

// False: the thread must end.
bool ChangeNotifier::Pause() {
  engine::MutexLock lock(&mutex_);
  if (!is_stopping_) changed_.WaitFor(&mutex_, kPauseUs);
  return !is_stopping_;
}

void ChangeNotifier::Tell(fuse_session* session, const std::vector<StaleName>& names) {
  for (const StaleName& stale : names) {
    if (cancel_->load()) return;
    const uint64_t directory = inodes_->NumberOf(stale.directory);
    // The kernel may not have the name, or may have just forgotten the directory; both errors are
    // expected.
    if (directory == 0) continue;
    (void)fuse_lowlevel_notify_inval_entry(session, directory, stale.name.data(),
                                           stale.name.size());
  }
}

void ChangeNotifier::Run(fuse_session* session) {
  // Names are told twice. While the kernel checks a name that it has, its lookup does not hold the
  // directory's lock, so an answer from before the change may be stored right after the first time.
  std::vector<StaleName> again;
  bool is_told = false;
  do {
    std::vector<StaleName> stale = follower_->Poll();
    const std::string summary = is_told ? "" : follower_->Summary();
    if (!summary.empty()) {
      is_told = true;
      fmt::print(stderr,
                 "sippar mount: follows the changes of {}; names in other tables are kept for "
                 "--entry-timeout\n",
                 summary);
    }
    Tell(session, again);
    Tell(session, stale);
    again = std::move(stale);
  } while (Pause());
  engine::MutexLock lock(&mutex_);
  is_stopped_ = true;
  changed_.NotifyAll();
}

}  // namespace sippar::fuse
