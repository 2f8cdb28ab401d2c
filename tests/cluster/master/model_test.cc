// Masters, servers and clients in a small world with random faults: servers die, freeze and return,
// answers are lost or late, calls arrive twice, and masters are replaced at any step while their
// actions still arrive. The invariants are checked after every step; when faults end, everything
// must settle in bounded time.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "world.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kSecond = 1'000'000;

struct Master {
  MasterState state;
  bool stopped = false;  // gets no events, but its actions in flight may still be carried out
};

struct Call {
  Master* master = nullptr;
  Action action;
  bool carried_out = false;
  event::Done answer;
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) world_.AddServer("s" + std::to_string(i));
    world_.stops_writers = random_.OneIn(2);
    NewMaster();
  }

  // Returns "" or a description of the problem.
  std::string Run() {
    int steps = 200 + static_cast<int>(random_.Uniform(1200));
    for (int i = 0; i < steps; ++i) {
      Fault();
      ClientWork();
      for (uint64_t n = random_.Uniform(6); n > 0; --n) Advance();
      std::string wrong = world_.CheckAlways();
      if (!wrong.empty()) return wrong;
    }
    return Settle();
  }

  const World& world() const { return world_; }
  std::string trace() const { return trace_; }

 private:
  void NewMaster() {
    for (auto& master : masters_) master->stopped = true;
    masters_.push_back(std::make_unique<Master>());
    MasterState& state = masters_.back()->state;
    state.options.root_limit = World::kRootLimit;
    state.options.report_us = 2 * kSecond;
    state.options.balance_us = 3 * kSecond;
    state.options.garbage_us = 3 * kSecond;
    state.options.trash_us = 0;
    state.options.scan_page = 3;
    state.options.split_calls = 10;
    state.options.loads_max = 2;
    state.random = engine::Random(random_.Next());
    uint64_t epoch = world_.NextEpoch();
    world_.TakeMasterLock(epoch);
    Feed(masters_.back().get(), event::LockTaken{epoch});
  }

  void Feed(Master* master, const Event& event) {
    if (master->stopped) return;
    for (Action& action : Step(&master->state, event, now_us_)) {
      if (action.op != 0) calls_.push_back({master, std::move(action), false, {}});
    }
  }

  void CarryOut(Call* call) {
    call->answer = world_.CarryOut(call->master->state.epoch, call->action);
    call->carried_out = true;
    trace_ += std::to_string(call->master->state.epoch) + " " + Print(call->action) + " -> " +
              (call->answer.status.ok() ? "OK" : std::string(MessageOf(call->answer.status))) +
              "\n";
  }

  // Carries out one call, delivers its answer, or lets time pass.
  void Advance() {
    if (calls_.empty() || random_.OneIn(4)) {
      now_us_ += static_cast<int64_t>(random_.Uniform(kSecond / 2));
      return Feed(masters_.back().get(), event::Tick{now_us_});
    }
    size_t at = random_.OneIn(3) ? random_.Uniform(calls_.size()) : 0;
    Call& call = calls_[at];
    if (!call.carried_out) {
      CarryOut(&call);
      if (random_.OneIn(20)) CarryOut(&call);  // the call arrives twice
      if (random_.OneIn(20)) call.answer = {call.action.op, Unavailable("the answer was lost"), {}};
      if (random_.OneIn(3)) return;
    }
    // A copy of the call may be carried out again, much later. This excludes calls through a
    // session of the lock service, which keeps their order.
    bool in_session = std::holds_alternative<action::WriteTable>(call.action.body) ||
                      std::holds_alternative<action::RemoveTable>(call.action.body);
    if (!in_session && random_.OneIn(30)) late_.push_back(call);
    Master* master = call.master;
    event::Done answer = std::move(call.answer);
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(at));
    Feed(master, answer);
    if (random_.OneIn(20)) Feed(master, answer);
  }

  WorldServer* AnyServer() {
    auto it = world_.servers.begin();
    std::advance(it, random_.Uniform(world_.servers.size()));
    return &it->second;
  }

  size_t Running() const {
    size_t count = 0;
    for (const auto& [id, server] : world_.servers) count += server.running ? 1 : 0;
    return count;
  }

  void Fault() {
    if (!late_.empty() && random_.OneIn(10)) {
      CarryOut(&late_[random_.Uniform(late_.size())]);
      trace_ += "  (late)\n";
    }
    if (!random_.OneIn(12)) return;
    WorldServer* server = AnyServer();
    switch (random_.Uniform(10)) {
      case 0:
        trace_ += "kill " + server->id.ToString() + "\n";
        return random_.OneIn(2) ? world_.Kill(server) : world_.Die(server);
      case 1:
        if (Running() < 4) world_.AddServer(server->id.name);
        return;
      case 2:
        server->frozen = random_.OneIn(2);
        return;
      case 3:
        trace_ += "lock lost " + server->id.ToString() + "\n";
        return world_.LoseLock(server);
      case 4:
        return world_.RegainLock(server);
      case 5:
        server->cut = random_.OneIn(2);
        return;
      case 6:
        if (random_.OneIn(4)) {
          trace_ += "new master\n";
          NewMaster();
        }
        return;
      case 7:
        if (server->running) world_.LeaveOrphan(server);
        return;
      case 8:
        server->busy = random_.OneIn(2);
        return;
      case 9:  // the network around the master
        for (auto& [id, other] : world_.servers) other.cut = random_.OneIn(2);
        return;
    }
  }

  std::string AnyRow() { return std::string(1, static_cast<char>('a' + random_.Uniform(26))); }

  uint64_t AnyTable() {
    if (world_.tables.empty()) return 0;
    auto it = world_.tables.begin();
    std::advance(it, random_.Uniform(world_.tables.size()));
    return it->second.life == TableLife::kLive ? it->first : 0;
  }

  void Administrate(uint64_t table_id) {
    Master* master = masters_.back().get();
    uint64_t request = ++request_;
    TableSchema schema;
    schema.name = "t" + std::to_string(random_.Uniform(3));
    schema.families.push_back({"f", {}, {}});
    schema.Normalize();
    if (random_.OneIn(6)) return Feed(master, event::UndeleteTable{request, schema.name});
    if (random_.OneIn(4)) return Place(master, request, table_id);
    if (random_.OneIn(3) || table_id == 0) {
      std::vector<std::string> keys;
      if (random_.OneIn(2)) keys = {"h", "p"};
      return Feed(master, event::CreateTable{request, schema, keys, 0});
    }
    const TableRecord& table = world_.tables[table_id].table;
    if (random_.OneIn(6)) {
      // 0: the dropped table is not kept.
      auto kept_us = static_cast<int64_t>(random_.Uniform(3) * 5 * kSecond);
      int64_t until_us = kept_us == 0 ? 0 : now_us_ + kept_us;
      return Feed(master, event::DropTable{request, table.schema.name, until_us, now_us_});
    }
    if (random_.OneIn(3)) {
      return Feed(master, event::AlterTable{request, table.schema, table.schema_version, 0});
    }
    std::string start = AnyRow();
    Feed(master, event::MergeTablets{
                     request, table.schema.name, {start, random_.OneIn(2) ? "" : start + "~~"}});
  }

  // Moves single tablets, drains servers, switches balancing off and on.
  void Place(Master* master, uint64_t request, uint64_t table_id) {
    const std::string name = AnyServer()->id.name;
    StandingOrders& orders = world_.orders;
    switch (random_.Uniform(4)) {
      case 0:
        orders.balancing = random_.OneIn(2);
        return;
      case 1:
        if (std::erase(orders.drained, name) == 0) orders.drained.push_back(name);
        std::sort(orders.drained.begin(), orders.drained.end());
        return;
      case 2:
        return Feed(master, event::BalanceNow{request});
      case 3: {
        const bool of_metadata = table_id == 0 || random_.OneIn(3);
        const std::string table =
            of_metadata ? kMetadataName : world_.tables[table_id].table.schema.name;
        return Feed(master, event::MoveTablet{request, table, of_metadata ? "" : AnyRow(), name});
      }
    }
  }

  void ClientWork() {
    uint64_t table = AnyTable();
    if (random_.OneIn(10)) Administrate(table);
    if (table == 0) return;
    world_.Write(table, AnyRow(), ++number_);
    if (random_.OneIn(8)) world_.Flush(table, AnyRow());
    if (random_.OneIn(20)) world_.calls[{table, AnyRow()}] = random_.Uniform(1'000);
    if (random_.OneIn(25)) {
      std::string row = AnyRow();
      bool spelled_out = random_.OneIn(2);
      bool done = world_.Split(table, row, spelled_out);
      if (done) trace_ += "split at " + row + "\n";
    }
  }

  // Ends all faults: frozen servers wake, and servers without a lock get it back or end.
  std::string Settle() {
    for (auto& [id, server] : world_.servers) {
      server.frozen = server.cut = server.busy = false;
      if (!server.lock) world_.RegainLock(&server);
    }
    world_.calls.clear();
    std::string wrong = "not looked at";
    for (int round = 0; round < 400; ++round) {
      // Also replaces servers that are fenced only now.
      while (Running() < 2) world_.AddServer("fresh");
      now_us_ += kSecond / 5;
      Feed(masters_.back().get(), event::Tick{now_us_});
      for (int calls = 0; !calls_.empty(); ++calls) {
        if (calls > 20'000) return "calls follow calls without end: " + Print(calls_[0].action);
        Call call = std::move(calls_.front());
        calls_.erase(calls_.begin());
        if (!call.carried_out) CarryOut(&call);
        Feed(call.master, call.answer);
      }
      std::string broken = world_.CheckAlways();
      if (!broken.empty()) return broken;
      wrong = world_.CheckSettled();
      if (wrong.empty() && round > 100) return "";
    }
    return wrong + " 80 s after the last fault";
  }

  engine::Random random_;
  World world_;
  std::vector<std::unique_ptr<Master>> masters_;
  std::vector<Call> calls_;
  std::vector<Call> late_;
  std::string trace_;
  int64_t now_us_ = kSecond;
  uint64_t number_ = 0;
  uint64_t request_ = 0;
};

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// SIPPAR_SEED=n runs one seed and prints what happened; SIPPAR_SEEDS=n runs n seeds.
TEST(MasterModel, KeepsWhatItMustUnderRandomFaults) {
  uint64_t only = FromEnvironment("SIPPAR_SEED", 0);
  uint64_t count = FromEnvironment("SIPPAR_SEEDS", 200);
  for (uint64_t seed = only == 0 ? 1 : only; seed <= (only == 0 ? count : only); ++seed) {
    History history(seed);
    std::string wrong = history.Run();
    if (only != 0) printf("%s\n%s", history.trace().c_str(), history.world().Dump().c_str());
    ASSERT_EQ(wrong, "") << "seed " << seed << ": SIPPAR_SEED=" << seed << " replays it\n"
                         << history.world().Dump();
  }
}

TEST(MasterModel, TheSameSeedGivesTheSameHistory) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    History first(seed);
    History second(seed);
    first.Run();
    second.Run();
    ASSERT_EQ(first.trace(), second.trace());
  }
}

}  // namespace
}  // namespace sippar::cluster::master
