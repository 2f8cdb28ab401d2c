// Members in one process that call each other over sockets: a tablet server and a master whose
// interfaces record the calls that reach them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/wire/member_service.h"
#include "cluster/wire/member_transport.h"
#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/model/cell.h"

namespace sippar::cluster {

// A stream of given cells, with a given outcome.
class GivenCells final : public CellStream {
 public:
  GivenCells(std::vector<Cell> cells, Status outcome)
      : cells_(std::move(cells)), outcome_(std::move(outcome)) {
    Show();
  }
  bool Valid() const override { return next_ < cells_.size(); }
  const CellView& cell() const override { return view_; }
  void Next() override {
    ++next_;
    Show();
  }
  void NextRow() override {
    const std::string row(view_.row);
    while (Valid() && view_.row == row) Next();
  }
  Status status() const override { return Valid() ? OkStatus() : outcome_; }

 private:
  void Show() {
    if (Valid()) view_ = cells_[next_].view();
  }
  const std::vector<Cell> cells_;
  const Status outcome_;
  size_t next_ = 0;
  CellView view_;
};

// A server whose behaviour the test sets by functions; each has a default.
class FakeTablets final : public TabletService {
 public:
  void Carry(const AnyCall& call, const CallOptions& options) override {
    {
      engine::MutexLock lock(&mutex_);
      last_options = options;
    }
    ++calls;
    AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet, const ReadSpec& read,
                                             const CallOptions& options) override {
    last_tablet = tablet;
    last_options = options;
    if (options.counters != nullptr) options.counters->cells_returned += cells.size();
    if (on_read) RETURN_IF_ERROR(on_read(read, options));
    if (new_cells) return new_cells(options);
    return std::unique_ptr<CellStream>(std::make_unique<GivenCells>(cells, outcome));
  }
  Status Run(const TabletAddress& tablet, const engine::Program&, const CallOptions& options,
             engine::ProgramSink* sink) override {
    last_tablet = tablet;
    if (options.counters != nullptr) options.counters->cells_returned += batches.size();
    for (const engine::ProgramBatch& batch : batches) {
      if (!sink->Emit(batch)) return OkStatus();
      ++emitted;
    }
    return outcome;
  }
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress& tablet,
                                                      const ChangesRequest& request,
                                                      const CallOptions& options) override {
    last_tablet = tablet;
    return on_changes(request, options);
  }

  Status outcome;  // outcome of streams, and of each mutation
  Status other_outcome = Aborted("another writer was faster");  // outcome of other calls
  std::vector<Cell> cells;
  std::vector<engine::ProgramBatch> batches;
  std::function<Status(const ReadSpec&, const CallOptions&)> on_read;
  std::function<std::unique_ptr<CellStream>(const CallOptions&)> new_cells;  // replaces `cells`
  std::function<StatusOr<std::unique_ptr<ChangeStream>>(const ChangesRequest&, const CallOptions&)>
      on_changes;
  std::function<void()> on_write;

  std::atomic<int> calls{0}, emitted{0};
  // Parameters of the newest call; to be read after its answer.
  TabletAddress last_tablet;
  CallOptions last_options;
  std::vector<size_t> batch_sizes;
  std::vector<std::string> rows;

 private:
  engine::Mutex mutex_;  // held while calls of different threads add to the two lists and set the
                         // newest parameters

  StatusOr<std::vector<Status>> Perform(const calls::ApplyRows<TabletAddress>& asked) {
    if (on_write) on_write();
    engine::MutexLock lock(&mutex_);
    last_tablet = asked.to;
    batch_sizes.push_back(asked.batch.size());
    std::vector<Status> statuses;
    for (const RowMutation* mutation : asked.batch.values()) {
      rows.push_back(mutation->row);
      statuses.push_back(mutation->row == "bad" ? InvalidArgument("row bad") : outcome);
    }
    return statuses;
  }
  template <class Call>
  Answer<Call> Perform(const Call& asked) {
    last_tablet = asked.to;
    return other_outcome;
  }
};

