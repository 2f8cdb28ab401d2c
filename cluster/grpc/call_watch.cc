// SPDX-License-Identifier: Apache-2.0
#include "cluster/grpc/call_watch.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kPollMicros = 50'000;  // longest time until a cancelled read learns of it

}  // namespace

CallWatch::CallWatch() : thread_("call-watch", [this] { Run(); }) {}

CallWatch::~CallWatch() {
  {
    engine::MutexLock lock(&mutex_);
    is_ending_ = true;
  }
  changed_.NotifyAll();
  thread_.Join();
}

void CallWatch::Run() {
  engine::MutexLock lock(&mutex_);
  while (!is_ending_) {
    // This thread sleeps while there are no calls, and the first new call wakes it. From then on it
    // looks every kPollMicros; most calls that are shorter end before it looks.
    is_idle_ = calls_.empty();
    if (is_idle_) changed_.Wait(&mutex_);
    is_idle_ = false;
    if (!is_ending_) changed_.WaitFor(&mutex_, kPollMicros);
    for (Call& call : calls_) {
      if (call.context->IsCancelled()) call.cancel->store(true);
    }
  }
}

void CallWatch::CancelEndless() {
  engine::MutexLock lock(&mutex_);
  cancels_endless_ = true;
  for (Call& call : calls_) {
    if (call.is_endless) call.cancel->store(true);
  }
}

CallWatch::Scope::Scope(CallWatch* watch, grpc::ServerContext* context, bool is_endless)
    : watch_(watch) {
  engine::MutexLock lock(&watch_->mutex_);
  if (watch_->is_idle_) watch_->changed_.NotifyAll();
  bool is_cancelled = is_endless && watch_->cancels_endless_;
  call_ = watch_->calls_.insert(
      watch_->calls_.end(),
      {context, std::make_shared<std::atomic<bool>>(is_cancelled), is_endless});
}

CallWatch::Scope::~Scope() {
  engine::MutexLock lock(&watch_->mutex_);
  watch_->calls_.erase(call_);
}

}  // namespace sippar::cluster
