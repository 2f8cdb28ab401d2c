// The plan of what `sippar cluster` runs on this machine: the processes with their arguments, files
// and ports. The paths of the processes' files are relative to the cluster's directory. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/cluster_status.h"
#include "engine/base/status.h"

namespace sippar::cli {

// The settings of the cluster in a directory. They are stored in its file kSettingsFile.
struct ClusterSettings {
  int servers = 3;   // number of tablet servers, 1 to kProcessesMax
  int masters = 2;   // number of masters, 1 to kProcessesMax
  int members = 1;   // number of ZooKeeper members: 1, 3 or 5
  int port = 21800;  // the gateway's port; the ZooKeeper members use the next 3 * members ports

  static constexpr int kProcessesMax = 99;
  static constexpr int kPortMax = 65'535 - 3 * 5;

  bool operator==(const ClusterSettings&) const = default;
  std::string Encode() const;
  // kDataLoss: `text` is not what Encode returned.
  [[nodiscard]] static StatusOr<ClusterSettings> Decode(std::string_view text);
};

inline constexpr const char* kSettingsFile = "settings";

// The options given on the command line; options that were not given are empty.
struct ClusterWishes {
  std::optional<int> servers;
  std::optional<int> masters;
  std::optional<int> members;
  std::optional<int> port;
};

// The settings of the next start: `known` changed by `wishes`. `known` is empty for a new
// directory. A cluster may grow at any time. It may get fewer processes or another port only while
// it does not run (`is_running`). The number of ZooKeeper members never changes.
// kFailedPrecondition: `wishes` break these rules.
[[nodiscard]] StatusOr<ClusterSettings> SettingsFor(const std::optional<ClusterSettings>& known,
                                                    const ClusterWishes& wishes, bool is_running);

enum class ProcessKind : uint8_t { kZooKeeper, kServer, kMaster, kGateway };

struct PlannedProcess {
  std::string name;  // "zk1", "ts1", "m1", "g1"
  ProcessKind kind = ProcessKind::kServer;
  std::vector<std::string> words;  // the command line, which begins with the program's name
  // Groups of adjacent words of the command line. No other process has all of these groups.
  std::vector<std::vector<std::string>> marks;
  std::vector<int> ports;  // ports of 127.0.0.1 to listen on; empty: the system chooses a port
};

struct ZooKeeperFiles {
  std::string directory;      // directory of the member
  std::string configuration;  // path of the configuration file, inside `directory`
  std::string text;           // content of the configuration file
  std::string data;
  std::string id_file;  // path of the file with the member's id, inside `data`
  std::string id;
};

struct ClusterPlan {
  std::string directory;  // absolute path of the cluster's directory
  std::string target;     // zk://127.0.0.1:PORT,…/local
  std::string gateway;    // 127.0.0.1:PORT
  std::string store;      // posix:DIR, a StorePlace of cluster/node/target.h
  std::vector<ZooKeeperFiles> members;
  std::vector<PlannedProcess> processes;  // in the order of their start: ZooKeeper comes first
};

struct ClusterPrograms {
  std::string sippar;      // path of this program, used as the first word of the command lines
  std::string class_path;  // class path of ZooKeeper: jars separated by colons
};

ClusterPlan PlanCluster(const std::string& directory, const ClusterSettings& settings,
                        const ClusterPrograms& programs);

// True if the command line `words` is that of `process`: it contains all of process.marks.
bool IsProcess(const PlannedProcess& process, const std::vector<std::string>& words);

// Why a cluster is not ready.
struct ClusterLack {
  std::string why;                 // short reason; "" if the cluster is ready
  std::vector<std::string> names;  // processes whose logs may explain the reason
};

// Process ids by the processes' names.
using ClusterPids = std::map<std::string, uint64_t>;

// The reason why the cluster does not serve everything in the plan, according to its master's
// report (`health`). `pids` are the processes that run now. A server or master that `health` lists
// under another process id was killed, so it does not count as live.
ClusterLack LackOf(const ClusterPlan& plan, const ClusterPids& pids,
                   const cluster::ClusterHealth& health);

// The planned processes of this kind, in the order of their start.
std::vector<const PlannedProcess*> ProcessesOf(const ClusterPlan& plan, ProcessKind kind);

std::string LogFileOf(const std::string& name);
std::string PidFileOf(const std::string& name);

}  // namespace sippar::cli
