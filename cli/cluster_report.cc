// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "cli/run_statement.h"
#include "engine/program/value.h"
#include "query/format/json_value.h"

namespace sippar::cli {
namespace {

using cluster::ClusterHealth;
using engine::PrintEscaped;

// Builds a JSON object, one member after the other.
class JsonMembers {
 public:
  JsonMembers& Text(const char* name, std::string_view text) {
    return Add(name, query::JsonText(text));
  }
  template <class Number>
  JsonMembers& Value(const char* name, Number value) {
    return Add(name, fmt::format("{}", value));
  }
  JsonMembers& OrNull(const char* name, const std::optional<int64_t>& value) {
    return value ? Value(name, *value) : Add(name, "null");
  }
  JsonMembers& Seconds(const char* name, int64_t micros) {
    return Add(name, fmt::format("{:.1f}", static_cast<double>(micros) / 1e6));
  }
  JsonMembers& Rate(const char* name, double value) {
    return Add(name, fmt::format("{:.1f}", value));
  }
  template <class Items, class Print>
  JsonMembers& List(const char* name, const Items& items, const Print& print) {
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ",") + print(item);
    return Add(name, "[" + list + "]");
  }
  JsonMembers& Add(const char* name, const std::string& json) {
    members_ += fmt::format("{}\"{}\":{}", members_.empty() ? "" : ",", name, json);
    return *this;
  }
  std::string Object() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

std::string Millis(int64_t micros) {
  return fmt::format("{:.3f}", static_cast<double>(micros) / 1000);
}

JsonMembers MemberJson(const std::string& name, const cluster::MemberInfo& member) {
  JsonMembers json;
  json.Text("name", name).Text("address", member.address).Text("host", member.machine);
  json.Value("pid", member.pid).Text("version", member.version);
  return json;
}

std::string MasterJson(const cluster::MasterStatus& master) {
  JsonMembers json = MemberJson(master.name, master.member);
  json.Value("epoch", master.epoch).Text("state", master.is_running ? "running" : "starting");
  return json.Object();
}

std::string CandidateJson(const cluster::MasterCandidate& candidate) {
  return MemberJson(candidate.name, candidate.member).Value("reigns", candidate.reigns).Object();
}

std::string ServerJson(const cluster::ServerStatus& server) {
  JsonMembers json = MemberJson(server.id.name, server.member);
  json.Value("epoch", server.id.epoch).Text("state", server.state);
  json.Value("tablets", server.tablets).Value("bytes", server.bytes);
  json.Value("memtable_bytes", server.memtable_bytes);
  json.Rate("reads_per_s", server.reads_per_s).Rate("writes_per_s", server.writes_per_s);
  json.OrNull("lease_left_ms", server.lease_left_ms).OrNull("skew_ms", server.skew_ms);
  return json.Object();
}

std::string CountsJson(const cluster::TabletCounts& counts) {
  JsonMembers json;
  json.Value("total", counts.total).Value("online", counts.online);
  json.Value("loading", counts.loading).Value("unassigned", counts.unassigned);
  json.Value("recovering", counts.recovering).Value("merging", counts.merging);
  json.Value("set_aside", counts.set_aside);
  return json.Object();
}

std::string UnservedJson(const cluster::UnservedTablet& tablet) {
  JsonMembers json;
  json.Text("table", tablet.table).Text("start", tablet.range.start);
  json.Text("end", tablet.range.limit).Value("tablet", tablet.tablet_id);
  json.Text("state", tablet.state).Text("why", tablet.why).Seconds("since_s", tablet.for_us);
  return json.Object();
}

std::string RecoveryJson(const cluster::RecoveryStatus& recovery) {
  JsonMembers json;
  json.Text("server", recovery.server.ToString()).Text("stage", recovery.stage);
  json.Value("tablets_left", recovery.tablets_left).Seconds("since_s", recovery.for_us);
  json.Text("error", recovery.error);
  return json.Object();
}

// The range as text for people: ['START' .. 'END').
std::string RowsText(const engine::RowRange& rows) {
  return fmt::format("['{}' .. {})", PrintEscaped(rows.start),
                     rows.limit.empty() ? "end" : "'" + PrintEscaped(rows.limit) + "'");
}

std::string AddressText(const cluster::MemberInfo& member) {
  if (member.address.empty()) return "";
  return fmt::format(" at {}, process {} on {}", PrintEscaped(member.address), member.pid,
                     PrintEscaped(member.machine));
}

std::string MastersText(const ClusterHealth& health) {
  std::string text = fmt::format("master {}{}: {}\n", PrintEscaped(health.master.name),
                                 AddressText(health.master.member),
                                 health.master.is_running ? "running" : "starting");
  for (const cluster::MasterCandidate& candidate : health.masters) {
    if (candidate.reigns) continue;
    text += fmt::format("master {}{}: stands by\n", PrintEscaped(candidate.name),
                        AddressText(candidate.member));
  }
  return text;
}

std::string ServersText(const ClusterHealth& health) {
  std::string text =
      fmt::format("{:<24} {:<10} {:>8} {:>11} {:>11} {:>10} {:>10}  {}\n", "server", "state",
                  "tablets", "stored", "in memory", "reads/s", "writes/s", "address");
  for (const cluster::ServerStatus& server : health.servers) {
    text += fmt::format("{:<24} {:<10} {:>8} {:>11} {:>11} {:>10.1f} {:>10.1f}  {}\n",
                        PrintEscaped(server.id.ToString()), server.state, server.tablets,
                        PrintBytes(static_cast<double>(server.bytes)),
                        PrintBytes(static_cast<double>(server.memtable_bytes)), server.reads_per_s,
                        server.writes_per_s, PrintEscaped(server.member.address));
  }
  return text;
}

std::string CountsText(const cluster::TabletCounts& counts) {
  std::string text = fmt::format("tablets: {} of {} online", counts.online, counts.total);
  auto add = [&text](uint64_t count, const char* state) {
    if (count > 0) text += fmt::format(", {} {}", count, state);
  };
  add(counts.loading, "loading");
  add(counts.unassigned, "unassigned");
  add(counts.recovering, "recovering");
  add(counts.merging, "merging");
  add(counts.set_aside, "set aside or of dropped tables");
  return text + "\n";
}

// Lists the servers whose clocks differ from the master's by more than kSkewShownMs. Their cells
// would get wrong timestamps.
std::string ClocksText(const ClusterHealth& health) {
  constexpr int64_t kSkewShownMs = 1'000;
  std::string text;
  for (const cluster::ServerStatus& server : health.servers) {
    const int64_t skew_ms = server.skew_ms.value_or(0);
    if (std::abs(skew_ms) <= kSkewShownMs) continue;
    text += fmt::format(
        "clock of {}: it shows {:+.1f} s compared with the master's; set the clocks of both\n",
        server.id.ToString(), static_cast<double>(skew_ms) / 1e3);
  }
  return text;
}

// The problems that need an administrator's attention.
std::string TroubleText(const ClusterHealth& health) {
  std::string text;
  for (const cluster::RecoveryStatus& recovery : health.recoveries) {
    text += fmt::format("recovery of {}: stage {} for {:.1f} s, {} tablets wait{}{}\n",
                        recovery.server.ToString(), recovery.stage,
                        static_cast<double>(recovery.for_us) / 1e6, recovery.tablets_left,
                        recovery.error.empty() ? "" : ": ", PrintEscaped(recovery.error));
  }
  for (const cluster::UnservedTablet& tablet : health.unserved) {
    text += fmt::format("unserved: {} {} {} for {:.1f} s: {}\n", PrintEscaped(tablet.table),
                        RowsText(tablet.range), tablet.state,
                        static_cast<double>(tablet.for_us) / 1e6, PrintEscaped(tablet.why));
  }
  text += ClocksText(health);
  if (health.sweep_errors > 0)
    text += fmt::format("sweeps of unused files that failed: {}; ask `sippar admin doctor`\n",
                        health.sweep_errors);
  if (!health.clock_doubt.empty()) {
    text += fmt::format("nothing is removed by its date: {}; ask `sippar admin doctor`\n",
                        PrintEscaped(health.clock_doubt));
  }
  if (!health.orders.balancing) text += "balancing is off\n";
  for (const std::string& name : health.orders.drained) {
    text += fmt::format("server {} is drained\n", PrintEscaped(name));
  }
  return text;
}

}  // namespace

std::string HealthJson(const ClusterHealth& health) {
  JsonMembers cluster;
  cluster.Text("id", health.cluster.id).Text("name", health.cluster.name);
  JsonMembers json;
  json.Add("cluster", cluster.Object()).Value("healthy", health.healthy);
  json.Add("master", MasterJson(health.master)).List("masters", health.masters, CandidateJson);
  json.List("servers", health.servers, ServerJson).Add("tablets", CountsJson(health.tablets));
  json.List("unserved", health.unserved, UnservedJson);
  json.List("recoveries", health.recoveries, RecoveryJson);
  json.Value("sweep_errors", health.sweep_errors).Value("balancing", health.orders.balancing);
  json.List("drained", health.orders.drained,
            [](const std::string& name) { return query::JsonText(name); });
  json.Text("clock_doubt", health.clock_doubt);
  return json.Object() + "\n";
}

std::string TabletJson(const std::string& table, const cluster::TabletInfo& tablet) {
  JsonMembers json;
  json.Text("table", table).Text("start", tablet.range.start).Text("end", tablet.range.limit);
  json.Value("tablet", tablet.tablet_id).Text("server", tablet.server).Text("state", tablet.state);
  json.Value("bytes", tablet.stored_bytes).Value("memtable_bytes", tablet.memtable_bytes);
  json.Value("sstables", tablet.sstable_count);
  return json.Object() + "\n";
}

std::string EventJson(const cluster::TabletEventInfo& event) {
  const bool is_known = event.tablet_id != 0;
  JsonMembers json;
  json.Text("time", engine::PrintTimestamp(event.time_us)).Text("table", event.table);
  json.Add("start", is_known ? query::JsonText(event.range.start) : "null");
  json.Text("end", event.range.limit);
  json.Add("tablet", is_known ? fmt::format("{}", event.tablet_id) : "null");
  json.Text("kind", event.kind).Text("why", event.text);
  return json.Object() + "\n";
}

std::string TraceJson(const cluster::CallTraceInfo& trace) {
  JsonMembers json;
  json.Text("time", engine::PrintTimestamp(trace.start_us)).Text("trace", trace.trace);
  json.Text("call", trace.call).Text("table", trace.table).Text("row", trace.row);
  json.Text("server", trace.server).Text("caller", trace.caller).Text("outcome", trace.outcome);
  json.Add("duration_ms", Millis(trace.duration_us));
  for (const cluster::TraceStage& stage : cluster::kTraceStages) {
    json.Add(fmt::format("{}_ms", stage.name).c_str(), Millis(trace.work.*stage.micros));
  }
  json.Value("blocks_from_disk", trace.work.blocks_from_disk);
  json.Value("blocks_cached", trace.work.blocks_cached);
  json.Value("cells", trace.work.cells_returned);
  return json.Object() + "\n";
}

std::string FindingJson(const cluster::ClusterFinding& finding) {
  JsonMembers json;
  json.Value("trouble", finding.is_trouble).Text("about", finding.about);
  json.Text("what", finding.what).Text("why", finding.why).Text("way_out", finding.way_out);
  return json.Object() + "\n";
}

std::string HealthText(const ClusterHealth& health) {
  std::string name = health.cluster.name.empty() ? "" : " " + PrintEscaped(health.cluster.name);
  return fmt::format("cluster{} {}: {}\n", name, PrintEscaped(health.cluster.id),
                     health.healthy ? "all served" : "not all is served") +
         MastersText(health) + ServersText(health) + CountsText(health.tablets) +
         TroubleText(health);
}

std::string TabletText(const std::string& table, const cluster::TabletInfo& tablet) {
  return fmt::format("{} {}  {} {}  {} stored, {} in memory, {} SSTables\n", PrintEscaped(table),
                     RowsText(tablet.range), tablet.server.empty() ? "-" : tablet.server,
                     tablet.state, PrintBytes(static_cast<double>(tablet.stored_bytes)),
                     PrintBytes(static_cast<double>(tablet.memtable_bytes)), tablet.sstable_count);
}

std::string EventText(const cluster::TabletEventInfo& event) {
  std::string rows =
      event.tablet_id != 0
          ? RowsText(event.range)
          : fmt::format("[? .. {})",
                        event.range.limit.empty() ? "end" : PrintEscaped(event.range.limit));
  return fmt::format("{}  {} {}  {}: {}\n", engine::PrintTimestamp(event.time_us),
                     PrintEscaped(event.table), rows, event.kind, PrintEscaped(event.text));
}

std::string TraceText(const cluster::CallTraceInfo& trace) {
  std::string place = PrintEscaped(trace.table);
  if (!trace.row.empty()) place += fmt::format(" row '{}'", PrintEscaped(trace.row));
  std::string stages;
  for (const cluster::TraceStage& stage : cluster::kTraceStages) {
    const int64_t micros = trace.work.*stage.micros;
    if (micros > 0) stages += fmt::format(" {} {}", stage.name, Millis(micros));
  }
  return fmt::format("{}  {} ms {} {}{}{} at {} from {}: {};{}\n",
                     engine::PrintTimestamp(trace.start_us), Millis(trace.duration_us), trace.trace,
                     PrintEscaped(trace.call), place.empty() ? "" : " on ", place,
                     PrintEscaped(trace.server), PrintEscaped(trace.caller), trace.outcome,
                     stages.empty() ? " no waits" : stages);
}

std::string FindingText(const cluster::ClusterFinding& finding) {
  return fmt::format("{}: {}; {}\n", PrintEscaped(finding.what), PrintEscaped(finding.why),
                     PrintEscaped(finding.way_out));
}

}  // namespace sippar::cli
