// The only file that calls ZooKeeper's C client. Each request has a Context of its own; it shares
// the pending answer with the caller, so that a caller whose deadline has passed may leave. The
// handle keeps the contexts, because the client forgets some of them when it is closed.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/zookeeper_handle.h"

#include <fmt/format.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "engine/base/clock.h"

namespace sippar::cluster::zookeeper {

using engine::MutexLock;

namespace {

// The data of one request. The operations and results of a transaction must live until its answer.
struct Context {
  SentRequests* sent = nullptr;
  ZooKeeperHandle::Pending pending;
  std::vector<Change> changes;
  std::vector<zoo_op_t> operations;
  std::vector<zoo_op_result_t> results;
};

}  // namespace

// Owns the requests that are waiting for an answer. Thread safe. The C client cannot: it may
// never call back: an answer that arrives while zookeeper_close runs is queued for a thread that
// has ended (destroy() in zookeeper.c). The requests that are left are freed after the close.
class SentRequests {
 public:
  Context* Add(ZooKeeperHandle::Pending pending) {
    auto context = std::make_unique<Context>();
    context->sent = this;
    context->pending = std::move(pending);
    Context* added = context.get();
    MutexLock lock(&mutex_);
    contexts_[added] = std::move(context);
    return added;
  }
  // Does nothing if CompleteAll was called before.
  void Complete(const Context* which, Answer answer) {
    std::unique_ptr<Context> context;
    {
      MutexLock lock(&mutex_);
      auto found = contexts_.find(which);
      if (found == contexts_.end()) return;
      context = std::move(found->second);
      contexts_.erase(found);
    }
    for (const zoo_op_result_t& result : context->results) answer.parts.push_back(result.err);
    context->pending->Complete(std::move(answer));
  }
  // To be called only after the client's threads have ended, since they use the contexts.
  void CompleteAll(int code) {
    std::unordered_map<const Context*, std::unique_ptr<Context>> left;
    {
      MutexLock lock(&mutex_);
      left.swap(contexts_);
    }
    for (const auto& [which, context] : left) context->pending->Complete({code, {}, {}, {}});
  }

