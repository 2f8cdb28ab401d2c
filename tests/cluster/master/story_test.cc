// Stories: a text describes events; the lines after "----" are the master's actions.
// SIPPAR_REWRITE=1 rewrites those lines; review the difference like code. Commands:
//   servers NAMES...        new lives                stray NAME: one that never had a file
//   kill|die|freeze|thaw|cut|heal|unlock|leave|busy|idle NAME    die: its session lives on
//   master                  a new one takes the lock; the one before is stopped
//   create TABLE [KEYS...]  restore TABLE   drop TABLE [SECONDS]   undelete TABLE   alter TABLE
//   merge TABLE [START LIMIT]   move TABLE ROW SERVER
//   crash NAME [TABLE ROW]  it notes its crash, and that it worked on the row's tablet
//   poison|cure TABLE ROW   the tablet with the row crashes the server that has loaded it
//   letback TABLE ROW       of a tablet that is set aside
//   drain|undrain NAME      balance on|off|now
//   status                  what the master tells of the cluster's health
//   write TABLE ROW   flush TABLE ROW   split TABLE ROW [unspelled]
//   calls TABLE ROW COUNT   so many of them in each report from now on
//   lose TEXT               calls with TEXT are carried out, their answers are lost; until `keep`
//   hold TEXT               calls with TEXT stay on their way until `release`
//   time SECONDS            passes, in steps of 100 ms
//   clock SECONDS           the wall clock of the masters jumps
//   show                    METADATA and servers
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "cluster/master/decide/cluster_health.h"
#include "world.h"

namespace sippar::cluster::master {
namespace {

class Story {
 public:
  std::string Tell(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    std::vector<std::string> args;
    words >> verb;
    for (std::string word; words >> word;) args.push_back(word);
    text_.clear();
    Do(verb, args, line.size() > verb.size() ? line.substr(verb.size() + 1) : "");
    Drain();
    std::string wrong = world_.CheckAlways();
    if (!wrong.empty()) text_ += "WRONG: " + wrong + "\n";
    return text_;
  }

 private:
  void Do(const std::string& verb, std::vector<std::string> args, const std::string& rest) {
    if (verb == "servers") {
      for (const std::string& name : args) world_.AddServer(name);
    } else if (verb == "stray") {
      WorldServer* server = world_.AddServer(args[0]);
      world_.Kill(server);
      server->file = false;
    } else if (verb == "master") {
      NewMaster();
    } else if (verb == "lose") {
      lose_ = rest;
    } else if (verb == "keep") {
      lose_.clear();
    } else if (verb == "hold") {
      hold_ = rest;
    } else if (verb == "release") {
      hold_.clear();
      for (auto& call : held_) calls_.push_back(std::move(call));
      held_.clear();
    } else if (verb == "time") {
      for (int i = std::stoi(args[0]) * 10; i > 0; --i) {
        now_us_ += 100'000;
        Feed(event::Tick{now_us_ + jumped_us_});
        Drain();
      }
    } else if (verb == "clock") {
      jumped_us_ += std::stoll(args[0]) * 1'000'000;
    } else if (verb == "show") {
      text_ += world_.Dump();
    } else if (verb == "status") {
      text_ += StatusText();
    } else if (verb == "balance" && args[0] == "now") {
      Feed(event::BalanceNow{++request_});
    } else if (verb == "balance") {
      world_.orders.balancing = args[0] == "on";
      Feed(event::ServersChanged());
    } else if (verb == "drain" || verb == "undrain") {
      std::erase(world_.orders.drained, args[0]);
      if (verb == "drain") world_.orders.drained.push_back(args[0]);
      std::sort(world_.orders.drained.begin(), world_.orders.drained.end());
      Feed(event::ServersChanged());
    } else if (!OfServer(verb, args) && !OfTable(verb, args)) {
      text_ += "no such command\n";
    }
  }

