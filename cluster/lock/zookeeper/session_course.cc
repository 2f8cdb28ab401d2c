// How a session begins, watches files and ends.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/lock/lock_paths.h"
#include "cluster/lock/zookeeper/read_again.h"
#include "cluster/lock/zookeeper/zookeeper_session.h"
#include "engine/base/printable.h"

namespace sippar::cluster::zookeeper {

using engine::MutexLock;

namespace {

Status LostCounter(const std::string& counter) {
  return DataLoss(fmt::format(
      "ZooKeeper node {}: it is missing, so epochs could repeat; put it back from a copy",
      counter));
}

}  // namespace

ZooKeeperSession::ZooKeeperSession(ZooKeeperHandle::Options connection, const std::string& cluster,
                                   int64_t tick_us, const SessionOptions& options)
    : connection_(std::move(connection)),
      paths_(cluster),
      tick_us_(tick_us),
      name_(engine::PrintableBytes(options.name)),
      clock_(options.clock) {}

StatusOr<std::unique_ptr<ZooKeeperSession>> ZooKeeperSession::Open(
    const ZooKeeperHandle::Options& connection, const std::string& cluster, MissingCluster missing,
    int64_t tick_us, int64_t deadline_nanos, const SessionOptions& options) {
  std::unique_ptr<ZooKeeperSession> session(
      new ZooKeeperSession(connection, cluster, tick_us, options));
  Status begun = session->Begin(deadline_nanos, missing);
  if (begun.ok()) return session;
  // No code relies on this session yet, so it can be closed at once and need not time out.
  if (session->handle_ != nullptr) session->handle_->Close();
  return begun;
}

Status ZooKeeperSession::Begin(int64_t deadline_nanos, MissingCluster missing) {
  ASSIGN_OR_RETURN(handle_, ZooKeeperHandle::Open(
                                connection_, [this](const std::string& node) { OnEvent(node); }));
  RETURN_IF_ERROR(handle_->WaitConnected(deadline_nanos));
  // Members grant a longer timeout than was asked for only if they allow no shorter one. Their
  // shortest timeout counts as two ticks, so CheckTimeout refuses it unless the options name a
  // shorter tick.
  RETURN_IF_ERROR(CheckGranted(connection_.timeout_us, handle_->timeout_us()));
  RETURN_IF_ERROR(CheckTimeout(handle_->timeout_us(), tick_us_));
  RETURN_IF_ERROR(MakeTree(deadline_nanos, missing));
  numbers_ =
      std::make_unique<NumberCounter>(handle_.get(), paths_.File(lock_paths::EpochCounter()));
  ASSIGN_OR_RETURN(NumberCounter::Taken taken,
                   numbers_->Take(deadline_nanos, [&](uint64_t number) -> std::vector<Change> {
                     return {{Change::Kind::kCreateEphemeral, paths_.Session(number), name_}};
                   }));
  if (taken.refused.code != kOk) {
    return UnexpectedAnswer(taken.refused.code, paths_.Root() + ", new session");
  }
  id_ = taken.number;
  return OkStatus();
}

Status ZooKeeperSession::MakeTree(int64_t deadline_nanos, MissingCluster missing) {
  const std::string counter = paths_.File(lock_paths::EpochCounter());
  for (;;) {
    auto found = ReadAgain(handle_.get(), deadline_nanos, paths_.Root(),
                           [&] { return handle_->Get(counter)->Wait(deadline_nanos); });
    RETURN_IF_ERROR(found.status());
    if (found->code == kOk) return OkStatus();
    if (missing == MissingCluster::kRefuse) return WhyNoCounter(deadline_nanos);
    RETURN_IF_ERROR(MakeDirectory(deadline_nanos, paths_.Root()));
    // All or nothing: a root with nodes but no counter is damage, not a tree that is being made.
    Answer made = handle_
                      ->Make({{Change::Kind::kCreate, paths_.Sessions(), ""},
                              {Change::Kind::kCreate, paths_.Files(), ""},
                              {Change::Kind::kCreate, paths_.Directory(""), ""},
                              {Change::Kind::kCreate, counter, "1"}})
                      ->Wait(deadline_nanos);
    int code = FirstFailure(made.code, made.parts).code;
    if (code == kOk) return OkStatus();
    if (code == kNodeExists) {
      // Another session made the tree meanwhile. The member that this session is connected to may
      // not have it yet, so the barrier comes before the read.
      auto barrier = handle_->Barrier(counter);
      auto again = handle_->Get(counter);
      (void)barrier->Wait(deadline_nanos);
      if (again->Wait(deadline_nanos).code == kNoNode) return LostCounter(counter);
    } else if (!MayAskAgain(code, deadline_nanos)) {
      return UnexpectedAnswer(code, paths_.Root());
    }
  }
}

// The counter was not found. MakeTree makes it together with the node of the files, so a tree with
// files and without a counter was damaged. The node of the files is read first: if another session
// makes the tree meanwhile, the later read finds the counter.
Status ZooKeeperSession::WhyNoCounter(int64_t deadline_nanos) {
  const std::string counter = paths_.File(lock_paths::EpochCounter());
  bool has_files = false;
  auto found = ReadAgain(handle_.get(), deadline_nanos, paths_.Root(), [&] {
    auto barrier = handle_->Barrier(counter);
    auto files = handle_->Get(paths_.Files());
    auto again = handle_->Get(counter);
    (void)barrier->Wait(deadline_nanos);
    Answer answer = files->Wait(deadline_nanos);
    has_files = answer.code == kOk;
    return has_files || answer.code == kNoNode ? again->Wait(deadline_nanos) : answer;
  });
  RETURN_IF_ERROR(found.status());
  if (found->code == kOk) return OkStatus();
  if (has_files) return LostCounter(counter);
  return NotFound(fmt::format("ZooKeeper node {}: there is no such cluster", paths_.Root()));
}

Status ZooKeeperSession::MakeDirectory(int64_t deadline_nanos, const std::string& directory) {
  for (;;) {
    RETURN_IF_ERROR(handle_->WaitConnected(deadline_nanos));
    Answer answer = handle_->Make({{Change::Kind::kCreate, directory, ""}})->Wait(deadline_nanos);
    int code = FirstFailure(answer.code, answer.parts).code;
    if (code == kOk || code == kNodeExists) return OkStatus();
    if (!MayAskAgain(code, deadline_nanos)) return UnexpectedAnswer(code, directory);
  }
}

void ZooKeeperSession::OnEvent(const std::string& node) {
  const std::string path = paths_.Watched(node);
  MutexLock lock(&watch_mutex_);
  auto found = watches_.find(path);
  if (found == watches_.end()) return;
  // A watch fires once, though its file and its lock may both have changed.
  std::function<void()> callback = std::move(found->second);
  watches_.erase(found);
  callback();
}

Status ZooKeeperSession::Watch(const std::string& path, std::function<void()> callback) {
  RETURN_IF_ERROR(lock_paths::CheckPath(path));
  const int64_t deadline_nanos = Deadline();
  RETURN_IF_ERROR(handle_->WaitConnected(deadline_nanos));
  const std::string directory = paths_.Directory(path);
  // The callback is stored when the first answer arrives. Events of earlier changes arrive before
  // that answer and do not call it.
  auto file = handle_->Watch(paths_.File(path), [this, path, callback = std::move(callback)] {
    MutexLock lock(&watch_mutex_);
    watches_[path] = callback;
  });
  auto lock = handle_->Watch(paths_.Lock(path));
  // A directory that does not exist yet is watched for its creation, which comes with its first
  // file.
  auto there = handle_->Watch(directory);
  auto names = handle_->Names(directory, /*watch=*/true);
  for (const auto& pending : {file, lock, there, names}) {
    int code = pending->Wait(deadline_nanos).code;
    if (code != kOk && code != kNoNode) return UnexpectedAnswer(code, path);
  }
  return OkStatus();
}

Status ZooKeeperSession::Close() {
  const int64_t deadline_nanos = Deadline();
  if (handle_->phase() == SessionPhase::kClosed || handle_->phase() == SessionPhase::kOver) {
    handle_->Close();
    return OkStatus();
  }
  Status connected = handle_->WaitConnected(deadline_nanos);
  const SessionKey key = handle_->key();
  handle_->Close();
  RETURN_IF_ERROR(connected);
  return AwaitEnd(key, deadline_nanos);
}

// Waits until the service has ended this session, because zookeeper_close does not wait for that.
// The transaction that frees the session's locks also removes the session's node, so a second
// session waits until that node is gone. A member may never see the request to end: the client does
// not read what has arrived when it hangs up, so that its kernel resets the connection, and the
// member's kernel then drops what the member has not read. Hence the request is made again, by
// another client that takes the first session up: no data is on its way to that client.
Status ZooKeeperSession::AwaitEnd(const SessionKey& key, int64_t deadline_nanos) {
  constexpr int64_t kAskAgainNanos = 500'000'000;
  engine::Clock* clock = engine::Clock::System();
  ASSIGN_OR_RETURN(std::unique_ptr<ZooKeeperHandle> other,
                   ZooKeeperHandle::Open(connection_, nullptr));
  const std::string own = paths_.Session(id_);
  StatusOr<Answer> seen = Answer();
  int64_t asked_nanos = clock->MonotonicNanos();
  for (int64_t pause_us = 500;; pause_us = std::min<int64_t>(2 * pause_us, 20'000)) {
    seen = ReadAgain(other.get(), deadline_nanos, own, [&] {
      auto barrier = other->Barrier(own);
      auto read = other->Get(own);
      (void)barrier->Wait(deadline_nanos);
      return read->Wait(deadline_nanos);
    });
    if (!seen.ok() || seen->code == kNoNode) break;
    clock->SleepMicros(pause_us);
    if (clock->MonotonicNanos() < asked_nanos + kAskAgainNanos) continue;
    ASSIGN_OR_RETURN(std::unique_ptr<ZooKeeperHandle> again,
                     ZooKeeperHandle::Open(connection_, nullptr, &key));
    // The result is not needed: if the session is over by now, the next read of its node shows it.
    (void)again->WaitConnected(deadline_nanos);
    again->Close();
    asked_nanos = clock->MonotonicNanos();
  }
  other->Close();
  return seen.status();
}

}  // namespace sippar::cluster::zookeeper
