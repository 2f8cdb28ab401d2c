// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/health_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::PrintableBytes;

// A larger difference between a server's clock and the master's is reported, because cells get
// wrong times.
constexpr int64_t kSkewShownMs = 1'000;

double Seconds(int64_t micros) { return static_cast<double>(micros) / 1e6; }

std::string RowsText(const engine::RowRange& rows) {
  return fmt::format("['{}' .. {})", PrintableBytes(rows.start),
                     rows.limit.empty() ? "end" : "'" + PrintableBytes(rows.limit) + "'");
}

// True if `text` contains `life`, the name of one run of a server, as a whole word, not only as a
// part of a longer name.
bool Names(std::string_view text, std::string_view life) {
  auto belongs = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  for (size_t at = text.find(life); at != std::string_view::npos; at = text.find(life, at + 1)) {
    const size_t end = at + life.size();
    const bool begins = at == 0 || !belongs(text[at - 1]);
    if (begins && (end == text.size() || !belongs(text[end]))) return true;
  }
  return false;
}

class HealthDiagnosis {
 public:
  HealthDiagnosis(const ClusterFacts& facts, const ClusterHealth& health,
                  std::vector<ClusterFinding>* findings)
      : facts_(facts), health_(health), findings_(findings) {}

  void Run() {
    const ClusterHealth& health = health_;
    if (!health.master.is_running) {
      Add("master", "master " + PrintableBytes(health.master.name),
          "it is starting: it reads METADATA, and gives no tablets away before",
          "wait; if it goes on, what is unserved below says what it waits for");
    }
    for (const ServerStatus& server : health.servers) LookAtServer(server);
    for (const RecoveryStatus& recovery : health.recoveries) LookAtRecovery(recovery);
    LookAtOrders();
    if (health.sweep_errors > 0) {
      Add("cluster", Cluster(),
          fmt::format("{} sweeps of unused files failed under this master, so their room is not "
                      "freed",
                      health.sweep_errors),
          "list the backups: one that cannot be read stops the sweep and is named");
    }
    if (!health.clock_doubt.empty()) {
      Add("cluster", Cluster(),
          fmt::format(
              "{}, so no dropped table, backup, change or unused file is removed because of "
              "its date",
              PrintableBytes(health.clock_doubt)),
          "set the clocks of the master's machine and of the servers' (chrony); a clock that is "
          "right is believed after a day without a jump");
    }
    for (const UnservedTablet& tablet : health.unserved) LookAtTablet(tablet);
    if (health.unserved.size() == ClusterHealth::kUnservedMax) {
      Add("tablet", Cluster(), "more tablets than these are not served",
          "begin with what is above; " + Command("status") + " counts them");
    }
  }

 private:
  void Add(std::string about, std::string what, std::string why, std::string way_out) {
    findings_->push_back(
        {true, std::move(about), std::move(what), std::move(why), std::move(way_out)});
  }
  void AddNote(std::string about, std::string what, std::string why, std::string way_out) {
    Add(std::move(about), std::move(what), std::move(why), std::move(way_out));
    findings_->back().is_trouble = false;
  }
  std::string Cluster() const { return "cluster " + facts_.target; }
  std::string Command(std::string_view command) const {
    return fmt::format("`sippar admin {} {}`", command, facts_.target);
  }
  // Returns what this process itself found out about the server `life`, or null if it knows
  // nothing.
  const MemberFact* FactOf(const std::string& life) const {
    auto found = std::find_if(
        facts_.members.begin(), facts_.members.end(),
        [&](const MemberFact& member) { return member.is_server && member.name == life; });
    return found == facts_.members.end() ? nullptr : &*found;
  }

  void LookAtServer(const ServerStatus& server) {
    const std::string what = "server " + server.id.ToString();
    const MemberFact* fact = FactOf(server.id.ToString());
    const bool answers_here = fact != nullptr && fact->answer.ok();
    if (server.state == "silent" && (facts_.zookeeper.empty() || answers_here)) {
      Add("server", what, "it holds its lock and does not answer the master",
          fmt::format("mend the network between the master and {} ({}), or end the server",
                      PrintableBytes(server.member.machine),
                      PrintableBytes(server.member.address)));
    }
    const int64_t skew_ms = server.skew_ms.value_or(0);
    if (std::abs(skew_ms) <= kSkewShownMs) return;
    Add("server", what,
        fmt::format(
            "its clock shows {:+.1f} s compared with the master's, so cells get wrong times",
            static_cast<double>(skew_ms) / 1e3),
        fmt::format("set the clocks of {} and of the master's machine (chrony)",
                    PrintableBytes(server.member.machine)));
  }

