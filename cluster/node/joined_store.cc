// How a joined store is reached. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "cluster/node/joined_calls.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kReopenUs = 1'000'000;  // between two tries to write to a disk that took nothing

}  // namespace

JoinedStore::JoinedStore(engine::Clock* clock, ReachedStore store, ReachStore reach)
    : clock_(clock), reach_(std::move(reach)) {
  engine::MutexLock lock(&mutex_);
  Take(std::move(store));
}

void JoinedStore::Take(ReachedStore store) {
  store_.remote = std::move(store.remote);
  store_.client = store_.remote;
  if (store.opened != nullptr) store_.client = std::move(store.opened);
  store_.has_refused = std::move(store.has_refused);
  reached_ns_ = clock_->MonotonicNanos();
}

bool JoinedStore::MayReopen() const {
  return store_.has_refused != nullptr && store_.client.use_count() == 1;
}

StatusOr<JoinedStore::Reached> JoinedStore::Reach(ReachFor reach_for) {
  store_ = {};
  ASSIGN_OR_RETURN(ReachedStore again, reach_(reach_for));
  Take(std::move(again));
  return store_;
}

StatusOr<JoinedStore::Reached> JoinedStore::Get() {
  engine::MutexLock lock(&mutex_);
  if (closed_) return FailedPrecondition("the client is closed");
  bool is_due = MayReopen() && store_.has_refused() &&
                clock_->MonotonicNanos() - reached_ns_ > kReopenUs * 1000;
  if (store_.client != nullptr && !store_.is_lost() && !is_due) return store_;
  return Reach(ReachFor::kCalls);
}

StatusOr<JoinedStore::Reached> JoinedStore::GetAlive() {
  ASSIGN_OR_RETURN(Reached store, Get());
  if (store.remote == nullptr) return store;
  Status alive = store.remote->Probe();
  if (store.is_lost()) return Get();
  RETURN_IF_ERROR(alive);
  return store;
}

StatusOr<JoinedStore::Reached> JoinedStore::GetForChange() {
  {
    engine::MutexLock lock(&mutex_);
    if (MayReopen()) return Reach(ReachFor::kChangeOfTables);
  }
  return GetAlive();
}

Status JoinedStore::Close() {
  engine::MutexLock lock(&mutex_);
  closed_ = true;
  Reached store = std::exchange(store_, {});
  return store.client == nullptr ? OkStatus() : store.client->Close();
}

}  // namespace sippar::cluster
