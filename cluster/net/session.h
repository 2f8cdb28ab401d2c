// A server's side of one connection, and what all sessions of a server share. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/net/admission.h"
#include "cluster/net/lane_threads.h"
#include "cluster/net/server.h"

namespace sippar::net {

class Session;

struct ServerLane {
  ServerLane(const std::string& name, const LaneBounds& lane_bounds)
      : bounds(lane_bounds),
        threads(name, lane_bounds.threads_max, lane_bounds.calls_of_all_max),
        streams(name, lane_bounds.streams_max, lane_bounds.calls_of_all_max),
        admission(lane_bounds.calls_of_all_max, lane_bounds.bytes_of_all_max) {}

  const LaneBounds bounds;
  LaneThreads threads;
  LaneThreads streams;  // separate from `threads`, because slow readers occupy them
  engine::Mutex mutex;
  Admission admission GUARDED_BY(mutex);
  size_t endless GUARDED_BY(mutex) = 0;  // endless streams, for which Stop does not wait
};

struct ServerParts {
  Hello hello() const {
    engine::MutexLock lock(&mutex);
    return own_hello;
  }

  ServerOptions options;
  Service* service = nullptr;
  LaneLoops* loops = nullptr;
  std::array<std::unique_ptr<ServerLane>, kLanes> lanes;
  std::atomic<bool> is_leaving{false};
  mutable engine::Mutex mutex;
  Hello own_hello GUARDED_BY(mutex);
  std::unordered_set<std::shared_ptr<Session>> sessions GUARDED_BY(mutex);
};

class Session final : public Connection::Owner, public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<ServerParts> parts, std::shared_ptr<Connection> connection)
      : parts_(std::move(parts)), connection_(std::move(connection)) {}
  void Start() { connection_->Start(shared_from_this()); }
  void SayGoodbye(const Status& why) { connection_->SayGoodbye(why); }
  void Close(const Status& why) { connection_->Close(why); }
  bool has_unsent() const { return connection_->has_unsent(); }

  std::shared_ptr<Loop> OnOpen(const Hello& theirs, const Agreement& agreement) override;
  void OnFrames(std::vector<Frame>* frames) override;
  void OnClosed(const Status& why, std::vector<Frame> unsent) override;

 private:
  friend class ServerCall;
  friend class ReplyGroup;
  [[nodiscard]] Status Take(Frame request, int64_t now_nanos);
  [[nodiscard]] Status Admit(const Frame& request);
  void Refuse(const Frame& request, const Status& why);
  void Serve(const std::shared_ptr<ServerCall>& call);
  void Forget(const ServerCall& call);
  // False: the connection has ended.
  [[nodiscard]] bool Send(Frame frame) { return connection_->Send(std::move(frame)); }

  const std::shared_ptr<ServerParts> parts_;
  const std::shared_ptr<Connection> connection_;
  // Both are set by OnOpen, before the first call.
  Hello peer_;
  ServerLane* lane_ = nullptr;

  engine::Mutex mutex_;
  std::optional<Admission> admission_ GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, ServerCall*> calls_ GUARDED_BY(mutex_);
};

}  // namespace sippar::net
