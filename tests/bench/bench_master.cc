// Measures the master's step with 1,000 servers and 1,000,000 tablets, in memory: start from
// records, a balance round, placing a dead server's tablets, balance over several rounds. Prints
// figures.
//   bench_master [SERVERS TABLETS]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string>

#include "cluster/master/decide/master_step.h"
#include "engine/base/clock.h"

namespace sippar::cluster::master {
namespace {

class Cluster {
 public:
  Cluster(uint64_t servers, uint64_t tablets) : random_(1) {
    for (uint64_t i = 1; i <= servers; ++i) servers_.push_back({fmt::format("s{:04}", i), i});
    Add(kMetadataTableId, {"", "0"}, 1);
    Add(kMetadataTableId, {"0", ""}, 2);
    std::string start;
    for (uint64_t i = 1; i <= tablets; ++i) {
      std::string limit = i == tablets ? "" : fmt::format("row{:012}", i);
      Add(kTable, {start, limit}, i + 10);
      start = limit;
    }
    TableRecord table;
    table.table_id = kTable;
    table.schema.name = "web";
    tables_.push_back({table, TableLife::kLive, 1});
  }

  // Carries out all actions at once, and those that follow from them. Returns their number.
  size_t Run(const Event& event) {
    size_t count = 0;
    std::deque<Action> actions;
    auto step = [&](const Event& next) {
      int64_t began_ns = engine::Clock::System()->MonotonicNanos();
      for (Action& action : Step(&state_, next, now_us_)) actions.push_back(std::move(action));
      step_ns_ += engine::Clock::System()->MonotonicNanos() - began_ns;
    };
    step(event);
    for (; !actions.empty(); ++count) {
      Action action = std::move(actions.front());
      actions.pop_front();
      event::Done done = Answer(action.body);
      done.op = action.op;
      if (action.op != 0) step(done);
    }
    return count;
  }

  double TakeSeconds() { return static_cast<double>(std::exchange(step_ns_, 0)) / 1e9; }
  void Pass(int64_t micros) { now_us_ += micros; }
  void Kill() { dead_ = servers_[servers_.size() / 2]; }
  size_t OfServer(const ServerId& id) const {
    const auto found = state_.servers.find(id);
    return found == state_.servers.end() ? 0 : found->second.tablets.size();
  }
  const ServerId& dead() const { return dead_; }
  bool running() const { return state_.stage == StartStage::kRunning; }
  double Skew() const {
    uint64_t most = 0;
    uint64_t sum = 0;
    for (const auto& [id, server] : state_.servers) {
      most = std::max(most, server.weight);
      sum += server.weight;
    }
    return static_cast<double>(most) * static_cast<double>(state_.servers.size()) /
           static_cast<double>(sum);
  }

 private:
  static constexpr uint64_t kTable = 1ull << 32;

  // Adds a tablet. A third of the servers hold most of the tablets.
  void Add(uint64_t table_id, RowRange range, uint64_t id) {
    TabletFacts facts;
    facts.table_id = table_id;
    facts.range = std::move(range);
    facts.tablet_id = id;
    facts.tablet_epoch = 1;
    facts.phase = TabletPhase::kAssigned;
    uint64_t count = random_.OneIn(2) ? servers_.size() : servers_.size() / 3 + 1;
    facts.server = servers_[random_.Uniform(count)];
    facts.stored_bytes = random_.Uniform(200 << 20);
    served_[facts.server].push_back(facts.key());
    records_[facts.key()] = std::move(facts);
  }