  bool OfServer(const std::string& verb, const std::vector<std::string>& args) {
    WorldServer* server = args.empty() ? nullptr : world_.Newest(args[0]);
    if (server == nullptr) return false;
    if (verb == "kill") {
      world_.Kill(server);
    } else if (verb == "die") {
      world_.Die(server);
    } else if (verb == "crash") {
      world_.Crash(server, args.size() < 3 ? 0 : world_.TabletId(world_.TableId(args[1]), args[2]));
    } else if (verb == "freeze" || verb == "thaw") {
      server->frozen = verb == "freeze";
    } else if (verb == "cut" || verb == "heal") {
      server->cut = verb == "cut";
    } else if (verb == "busy" || verb == "idle") {
      server->busy = verb == "busy";
    } else if (verb == "leave") {
      server->leaves = true;
    } else if (verb == "unlock") {
      world_.LoseLock(server);
    } else {
      return false;
    }
    return true;
  }

  bool OfTable(const std::string& verb, const std::vector<std::string>& args) {
    TableSchema schema;
    schema.name = args[0];
    schema.families.push_back({"f", {}, {}});
    schema.Normalize();
    uint64_t id = world_.TableId(schema.name);
    std::string row = args.size() > 1 ? args[1] : "";
    if (verb == "restore") {  // a table of one tablet, from a backup
      Feed(
          event::CreateTable{++request_, schema, {}, 0, {std::make_shared<engine::TabletState>()}});
    } else if (verb == "create") {
      Feed(event::CreateTable{++request_, schema, {args.begin() + 1, args.end()}, 0});
    } else if (verb == "drop") {
      int64_t until_us = row.empty() ? 0 : now_us_ + jumped_us_ + std::stoll(row) * 1'000'000;
      Feed(event::DropTable{++request_, schema.name, until_us, now_us_ + jumped_us_});
    } else if (verb == "undelete") {
      Feed(event::UndeleteTable{++request_, schema.name});
    } else if (verb == "alter") {
      Feed(event::AlterTable{++request_, schema, world_.tables[id].table.schema_version, 0});
    } else if (verb == "merge") {
      RowRange rows = args.size() > 2 ? RowRange{row, args[2]} : RowRange::All();
      Feed(event::MergeTablets{++request_, schema.name, rows});
    } else if (verb == "move") {
      Feed(event::MoveTablet{++request_, schema.name, row == "''" ? "" : row, args[2]});
    } else if (verb == "letback") {
      Feed(event::LetBack{++request_, schema.name, row});
    } else if (verb == "poison") {
      world_.deadly.insert({id, row});
    } else if (verb == "cure") {
      world_.deadly.erase({id, row});
    } else if (verb == "write") {
      text_ += world_.Write(id, row, ++number_) ? "acknowledged\n" : "refused\n";
    } else if (verb == "flush") {
      text_ += world_.Flush(id, row) ? "flushed\n" : "refused\n";
    } else if (verb == "calls") {
      world_.calls[{id, row}] = std::stoull(args[2]);
    } else if (verb == "split") {
      text_ += world_.Split(id, row, args.size() < 3) ? "committed\n" : "refused\n";
    } else {
      return false;
    }
    return true;
  }

  std::string StatusText() {
    const ClusterHealth health = HealthOf(*state_, now_us_);
    const TabletCounts& counts = health.tablets;
    std::string text = fmt::format(
        "{}, {}: {} tablets, {} online, {} loading, {} unassigned, {} recovering, {} merging, {} "
        "set aside\n",
        health.master.is_running ? "running" : "starting", health.healthy ? "healthy" : "unhealthy",
        counts.total, counts.online, counts.loading, counts.unassigned, counts.recovering,
        counts.merging, counts.set_aside);
    for (const ServerStatus& server : health.servers) {
      text += fmt::format("{} {}: {} tablets, {:.1f} reads/s, {} in memory\n", server.id.ToString(),
                          server.state, server.tablets, server.reads_per_s, server.memtable_bytes);
    }
    if (!health.clock_doubt.empty()) text += "clock: " + health.clock_doubt + "\n";
    for (const UnservedTablet& tablet : health.unserved) {
      text += fmt::format("unserved {} ['{}', '{}') {} for {:.1f} s: {}\n", tablet.table,
                          tablet.range.start, tablet.range.limit, tablet.state,
                          static_cast<double>(tablet.for_us) / 1e6, tablet.why);
    }
    for (const RecoveryStatus& recovery : health.recoveries) {
      text += fmt::format("recovery of {}: {}, {} tablets left, {:.1f} s {}\n",
                          recovery.server.ToString(), recovery.stage, recovery.tablets_left,
                          static_cast<double>(recovery.for_us) / 1e6, recovery.error);
    }
    return text;
  }