  void LookAtRecovery(const RecoveryStatus& recovery) {
    Add("server", "server " + recovery.server.ToString(),
        fmt::format("it has ended, and {} tablets wait until its log is recovered: stage '{}' for "
                    "{:.1f} s{}{}",
                    recovery.tablets_left, recovery.stage, Seconds(recovery.for_us),
                    recovery.error.empty() ? "" : ", last error: ", PrintableBytes(recovery.error)),
        recovery.error.empty() ? "wait: the master goes on by itself"
                               : "mend what the error names; the master tries again by itself");
  }

  void LookAtOrders() {
    const ClusterHealth& health = health_;
    if (!health.orders.balancing) {
      AddNote("cluster", Cluster(), "balancing is off: the master does not even out the load",
              fmt::format("`sippar admin balance {} on`", facts_.target));
    }
    auto is_drained = [&](const std::string& name) {
      return std::find(health.orders.drained.begin(), health.orders.drained.end(), name) !=
             health.orders.drained.end();
    };
    size_t live = 0, drained = 0;
    for (const ServerStatus& server : health.servers) {
      if (server.state == "recovering") continue;
      ++live;
      if (is_drained(server.id.name)) ++drained;
    }
    if (live > 0 && live == drained) {
      Add("server", Cluster(),
          "every live server is drained; they keep the tablets only because "
          "there is no other",
          fmt::format("`sippar admin undrain {} SERVER`, or start another server", facts_.target));
    }
    for (const std::string& name : health.orders.drained) {
      AddNote("server", "server " + PrintableBytes(name), "it is drained and gets no tablets",
              fmt::format("`sippar admin undrain {} {}` when it may have some again", facts_.target,
                          PrintableBytes(name)));
    }
  }

  void LookAtTablet(const UnservedTablet& tablet) {
    const std::string what =
        fmt::format("tablet {} {}", PrintableBytes(tablet.table), RowsText(tablet.range));
    std::string why = fmt::format("not served for {:.1f} s ({}): {}", Seconds(tablet.for_us),
                                  tablet.state, PrintableBytes(tablet.why));
    // True if a server or a recovery that has its own finding blocks the tablet.
    bool is_blocked = false;
    for (const RecoveryStatus& recovery : health_.recoveries) {
      is_blocked |= Names(tablet.why, recovery.server.ToString());
    }
    for (const ServerStatus& server : health_.servers) {
      const std::string life = server.id.ToString();
      const MemberFact* fact = FactOf(life);
      const bool is_silent = server.state == "silent" || (fact != nullptr && !fact->answer.ok());
      if (!is_silent || !Names(tablet.why, life)) continue;
      why += fmt::format("; server {} does not answer", life);
      is_blocked = true;
    }
    Add("tablet", what, std::move(why), WayOutOf(tablet, is_blocked));
  }

  std::string WayOutOf(const UnservedTablet& tablet, bool is_blocked) const {
    if (tablet.state == "set_aside") {
      return fmt::format("find out why its servers crash, then `sippar admin letback {} {} '{}'`",
                         facts_.target, PrintableBytes(tablet.table),
                         PrintableBytes(tablet.range.start));
    }
    if (tablet.state == "missing") {
      return fmt::format(
          "wait a minute: the master reads METADATA again; if it stays, {} says what "
          "became of these rows",
          Command("events"));
    }
    if (is_blocked) return "see that server above; nothing is to be done for the tablet itself";
    if (tablet.state == "unassigned") {
      return HasLiveServer() ? "wait; if it goes on, start another tablet server or undrain one"
                             : "start a tablet server";
    }
    return fmt::format("wait; if it goes on, {} says what was tried", Command("events"));
  }

  bool HasLiveServer() const {
    return std::any_of(health_.servers.begin(), health_.servers.end(),
                       [](const ServerStatus& server) { return server.state != "recovering"; });
  }

  const ClusterFacts& facts_;
  const ClusterHealth& health_;
  std::vector<ClusterFinding>* const findings_;
};

}  // namespace

void AddHealthFindings(const ClusterFacts& facts, std::vector<ClusterFinding>* findings) {
  if (facts.health.ok()) HealthDiagnosis(facts, *facts.health, findings).Run();
}

}  // namespace sippar::cluster
