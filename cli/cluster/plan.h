// What `sippar cluster` runs on this machine: which processes, with which arguments, files and
// ports. All paths but the cluster's directory are relative to it. Pure.
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

// What a directory remembers of its cluster, in the file kSettingsFile.
struct ClusterSettings {
  int servers = 3;  // tablet servers; 1 to kProcessesMax, as are masters
  int masters = 2;
  int members = 1;   // of ZooKeeper: 1, 3 or 5
  int port = 21800;  // of the gateway; ZooKeeper has the 3 * members ports above it

  static constexpr int kProcessesMax = 99;
  static constexpr int kPortMax = 65'535 - 3 * 5;

  bool operator==(const ClusterSettings&) const = default;
  std::string Encode() const;
  // kDataLoss: `text` is not what Encode returned.
  [[nodiscard]] static StatusOr<ClusterSettings> Decode(std::string_view text);
};

inline constexpr const char* kSettingsFile = "settings";

// The options of a command line; what was not given is empty.
struct ClusterWishes {
  std::optional<int> servers;
  std::optional<int> masters;
  std::optional<int> members;
  std::optional<int> port;
};

// The settings of the next start. `known` is empty for a new directory. A cluster may grow at any
// time; it gets smaller, or other ports, only when no process of it runs (`is_running`). It keeps
// the number of its ZooKeeper members. kFailedPrecondition: it cannot have what is wished now.
[[nodiscard]] StatusOr<ClusterSettings> SettingsFor(const std::optional<ClusterSettings>& known,
                                                    const ClusterWishes& wishes, bool is_running);

enum class ProcessKind : uint8_t { kZooKeeper, kServer, kMaster, kGateway };

struct PlannedProcess {
  std::string name;  // "zk1", "ts1", "m1", "g1"
  ProcessKind kind = ProcessKind::kServer;
  std::vector<std::string> words;  // its command line, the program's name first
  // Words of its command line, in this order and next to each other, that no other process has.
  std::vector<std::vector<std::string>> marks;
  std::vector<int> ports;  // of 127.0.0.1, on which it listens; empty: any free one
};

struct ZooKeeperFiles {
  std::string directory;      // of the member
  std::string configuration;  // a file in it
  std::string text;           // the configuration
  std::string data;
  std::string id_file;  // in `data`
  std::string id;
};

struct ClusterPlan {
  std::string directory;  // absolute
  std::string target;     // zk://127.0.0.1:PORT,…/local
  std::string gateway;    // 127.0.0.1:PORT
  std::string store;      // posix:DIR
  std::vector<ZooKeeperFiles> members;
  std::vector<PlannedProcess> processes;  // in the order of their start: ZooKeeper comes first
};

struct ClusterPrograms {
  std::string sippar;      // name for the command lines
  std::string class_path;  // of ZooKeeper: jars, with a colon between two
};

ClusterPlan PlanCluster(const std::string& directory, const ClusterSettings& settings,
                        const ClusterPrograms& programs);

// Whether a process with the command line `words` is `process`: it has all the marks.
bool IsProcess(const PlannedProcess& process, const std::vector<std::string>& words);

// Why a cluster is not ready.
struct ClusterLack {
  std::string why;                 // in a few words; "": it is ready
  std::vector<std::string> names;  // the processes whose logs may tell more
};

// Process ids by the processes' names.
using ClusterPids = std::map<std::string, uint64_t>;

// What a cluster with this status lacks of the plan, whose processes have these ids. A status may
// still name a process that was killed; it does not count as the one that took its place.
ClusterLack LackOf(const ClusterPlan& plan, const ClusterPids& pids,
                   const cluster::ClusterHealth& health);

// In the order of the plan.
std::vector<const PlannedProcess*> ProcessesOf(const ClusterPlan& plan, ProcessKind kind);

std::string LogFileOf(const std::string& name);
std::string PidFileOf(const std::string& name);

}  // namespace sippar::cli
