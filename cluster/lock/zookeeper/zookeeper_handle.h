// One connection of ZooKeeper's C client: sends requests, completes their answers, passes on events
// and keeps the session's phase. The client has two threads for each handle; no call here waits for
// a member except WaitConnected and PendingAnswer::Wait, which have deadlines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/lock/zookeeper/pending_answer.h"
#include "cluster/lock/zookeeper/session_terms.h"
#include "engine/base/status.h"
#include "engine/base/thread.h"

struct _zhandle;

namespace sippar::cluster::zookeeper {

class SentRequests;

// One part of a transaction.
struct Change {
  enum class Kind : uint8_t { kCreate, kCreateEphemeral, kSet, kDelete, kCheck };
  Kind kind = Kind::kCreate;
  std::string node;
  std::string data;
  int32_t version = -1;  // version that the node must have; -1: any; unused by creations
};

// What a client shows to its members to take up a session that another client has begun.
struct SessionKey {
  int64_t id = 0;
  std::array<char, 16> password{};
};

// Thread safe except the destructor. Outlives each wait for an answer that it has given out.
class ZooKeeperHandle {
 public:
  struct Options {
    std::string hosts;       // "host:port,host:port"
    std::string secret;      // secret of the digest credentials; empty: no credentials
    int64_t timeout_us = 0;  // session timeout to ask for; timeout_us() is what the members grant
  };
  // Called in the client's thread for each event of a watched node; must return at once.
  using OnEvent = std::function<void(const std::string& node)>;
  using Pending = std::shared_ptr<PendingAnswer>;

  // Begins to connect, with a new session or with the one of `resumed`. kInvalidArgument: the
  // client cannot be made, for example because the hosts cannot be resolved; kInternal: the C
  // library has other session states than this program was built for.
  [[nodiscard]] static StatusOr<std::unique_ptr<ZooKeeperHandle>> Open(
      const Options& options, OnEvent on_event, const SessionKey* resumed = nullptr);
  // If Close was not called, the session stays at the service until it times out.
  ~ZooKeeperHandle();

  // Waits until a member is connected. kUnavailable: the deadline came first; kFailedPrecondition:
  // Close was called, or the service ended the session, or no member took it back for so long that
  // it IsForgotten (the client is then closed, so that it does not take the session up again);
  // kPermissionDenied: the credentials were refused.
  [[nodiscard]] Status WaitConnected(int64_t deadline_nanos);
  SessionPhase phase() const;
  // The session timeout that the members agreed to, once a member was connected; before that, and
  // after Close, the one that was asked for.
  int64_t timeout_us();
  // Valid once a member was connected, and until Close.
  SessionKey key();

  // Reads that this session sends after a barrier see every change that any session was told of
  // before the barrier. The barrier works as well if its answer is kNoNode.
  Pending Barrier(const std::string& node);
  Pending Get(const std::string& node);
  Pending Names(const std::string& node, bool watch = false);
  // Watches the existence and the data of the node. `first` as in PendingAnswer.
  Pending Watch(const std::string& node, std::function<void()> first = {});
  Pending Make(const std::vector<Change>& changes);  // makes all changes or none

  // Tells the member that the session is to end, if one is connected, and frees the client.
  // Requests still without an answer then get the code kClosing, later requests kSessionExpired. No
  // event comes after the return.
  void Close();

 private:
  ZooKeeperHandle(const Options& options, OnEvent on_event);
  static void OnClientEvent(_zhandle* client, int type, int state, const char* path, void* context);
  void Free(bool end_session);
  [[nodiscard]] bool IsGivenUp();
  // Calls `send(client, context)`. If `send` fails, completes the request with the error code, or
  // with kSessionExpired if the client is closed or its session over.
  template <typename Send>
  Pending Request(const Send& send, std::function<void()> first = {});
  // If a member is connected, sends it a request whose answer does not matter; returns at once.
  void RemindMember();

  const Options options_;
  const OnEvent on_event_;
  const std::unique_ptr<SentRequests> sent_;
  engine::Mutex client_mutex_;  // keeps the client from being freed while a request is handed to it
  _zhandle* client_ GUARDED_BY(client_mutex_) = nullptr;
  mutable engine::Mutex phase_mutex_;  // never held during a call of the client
  engine::CondVar phase_changed_;
  SessionPhase phase_ GUARDED_BY(phase_mutex_) = SessionPhase::kConnecting;
  // The time when the session lost its connection. INT64_MAX: the session has a connection, or
  // never had one.
  int64_t lost_nanos_ GUARDED_BY(phase_mutex_) = INT64_MAX;
};

}  // namespace sippar::cluster::zookeeper