 private:
  engine::Mutex mutex_;
  std::unordered_map<const Context*, std::unique_ptr<Context>> contexts_ GUARDED_BY(mutex_);
};

namespace {

static_assert(kOk == ZOK && kRolledBack == ZRUNTIMEINCONSISTENCY &&
              kConnectionLoss == ZCONNECTIONLOSS && kOperationTimeout == ZOPERATIONTIMEOUT &&
              kInvalidState == ZINVALIDSTATE && kNoNode == ZNONODE && kNoAuth == ZNOAUTH &&
              kBadVersion == ZBADVERSION && kEphemeralParent == ZNOCHILDRENFOREPHEMERALS &&
              kNodeExists == ZNODEEXISTS && kNotEmpty == ZNOTEMPTY &&
              kSessionExpired == ZSESSIONEXPIRED && kAuthFailed == ZAUTHFAILED &&
              kClosing == ZCLOSING && kSessionMoved == ZSESSIONMOVED);

// The client has its states as variables of its library, so no static_assert can read them.
Status CheckStates() {
  if (kStateConnected == ZOO_CONNECTED_STATE && kStateExpired == ZOO_EXPIRED_SESSION_STATE &&
      kStateAuthFailed == ZOO_AUTH_FAILED_STATE) {
    return OkStatus();
  }
  return Internal(
      "ZooKeeper: its C client library has other numbers for the states of a "
      "session than this program expects; install libzookeeper-mt2 of Debian 12");
}

void Complete(const void* data, Answer answer) {
  const auto* context = static_cast<const Context*>(data);
  context->sent->Complete(context, std::move(answer));
}

void OnDone(int code, const void* data) { Complete(data, {code, {}, {}, {}}); }
void OnStat(int code, const Stat*, const void* data) { Complete(data, {code, {}, {}, {}}); }

void OnData(int code, const char* value, int size, const Stat* stat, const void* data) {
  Answer answer;
  answer.code = answer.node.code = code;
  if (code == ZOK) {
    if (size > 0) answer.node.data.assign(value, static_cast<size_t>(size));
    answer.node.version = stat->version;
    answer.node.created = stat->czxid;
    answer.node.names_changed = stat->pzxid;
    answer.node.children = stat->numChildren;
    answer.node.ephemeral = stat->ephemeralOwner != 0;
  }
  Complete(data, std::move(answer));
}

void OnNames(int code, const String_vector* names, const void* data) {
  Answer answer;
  answer.code = code;
  for (int i = 0; code == ZOK && i < names->count; ++i) answer.names.emplace_back(names->data[i]);
  Complete(data, std::move(answer));
}

// The address of a host on which no member runs; see Free. The client compares addresses without
// their ports, so another port of a member's host would not do.
constexpr const char* kNoMember = "127.255.255.254:1";

// Turns the client's log messages off for the whole process. The client builds each message in a
// buffer that all threads share, even a message that it then drops. The statuses of the calls say
// what the messages would.
void SilenceClient() {
  static const bool is_silent = [] {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    return true;
  }();
  (void)is_silent;
}

void AddOperation(const Change& change, const ACL_vector* acl, zoo_op_t* operation) {
  const char* node = change.node.c_str();
  const char* data = change.data.data();
  int size = static_cast<int>(change.data.size());
  switch (change.kind) {
    case Change::Kind::kCreate:
      return zoo_create_op_init(operation, node, data, size, acl, ZOO_PERSISTENT, nullptr, 0);
    case Change::Kind::kCreateEphemeral:
      return zoo_create_op_init(operation, node, data, size, acl, ZOO_EPHEMERAL, nullptr, 0);
    case Change::Kind::kSet:
      return zoo_set_op_init(operation, node, data, size, change.version, nullptr);
    case Change::Kind::kDelete:
      return zoo_delete_op_init(operation, node, change.version);
    case Change::Kind::kCheck:
      return zoo_check_op_init(operation, node, change.version);
  }
}

}  // namespace

StatusOr<std::unique_ptr<ZooKeeperHandle>> ZooKeeperHandle::Open(const Options& options,
                                                                 OnEvent on_event,
                                                                 const SessionKey* resumed) {
  RETURN_IF_ERROR(CheckStates());
  std::unique_ptr<ZooKeeperHandle> handle(new ZooKeeperHandle(options, std::move(on_event)));
  SilenceClient();
  MutexLock lock(&handle->client_mutex_);
  int timeout_ms = static_cast<int>(std::min<int64_t>(options.timeout_us / 1000, INT32_MAX));
  clientid_t id{};
  if (resumed != nullptr) {
    id.client_id = resumed->id;
    std::copy(resumed->password.begin(), resumed->password.end(), id.passwd);
  }
  handle->client_ = zookeeper_init(options.hosts.c_str(), &OnClientEvent, timeout_ms,
                                   resumed == nullptr ? nullptr : &id, handle.get(), 0);
  if (handle->client_ == nullptr) {
    return InvalidArgument(fmt::format(
        "ZooKeeper {}: no client can be made ({}); give its members as host:port,host:port",
        options.hosts, std::strerror(errno)));
  }
  if (!options.secret.empty()) {
    const std::string digest = "sippar:" + options.secret;
    int code = zoo_add_auth(handle->client_, "digest", digest.data(),
                            static_cast<int>(digest.size()), nullptr, nullptr);
    if (code != ZOK) return UnexpectedAnswer(code, "credentials");
  }
  return handle;
}

ZooKeeperHandle::ZooKeeperHandle(const Options& options, OnEvent on_event)
    : options_(options), on_event_(std::move(on_event)), sent_(std::make_unique<SentRequests>()) {}

ZooKeeperHandle::~ZooKeeperHandle() { Free(/*end_session=*/false); }

void ZooKeeperHandle::OnClientEvent(_zhandle*, int type, int state, const char* path,
                                    void* context) {
  auto* handle = static_cast<ZooKeeperHandle*>(context);
  if (type != ZOO_SESSION_EVENT) {
    if (handle->on_event_) handle->on_event_(path);
    return;
  }
  MutexLock lock(&handle->phase_mutex_);
  const SessionPhase before = std::exchange(handle->phase_, NextPhase(handle->phase_, state));
  if (handle->phase_ == SessionPhase::kConnected) handle->lost_nanos_ = INT64_MAX;
  if (before == SessionPhase::kConnected && handle->phase_ == SessionPhase::kConnecting) {
    handle->lost_nanos_ = engine::Clock::System()->MonotonicNanos();
  }
  handle->phase_changed_.NotifyAll();
}

SessionPhase ZooKeeperHandle::phase() const {
  MutexLock lock(&phase_mutex_);
  return phase_;
}

int64_t ZooKeeperHandle::timeout_us() {
  MutexLock lock(&client_mutex_);
  return client_ == nullptr ? options_.timeout_us : int64_t{zoo_recv_timeout(client_)} * 1000;
}

SessionKey ZooKeeperHandle::key() {
  MutexLock lock(&client_mutex_);
  SessionKey key;
  if (client_ == nullptr) return key;
  const clientid_t* id = zoo_client_id(client_);
  key.id = id->client_id;
  std::copy(std::begin(id->passwd), std::end(id->passwd), key.password.begin());
  return key;
}

Status ZooKeeperHandle::WaitConnected(int64_t deadline_nanos) {
  SessionPhase reached = SessionPhase::kConnecting;
  {
    MutexLock lock(&phase_mutex_);
    int64_t left_us = 1;
    while (phase_ == SessionPhase::kConnecting && left_us > 0) {
      left_us = (deadline_nanos - engine::Clock::System()->MonotonicNanos()) / 1000;
      if (left_us > 0) phase_changed_.WaitFor(&phase_mutex_, left_us);
    }
    reached = phase_;
  }
  if (reached == SessionPhase::kConnected) return OkStatus();
  if (reached == SessionPhase::kConnecting && !IsGivenUp()) {
    return Unavailable(
        fmt::format("ZooKeeper {}: no member answers; check that its members run, and their "
                    "hosts and ports",
                    options_.hosts));
  }
  return UnexpectedAnswer(reached == SessionPhase::kRefused ? kAuthFailed : kSessionExpired,
                          options_.hosts);
}

// If IsForgotten is true for the session, closes the client and returns true.
bool ZooKeeperHandle::IsGivenUp() {
  const int64_t granted_us = timeout_us();
  {
    MutexLock lock(&phase_mutex_);
    const int64_t now_nanos = engine::Clock::System()->MonotonicNanos();
    if (phase_ != SessionPhase::kConnecting || lost_nanos_ == INT64_MAX ||
        !IsForgotten(lost_nanos_, now_nanos, granted_us)) {
      return false;
    }
    phase_ = SessionPhase::kOver;
  }
  Free(/*end_session=*/false);
  return true;
}

template <typename Send>
ZooKeeperHandle::Pending ZooKeeperHandle::Request(const Send& send, std::function<void()> first) {
  auto pending = std::make_shared<PendingAnswer>(std::move(first), [this] { RemindMember(); });
  Context* context = sent_->Add(pending);
  int code = ZINVALIDSTATE;
  {
    MutexLock lock(&client_mutex_);
    if (client_ != nullptr) code = send(client_, context);
  }
  if (code == ZOK) return pending;  // a pending answer, which the client will complete
  // The client takes no request of a session that has ended, so nothing was done.
  bool over = code == ZINVALIDSTATE && phase() != SessionPhase::kRefused;
  sent_->Complete(context, {over ? kSessionExpired : code, {}, {}, {}});
  return pending;
}

// Members of ZooKeeper 3.8.0, and of others since 3.6.0, may leave a request or a commit in a queue
// until something else is put there: their CommitProcessor finds its queues empty, and is told of a
// new entry just before it begins to wait for one (ZOOKEEPER-4537). A client that waits for an
// answer sends no pings. So the only client of a cluster would get no answer, and would leave its
// member after two thirds of its session's timeout.
void ZooKeeperHandle::RemindMember() {
  if (phase() != SessionPhase::kConnected) return;
  (void)Request([](zhandle_t* client, Context* context) {
    return zoo_aexists(client, "/", 0, &OnStat, context);
  });
}

// A majority agrees on a transaction even if it changes nothing or fails, and a member answers it
// in order. ZooKeeper's own sync promises neither, because the leader answers it at once. The
// leader's own clients get this answer perhaps before the leader has applied a change that another
// member has already answered. And a leader that was replaced answers as long as it does not know
// that.
ZooKeeperHandle::Pending ZooKeeperHandle::Barrier(const std::string& node) {
  return Make({{Change::Kind::kCheck, node, "", -1}});
}

ZooKeeperHandle::Pending ZooKeeperHandle::Get(const std::string& node) {
  return Request([&](zhandle_t* client, Context* context) {
    return zoo_aget(client, node.c_str(), 0, &OnData, context);
  });
}

ZooKeeperHandle::Pending ZooKeeperHandle::Names(const std::string& node, bool watch) {
  return Request([&](zhandle_t* client, Context* context) {
    return zoo_awget_children(client, node.c_str(), watch ? &OnClientEvent : nullptr, this,
                              &OnNames, context);
  });
}

ZooKeeperHandle::Pending ZooKeeperHandle::Watch(const std::string& node,
                                                std::function<void()> first) {
  return Request(
      [&](zhandle_t* client, Context* context) {
        return zoo_awexists(client, node.c_str(), &OnClientEvent, this, &OnStat, context);
      },
      std::move(first));
}

ZooKeeperHandle::Pending ZooKeeperHandle::Make(const std::vector<Change>& changes) {
  const ACL_vector* acl = options_.secret.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL;
  return Request([&](zhandle_t* client, Context* context) {
    context->changes = changes;
    context->operations.resize(changes.size());
    context->results.resize(changes.size());
    for (size_t i = 0; i < changes.size(); ++i) {
      AddOperation(context->changes[i], acl, &context->operations[i]);
    }
    return zoo_amulti(client, static_cast<int>(changes.size()), context->operations.data(),
                      context->results.data(), &OnDone, context);
  });
}

void ZooKeeperHandle::Close() { Free(/*end_session=*/true); }

void ZooKeeperHandle::Free(bool end_session) {
  {
    MutexLock lock(&phase_mutex_);
    if (phase_ != SessionPhase::kOver) phase_ = SessionPhase::kClosed;
    phase_changed_.NotifyAll();
  }
  zhandle_t* client = nullptr;
  {
    MutexLock lock(&client_mutex_);
    client = std::exchange(client_, nullptr);
  }
  if (client == nullptr) return;
  // zookeeper_close ends the session if a member is connected. If the session is to time out
  // instead, the list of hosts is replaced first, so that the client disconnects from its member.
  if (!end_session) (void)zoo_set_servers(client, kNoMember);
  (void)zookeeper_close(client);
  sent_->CompleteAll(kClosing);
}

}  // namespace sippar::cluster::zookeeper