  void NewMaster() {
    calls_.clear();
    state_ = std::make_unique<MasterState>();
    state_->options.root_limit = World::kRootLimit;
    epoch_ = world_.NextEpoch();
    world_.TakeMasterLock(epoch_);
    Feed(event::LockTaken{epoch_});
  }

  void Feed(const Event& event) {
    if (state_ == nullptr) return;
    for (Action& action : Step(state_.get(), event, now_us_)) {
      if (action.op == 0) {
        text_ += Print(action) + "\n";
      } else {
        calls_.push_back(std::move(action));
      }
    }
  }

  void Drain() {
    while (!calls_.empty()) {
      Action action = std::move(calls_.front());
      calls_.pop_front();
      std::string said = Print(action.body);
      if (!hold_.empty() && said.find(hold_) != std::string::npos) {
        text_ += said + " ...\n";
        held_.push_back(std::move(action));
        continue;
      }
      event::Done done = world_.CarryOut(epoch_, action);
      if (!lose_.empty() && said.find(lose_) != std::string::npos) {
        done = {action.op, Unavailable("its answer is lost"), {}};
      }
      Note(action, said, done.status);
      Feed(done);
    }
  }

  // Leaves out routine calls that succeed, and lines that are already in the text.
  void Note(const Action& action, const std::string& said, const Status& status) {
    bool routine = std::holds_alternative<action::ListServers>(action.body) ||
                   std::holds_alternative<action::AskServer>(action.body);
    if (routine && status.ok()) return;
    std::string line = said + (status.ok() ? "" : ": " + std::string(MessageOf(status))) + "\n";
    if (text_.find(line) == std::string::npos) text_ += line;
  }

  World world_;
  std::unique_ptr<MasterState> state_;
  uint64_t epoch_ = 0;
  std::deque<Action> calls_;
  std::vector<Action> held_;
  std::string hold_;
  std::string lose_;
  std::string text_;
  int64_t now_us_ = 1'000'000;
  int64_t jumped_us_ = 0;
  uint64_t number_ = 0;
  uint64_t request_ = 0;
};

// A block has comment lines, commands, "----", the expected lines, and an empty line.
std::string Retell(const std::string& text) {
  Story story;
  std::istringstream lines(text);
  std::string out;
  std::string answer;
  bool expects = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "----") {
      out += "----\n" + answer;
      answer.clear();
      expects = true;
    } else if (line.empty()) {
      expects = false;
      out += "\n";
    } else if (!expects) {
      out += line + "\n";
      if (line[0] != '#') answer += story.Tell(line);
    }
  }
  return out;
}

TEST(MasterStories, AreToldAsWritten) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MASTER_STORIES)) {
    if (entry.path().extension() != ".txt" || entry.path().stem() == "CMakeLists") continue;
    std::ifstream in(entry.path());
    std::string text((std::istreambuf_iterator<char>(in)), {});
    std::string told = Retell(text);
    EXPECT_EQ(told.find("WRONG"), std::string::npos) << entry.path();
    if (std::getenv("SIPPAR_REWRITE") != nullptr) {
      std::ofstream(entry.path()) << told;
    } else {
      EXPECT_EQ(told, text) << entry.path();
    }
    ++count;
  }
  EXPECT_GE(count, 6u);
}

}  // namespace
}  // namespace sippar::cluster::master
