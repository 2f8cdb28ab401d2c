// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cluster/node/joined_calls.h"
#include "cluster/wire/call_failure.h"

namespace sippar::cluster {
namespace {

// Time between two attempts to write to a disk that accepted no writes.
constexpr int64_t kReopenUs = 1'000'000;

// A call that was interrupted is repeated for this long even if wait_us is 0.
constexpr int64_t kAgainUs = 1'000'000;

}  // namespace

JoinedStore::JoinedStore(engine::Clock* clock, int64_t wait_us, ReachedStore store,
                         ReachStore reach)
    : settings_{.clock = clock, .retry = {}, .timeout_us = wait_us + kAgainUs},
      reach_(std::move(reach)) {
  engine::MutexLock lock(&mutex_);
  Take(std::move(store));
}

void JoinedStore::Take(ReachedStore store) {
  store_.remote = std::move(store.remote);
  store_.client = store_.remote;
  if (store.opened != nullptr) store_.client = std::move(store.opened);
  store_.has_refused = std::move(store.has_refused);
  {
    engine::MutexLock lock(&own_mutex_);
    own_ = store_.remote == nullptr ? store_.client : nullptr;
  }
  reached_ns_ = settings_.clock->MonotonicNanos();
}

bool JoinedStore::MayReopen() const {
  // The first client must be closed before the second is opened, so no call may be using the first.
  return store_.has_refused != nullptr && store_.client.use_count() == 1;
}

StatusOr<JoinedStore::Reached> JoinedStore::Reach(ReachFor reach_for, const CallOptions& options) {
  store_ = {};
  ASSIGN_OR_RETURN(ReachedStore again, reach_(reach_for, options));
  Take(std::move(again));
  return store_;
}

StatusOr<JoinedStore::Reached> JoinedStore::Get(const CallOptions& options) {
  engine::MutexLock lock(&mutex_);
  if (closed_) return FailedPrecondition("the client is closed");
  bool is_due = MayReopen() && store_.has_refused() &&
                settings_.clock->MonotonicNanos() - reached_ns_ > kReopenUs * 1000;
  if (store_.client != nullptr && !store_.is_lost() && !is_due) return store_;
  return Reach(ReachFor::kCalls, options);
}

StatusOr<JoinedStore::Reached> JoinedStore::GetForChange(const CallOptions& options) {
  {
    engine::MutexLock lock(&mutex_);
    if (MayReopen()) return Reach(ReachFor::kChangeOfTables, options);
  }
  ASSIGN_OR_RETURN(Reached store, Get(options));
  if (store.remote == nullptr) return store;
  Status alive = store.remote->Probe(options);
  if (store.is_lost()) return Get(options);
  // kNotBegun: the server begins no calls now. The caller may still send it the change: if the
  // server refuses the change, too, nothing is done.
  if (!IsMarked(kNotBegun, alive)) RETURN_IF_ERROR(alive);
  return store;
}

bool IsBroken(const Status& status, const JoinedStore::Reached& store) {
  if (status.code() != StatusCode::kUnavailable || store.remote == nullptr) return false;
  return store.is_lost() || IsMarked(kNotBegun, status) || IsMarked(kCut, status);
}

std::shared_ptr<Client> JoinedStore::Own() {
  engine::MutexLock lock(&own_mutex_);
  return own_.lock();
}

Status JoinedStore::Close() {
  engine::MutexLock lock(&mutex_);
  closed_ = true;
  Reached store = std::exchange(store_, {});
  return store.client == nullptr ? OkStatus() : store.client->Close();
}

}  // namespace sippar::cluster
