// What a program outside of a cluster can learn about it: from ZooKeeper's members, from the files
// of the lock service, from the store's directory, from the master, and from each member.
// examine_cluster.h collects the facts; cluster_findings.h interprets them. Plain data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/cluster_status.h"
#include "cluster/lock/zookeeper/member_probe.h"
#include "engine/base/status.h"

namespace sippar::cluster {

struct ZooKeeperFact {
  std::string address;  // HOST:PORT
  zookeeper::MemberLook look;
};

// Content of the lock service's files that describe the cluster. "": there is no such file.
struct LockFacts {
  std::string id;           // file `cluster`
  std::string store;        // file `store`: the text of a StoreFile (store_file.h)
  uint64_t next_epoch = 0;  // file `epoch`: higher than all epochs so far; 0: not known
  bool has_master = false;  // a process holds the master's lock
};

// What the store's directory contains, as this machine sees it.
struct StoreFacts {
  std::string directory;
  // Result of reading CLUSTER. kNotFound: the file, or the whole directory, is missing.
  Status read;
  std::string id;          // id in CLUSTER
  std::string target;      // target in TARGET; "": there is none, or it is damaged
  uint64_t top_epoch = 0;  // highest epoch of a server in the names of logs; 0: there are none
};

// A process that holds a lock of the cluster: a tablet server, the reigning master, or a master on
// standby.
struct MemberFact {
  bool is_server = false;
  std::string name;     // for a tablet server NAME.EPOCH, as the master names the server
  std::string process;  // "HOST:PORT, process PID on MACHINE"
  Status answer;        // result of a probe from this machine
};

struct ClusterFacts {
  std::string target;                    // name of the cluster in messages
  std::vector<ZooKeeperFact> zookeeper;  // empty: the target is a member's address
  // Result of opening a session and reading the lock files. kNotFound: ZooKeeper has no tree of
  // this cluster; kDataLoss: the tree is damaged; kUnavailable: ZooKeeper does not answer. `locks`
  // and `members` are complete only if this is OK.
  Status session;
  LockFacts locks;
  std::vector<MemberFact> members;
  // nullopt: the place of the store is unknown, or the target is a member's address.
  std::optional<StoreFacts> store;
  StatusOr<ClusterHealth> health = Unavailable("the master was not asked");
};

}  // namespace sippar::cluster