// Answers Report like a server that has seen master epoch 5, and UnloadTablet with OK.
class FakeControl final : public TabletControl {
 public:
  void Carry(const AnyCall& call, const CallOptions& options) override {
    last_timeout_us = options.timeout_us;
    AnswerBy(call, [](const auto& asked) { return Perform(asked); });
  }
  std::atomic<int64_t> last_timeout_us{-1};

 private:
  static StatusOr<ServerReport> Perform(const calls::Report& asked) {
    if (asked.master_epoch < 5) return Aborted("an older master");
    ServerReport report;
    report.first_unpublished_file = asked.master_epoch;
    return report;
  }
  static Status Perform(const calls::UnloadTablet&) { return OkStatus(); }
  template <class Call>
  static Answer<Call> Perform(const Call&) {
    return Unimplemented("not in this test");
  }
};

class FakeNotices final : public MasterNotices {
 public:
  void Carry(const AnyCall& call, const CallOptions&) override {
    ++heard;
    AnswerBy(call, [](const auto&) { return OkStatus(); });
  }
  std::atomic<int> heard{0};
};

class FakeAddresses final : public MemberAddresses {
 public:
  StatusOr<MemberAddress> OfServer(const ServerId& server) override {
    engine::MutexLock lock(&mutex_);
    ++asked_;
    auto found = servers_.find(server);
    if (found != servers_.end()) return found->second;
    return Unavailable("server " + server.ToString() + " has stopped");
  }
  StatusOr<MemberAddress> OfMaster() override {
    engine::MutexLock lock(&mutex_);
    ++asked_;
    return master_;
  }
  void Put(const ServerId& server, MemberAddress address) {
    engine::MutexLock lock(&mutex_);
    servers_[server] = std::move(address);
  }
  void PutMaster(MemberAddress address) {
    engine::MutexLock lock(&mutex_);
    master_ = std::move(address);
  }
  int asked() {
    engine::MutexLock lock(&mutex_);
    return asked_;
  }

 private:
  engine::Mutex mutex_;
  std::map<ServerId, MemberAddress> servers_ GUARDED_BY(mutex_);
  MemberAddress master_ GUARDED_BY(mutex_);
  int asked_ GUARDED_BY(mutex_) = 0;
};

inline net::Hello HelloOf(const std::string& role, const std::string& name) {
  net::Hello hello;
  hello.role = role;
  hello.name = name;
  hello.cluster = "test";
  return hello;
}

// A member that accepts connections.
struct ListeningMember {
  ListeningMember(const std::string& role, const std::string& name) : service(name) {
    net::ServerOptions options;
    options.hello = HelloOf(role, name);
    auto started = net::Server::Start(options, &service, &loops);
    CHECK(started.ok());
    server = *std::move(started);
    address = {"127.0.0.1", server->port(), name};
  }
  ~ListeningMember() {
    server->Stop(0);
    loops.Stop();
  }

  net::LaneLoops loops{"member"};
  MemberService service;
  std::unique_ptr<net::Server> server;
  MemberAddress address;
};

// The tablet server ts1.4 and a process that calls it.
struct LineWorld {
  LineWorld() : transport(Settings(), &addresses) { addresses.Put(id, server.address); }

  void Begin() { server.service.Begin({.tablets = tablets, .control = control}); }
  LineSettings Settings() {
    return {.loops = &loops, .clock = engine::Clock::System(), .hello = HelloOf("client", "c1")};
  }

  const ServerId id{"ts1", 4};
  net::LaneLoops loops{"caller"};
  std::shared_ptr<FakeTablets> tablets = std::make_shared<FakeTablets>();
  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  ListeningMember server{"tabletserver", "ts1.4"};
  FakeAddresses addresses;
  MemberTransport transport;
};

}  // namespace sippar::cluster