  template <typename Body>
  event::Done Done(const Body&) {
    return {};
  }
  event::Done Done(const action::ListServers&) {
    ServerListing listing;
    for (const ServerId& id : servers_) {
      (id == dead_ ? listing.unlocked : listing.locked).push_back(id);
    }
    return {0, OkStatus(), std::move(listing)};
  }
  event::Done Done(const action::ReadTables&) { return {0, OkStatus(), tables_}; }
  event::Done Done(const action::AskServer& asked) {
    ServerReport report;
    for (const TabletKey& key : served_[asked.server]) {
      const TabletFacts& facts = records_[key];
      if (facts.server != asked.server) continue;
      report.tablets.push_back({facts.table_id, facts.range, facts.tablet_id, facts.tablet_epoch,
                                facts.stored_bytes, 0, 0, facts.tablet_id % 97, 0});
    }
    return {0, OkStatus(), std::move(report)};
  }
  event::Done Done(const action::ReadRoot&) {
    return {0, OkStatus(), RecordPage{{records_.begin()->second}, true}};
  }
  event::Done Done(const action::ReadRecords& asked) {
    RecordPage page;
    for (auto it = records_.upper_bound(asked.after);
         it != records_.end() && !(asked.last < it->first); ++it) {
      page.complete = page.records.size() < asked.count;
      if (!page.complete) break;
      page.records.push_back(it->second);
    }
    return {0, OkStatus(), std::move(page)};
  }
  event::Done Done(const action::ChangeRecord& asked) {
    TabletFacts& facts = records_[asked.record.key()];
    TabletRecord record;
    record.phase = facts.phase;
    record.server = facts.server;
    record.tablet_epoch = facts.tablet_epoch;
    Status status = ApplyChange(asked.change, &record);
    facts.phase = record.phase;
    facts.server = record.server;
    facts.tablet_epoch = record.tablet_epoch;
    if (!facts.server.IsNone()) served_[facts.server].push_back(facts.key());
    return {0, std::move(status), RecordPage{{facts}, true}};
  }
  event::Done Done(const action::SealLog&) { return {0, OkStatus(), SealedLog()}; }
  event::Done Done(const action::FindReferences&) { return {0, OkStatus(), References()}; }
  event::Done Done(const action::ListFiles&) { return {0, OkStatus(), FileListing()}; }

  event::Done Answer(const ActionBody& body) {
    return std::visit([this](const auto& what) { return Done(what); }, body);
  }

  engine::Random random_;
  std::vector<ServerId> servers_;
  std::map<TabletKey, TabletFacts> records_;
  std::map<ServerId, std::vector<TabletKey>> served_;
  std::vector<TableFile> tables_;
  ServerId dead_;
  MasterState state_;
  int64_t now_us_ = 1'000'000;
  int64_t step_ns_ = 0;
};

int Main(uint64_t servers, uint64_t tablets) {
  Cluster cluster(servers, tablets);
  size_t actions = cluster.Run(event::LockTaken{1});
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "start: {} servers, {} tablets, {} actions, {:.2f} s of steps, running {}, {} MB "
      "resident with the test's own copy\n",
      servers, tablets, actions, cluster.TakeSeconds(), cluster.running(), usage.ru_maxrss >> 10);
  cluster.Pass(60'000'000);
  actions = cluster.Run(event::Tick{});
  fmt::print("reports of all servers and a balance round: {} actions, {:.2f} s\n", actions,
             cluster.TakeSeconds());
  fmt::print("skew (heaviest server over mean) by round:");
  for (int round = 0; round < 40; ++round) {
    fmt::print(" {:.2f}", cluster.Skew());
    cluster.Pass(10'000'000);
    cluster.Run(event::Tick{});
  }
  fmt::print("\n40 rounds with reports: {:.2f} s each\n", cluster.TakeSeconds() / 40);
  cluster.Kill();
  size_t had = cluster.OfServer(cluster.dead());
  cluster.Pass(1'000'000);
  actions = cluster.Run(event::Tick{});
  fmt::print("death of a server with {} tablets: {} left in one round, {} actions, {:.3f} s\n", had,
             cluster.OfServer(cluster.dead()), actions, cluster.TakeSeconds());
  return 0;
}

}  // namespace
}  // namespace sippar::cluster::master

int main(int argc, char** argv) {
  uint64_t servers = argc > 2 ? std::strtoull(argv[1], nullptr, 10) : 1'000;
  uint64_t tablets = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  return sippar::cluster::master::Main(servers, tablets);
}
