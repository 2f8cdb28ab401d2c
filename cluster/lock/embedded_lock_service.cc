// Opens the embedded lock service, gives out numbers, and begins and ends sessions. Changes of
// files are in embedded_session.cc.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/embedded_lock_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cluster/lock/embedded_session.h"
#include "cluster/lock/lock_paths.h"
#include "engine/base/seeded_bug.h"

namespace sippar::cluster {
namespace {

using engine::MutexLock;

constexpr uint64_t kNumbersReserved = 16;  // numbers reserved by one write of the counter
// Limit of the numbers: an epoch has to fit into 32 bits of the engine's file ids.
constexpr uint64_t kNumberMax = uint64_t{1} << 32;

}  // namespace

StatusOr<std::unique_ptr<EmbeddedLockService>> EmbeddedLockService::Open(
    engine::FileSystem* fs, const std::string& directory, engine::Clock* clock) {
  LockDirectory::StoredFiles files;
  ASSIGN_OR_RETURN(std::unique_ptr<LockDirectory> opened,
                   LockDirectory::Open(fs, directory, &files));
  std::unique_ptr<EmbeddedLockService> service(new EmbeddedLockService(std::move(opened), clock));
  RETURN_IF_ERROR(Annotate(service->LoadCounter(files), directory));
  FiredWatches none;
  for (auto& [path, stored] : files) {
    LockState::Entry entry;
    entry.file.content = std::move(stored.content);
    entry.file.version = stored.version;
    entry.damage = stored.damage;
    service->state_.Add(path, std::move(entry), &none);
  }
  return service;
}

// A directory with files but without the counter was damaged: the first session writes the counter
// before anything else is written.
Status EmbeddedLockService::LoadCounter(const LockDirectory::StoredFiles& files) {
  if (files.empty()) return OkStatus();
  auto counter = files.find(lock_paths::EpochCounter());
  if (counter == files.end()) {
    return DataLoss(
        fmt::format("lock file {}: it is missing, so epochs could repeat; put it back from a copy",
                    lock_paths::EpochCounter()));
  }
  if (!counter->second.damage.ok()) {
    return DataLoss(fmt::format("the epoch counter: {}; put it back from a copy",
                                MessageOf(counter->second.damage)));
  }
  const std::string& text = counter->second.content;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), numbers_end_);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || numbers_end_ == 0) {
    return DataLoss(
        fmt::format("lock file {}: its {} bytes are not a number; put it back from a copy",
                    lock_paths::EpochCounter(), text.size()));
  }
  // The service skips the numbers that its last process had reserved: it cannot know which of them
  // were given out, and no number may be given out twice.
  next_number_ = numbers_end_;
  return OkStatus();
}

void EmbeddedLockService::VisitFiles(
    const std::function<void(const std::string& path, const LockState::Entry& entry)>& visit) {
  MutexLock lock(&mutex_);
  for (const auto& [path, entry] : state_.files()) visit(path, entry);
}

StatusOr<uint64_t> EmbeddedLockService::NextNumber() {
  if (next_number_ >= numbers_end_) RETURN_IF_ERROR(Reserve(next_number_ + kNumbersReserved));
  return next_number_++;
}

Status EmbeddedLockService::Reserve(uint64_t limit) {
  if (limit > kNumberMax)
    return ResourceExhausted(
        "epoch counter of the lock service: all numbers below 2^32 are used up, "
        "so no server can start any more");
  const std::string path = lock_paths::EpochCounter();
  LockState::Entry counter;
  bool is_new = false;
  {
    MutexLock lock(&mutex_);
    auto old = state_.Find(path);
    is_new = !old.ok();
    counter.file.version = is_new ? 1 : (*old)->version + 1;
  }
  counter.file.content = std::to_string(limit);
  if (is_new || !SEEDED_BUG("epoch-reuse")) {
    // The raised counter must be durable before the service gives out the first new number.
    RETURN_IF_ERROR(directory_->Put(path, counter.file.content, counter.file.version));
  }
  numbers_end_ = limit;
  FiredWatches none;  // stays unused: no session watches the epoch counter
  MutexLock lock(&mutex_);
  if (is_new) {
    state_.Add(path, std::move(counter), &none);
  } else {
    state_.SetContent(path, std::move(counter.file.content), &none);
  }
  return OkStatus();
}

Status EmbeddedLockService::RaiseAbove(uint64_t seen) {
  if (seen >= kNumberMax) {
    return InvalidArgument(
        fmt::format("epoch counter of the lock service: it cannot be raised above {}, the "
                    "last number of the lock files that are carried here (at most 2^32 - 1)",
                    seen));
  }
  if (seen >= numbers_end_) RETURN_IF_ERROR(Reserve(seen + 1 + kNumbersReserved));
  next_number_ = std::max(next_number_, seen + 1);
  return OkStatus();
}

void EmbeddedLockService::CallBack(FiredWatches* fired) {
  for (auto& [gate, callback] : *fired) {
    // A callback runs under its gate's mutex only, so that closing the gate waits for it.
    MutexLock lock(&gate->mutex);
    if (gate->open) callback();
  }
}

EmbeddedLockService::Change::Change(EmbeddedLockService* service, uint64_t session)
    : service_(service) {
  service_->change_mutex_.Lock();
  MutexLock lock(&service_->mutex_);
  service_->state_.Expire(service_->clock_->MonotonicNanos(), &fired);
  service_->state_.Pin(session);
  alive_ = service_->state_.CheckSession(session);
}

EmbeddedLockService::Change::~Change() {
  {
    MutexLock lock(&service_->mutex_);
    service_->state_.Pin(0);
  }
  service_->change_mutex_.Unlock();
  CallBack(&fired);
}

void EmbeddedLockService::End(uint64_t session) {
  Change change(this, session);
  MutexLock lock(&mutex_);
  state_.EndSession(session, &change.fired);
}

void EmbeddedLockService::Abandon(uint64_t session) {
  MutexLock lock(&mutex_);
  state_.StopWatching(session);
}

StatusOr<std::unique_ptr<LockSession>> EmbeddedLockService::OpenSession(
    const SessionOptions& options) {
  auto gate = std::make_shared<WatchGate>();
  Change change(this, 0);
  ASSIGN_OR_RETURN(uint64_t id, NextNumber());
  MutexLock lock(&mutex_);
  state_.BeginSession(id, options, gate, clock_->MonotonicNanos());
  return std::unique_ptr<LockSession>(new Session(this, id, options, std::move(gate)));
}

}  // namespace sippar::cluster
