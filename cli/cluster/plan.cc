// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cli/cluster_wait.h"
#include "cluster/node/target.h"

namespace sippar::cli {
namespace {

// Name of the cluster in its own ZooKeeper, which serves no other cluster.
constexpr const char* kName = "local";
constexpr const char* kHost = "127.0.0.1";
constexpr int kTickMs = 500;
// Heap limit of a ZooKeeper process. The JVM's default would be a quarter of the memory.
constexpr const char* kHeap = "-Xmx96m";

// Ports of a ZooKeeper member: for clients, for followers while this member leads, and for
// elections.
struct MemberPorts {
  int client;
  int leader;
  int election;
};

MemberPorts PortsOf(const ClusterSettings& settings, int member) {
  const int first = settings.port + member;
  return {first, first + settings.members, first + 2 * settings.members};
}

// The text of a ZooKeeper member's zoo.cfg. Its paths are relative and therefore pure ASCII,
// because ZooKeeper reads the file as Latin-1 with escapes.
std::string ConfigurationOf(const ClusterSettings& settings, int member, const std::string& data) {
  std::string text = fmt::format(
      "tickTime={}\ninitLimit=40\nsyncLimit=10\nminSessionTimeout={}\nmaxSessionTimeout=60000\n"
      "dataDir=./{}\nclientPort={}\nclientPortAddress={}\nmaxClientCnxns=0\n"
      "admin.enableServer=false\n4lw.commands.whitelist=srvr\nquorumListenOnAllIPs=false\n"
      "autopurge.snapRetainCount=3\nautopurge.purgeInterval=1\n",
      kTickMs, 2 * kTickMs, data, PortsOf(settings, member).client, kHost);
  for (int other = 1; settings.members > 1 && other <= settings.members; ++other) {
    const MemberPorts ports = PortsOf(settings, other);
    text += fmt::format("server.{}={}:{}:{}\n", other, kHost, ports.leader, ports.election);
  }
  return text;
}

ZooKeeperFiles FilesOf(const ClusterSettings& settings, int member) {
  ZooKeeperFiles files;
  files.directory = fmt::format("zookeeper/{}", member);
  files.configuration = files.directory + "/zoo.cfg";
  files.data = files.directory + "/data";
  files.text = ConfigurationOf(settings, member, files.data);
  files.id_file = files.data + "/myid";
  files.id = fmt::format("{}\n", member);
  return files;
}

PlannedProcess PlanMember(const std::string& directory, const ClusterSettings& settings, int member,
                          const std::string& class_path) {
  PlannedProcess process;
  process.name = fmt::format("zk{}", member);
  process.kind = ProcessKind::kZooKeeper;
  const std::string file = FilesOf(settings, member).configuration;
  // A Java property that ZooKeeper ignores. It puts the cluster's directory on the command line, so
  // that IsProcess can distinguish the members of two clusters.
  const std::string mark = "-Dsippar.cluster=" + directory;
  process.words = {"java",
                   kHeap,
                   "-XX:+UseSerialGC",
                   "-XX:TieredStopAtLevel=1",
                   "-Dzookeeper.jmx.log4j.disable=true",
                   "-Dorg.slf4j.simpleLogger.logFile=System.out",
                   mark,
                   "-cp",
                   class_path,
                   "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                   file};
  process.marks = {{mark}, {file}};
  const MemberPorts ports = PortsOf(settings, member);
  process.ports = {ports.client};
  if (settings.members > 1) {
    // Only the leader listens on its leader port, but each member may become the leader.
    process.ports.insert(process.ports.end(), {ports.leader, ports.election});
  }
  return process;
}

PlannedProcess PlanSippar(const ClusterPlan& plan, const std::string& sippar, ProcessKind kind,
                          const std::string& name) {
  PlannedProcess process;
  process.name = name;
  process.kind = kind;
  const std::string role = kind == ProcessKind::kServer   ? "tabletserver"
                           : kind == ProcessKind::kMaster ? "master"
                                                          : "gateway";
  const std::string listen =
      kind == ProcessKind::kGateway ? plan.gateway : fmt::format("{}:0", kHost);
  process.marks = {{"serve"}, {"--cluster", plan.target}, {"--roles", role}, {"--name", name}};
  process.words = {sippar};
  for (const auto& mark : process.marks) {
    process.words.insert(process.words.end(), mark.begin(), mark.end());
  }
  process.words.insert(process.words.end(), {"--listen", listen});
  return process;
}

StatusOr<int> ParseSetting(std::string_view line, std::string_view key, int least, int most) {
  int number = 0;
  if (line.starts_with(key) && line.substr(key.size()).starts_with(' ')) {
    line.remove_prefix(key.size() + 1);
    auto parsed = std::from_chars(line.data(), line.data() + line.size(), number);
    const bool is_number = parsed.ec == std::errc() && parsed.ptr == line.data() + line.size();
    if (is_number && number >= least && number <= most) return number;
  }
  return DataLoss(
      fmt::format("its line '{}' is missing or not valid; write '{} N', N from {} to {}", key, key,
                  least, most));
}

std::string_view NextLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

}  // namespace

std::string ClusterSettings::Encode() const {
  return fmt::format("servers {}\nmasters {}\nmembers {}\nport {}\n", servers, masters, members,
                     port);
}

StatusOr<ClusterSettings> ClusterSettings::Decode(std::string_view text) {
  ClusterSettings settings;
  ASSIGN_OR_RETURN(settings.servers, ParseSetting(NextLine(&text), "servers", 1, kProcessesMax));
  ASSIGN_OR_RETURN(settings.masters, ParseSetting(NextLine(&text), "masters", 1, kProcessesMax));
  ASSIGN_OR_RETURN(settings.members, ParseSetting(NextLine(&text), "members", 1, 5));
  ASSIGN_OR_RETURN(settings.port, ParseSetting(NextLine(&text), "port", 1, kPortMax));
  return settings;
}

StatusOr<ClusterSettings> SettingsFor(const std::optional<ClusterSettings>& known,
                                      const ClusterWishes& wishes, bool is_running) {
  const ClusterSettings old = known.value_or(ClusterSettings());
  ClusterSettings settings;
  settings.servers = wishes.servers.value_or(old.servers);
  settings.masters = wishes.masters.value_or(old.masters);
  settings.members = wishes.members.value_or(old.members);
  settings.port = wishes.port.value_or(old.port);
  if (!known) return settings;
  if (settings.members != old.members) {
    return FailedPrecondition(
        fmt::format("--members {}: a cluster keeps its number of ZooKeeper members ({}); leave "
                    "--members out, or use another directory for a new cluster",
                    settings.members, old.members));
  }
  const auto refuse = [](std::string_view option, int wished, int had) {
    return FailedPrecondition(
        fmt::format("{} {}: the cluster runs with {}; end it first with `sippar cluster down`",
                    option, wished, had));
  };
  if (!is_running) return settings;
  if (settings.servers < old.servers) return refuse("--servers", settings.servers, old.servers);
  if (settings.masters < old.masters) return refuse("--masters", settings.masters, old.masters);
  if (settings.port != old.port) return refuse("--port", settings.port, old.port);
  return settings;
}

ClusterPlan PlanCluster(const std::string& directory, const ClusterSettings& settings,
                        const ClusterPrograms& programs) {
  ClusterPlan plan;
  plan.directory = directory;
  plan.gateway = fmt::format("{}:{}", kHost, settings.port);
  plan.store = cluster::PrintStorePlace({directory + "/store"});
  std::string hosts;
  for (int member = 1; member <= settings.members; ++member) {
    plan.members.push_back(FilesOf(settings, member));
    plan.processes.push_back(PlanMember(directory, settings, member, programs.class_path));
    hosts +=
        fmt::format("{}{}:{}", hosts.empty() ? "" : ",", kHost, PortsOf(settings, member).client);
  }
  plan.target = fmt::format("zk://{}/{}", hosts, kName);
  const auto add = [&](ProcessKind kind, std::string_view prefix, int count) {
    for (int number = 1; number <= count; ++number) {
      plan.processes.push_back(
          PlanSippar(plan, programs.sippar, kind, fmt::format("{}{}", prefix, number)));
    }
  };
  add(ProcessKind::kServer, "ts", settings.servers);
  add(ProcessKind::kMaster, "m", settings.masters);
  add(ProcessKind::kGateway, "g", 1);
  plan.processes.back().ports = {settings.port};
  return plan;
}

bool IsProcess(const PlannedProcess& process, const std::vector<std::string>& words) {
  return std::all_of(process.marks.begin(), process.marks.end(), [&](const auto& mark) {
    return std::search(words.begin(), words.end(), mark.begin(), mark.end()) != words.end();
  });
}

ClusterLack LackOf(const ClusterPlan& plan, const ClusterPids& pids,
                   const cluster::ClusterHealth& health) {
  const auto is = [&](const PlannedProcess* process, const std::string& name, uint64_t pid) {
    const auto known = pids.find(process->name);
    return name == process->name && known != pids.end() && known->second == pid;
  };
  for (const PlannedProcess* process : ProcessesOf(plan, ProcessKind::kServer)) {
    // A server that an administrator drains (empties of tablets) still runs, so it counts as live.
    const bool is_live =
        std::any_of(health.servers.begin(), health.servers.end(), [&](const auto& server) {
          return is(process, server.id.name, server.member.pid) &&
                 (server.state == "live" || server.state == "draining");
        });
    if (!is_live) return {fmt::format("server {} is not live", process->name), {process->name}};
  }
  std::vector<std::string> masters;
  for (const PlannedProcess* process : ProcessesOf(plan, ProcessKind::kMaster)) {
    const bool is_live = std::any_of(
        health.masters.begin(), health.masters.end(),
        [&](const auto& master) { return is(process, master.name, master.member.pid); });
    if (!is_live) return {fmt::format("master {} is not live", process->name), {process->name}};
    masters.push_back(process->name);
  }
  std::string why = WhyNotReady(ClusterWait(), health);
  if (why.empty()) return {};
  return {std::move(why), std::move(masters)};
}

std::vector<const PlannedProcess*> ProcessesOf(const ClusterPlan& plan, ProcessKind kind) {
  std::vector<const PlannedProcess*> found;
  for (const PlannedProcess& process : plan.processes) {
    if (process.kind == kind) found.push_back(&process);
  }
  return found;
}

std::string LogFileOf(const std::string& name) { return "log/" + name; }
std::string PidFileOf(const std::string& name) { return "pids/" + name; }

}  // namespace sippar::cli
