// What a program outside of a cluster can learn of it: from ZooKeeper's members, from the files of
// the lock service, from the store's directory, from the master, and from each member. Collected by
// examine_cluster.h; cluster_findings.h says what it means. Plain data.
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

// The files of the lock service that say what the cluster is. "": there is no such file.
struct LockFacts {
  std::string id;           // `cluster`
  std::string store;        // `store`: posix:DIR, perhaps with a mark of init or collapse before it
  uint64_t next_epoch = 0;  // `epoch`: above all epochs given out so far; 0: not known
  bool has_master = false;  // a process holds the master's lock
};

// What is in the store's directory, as this machine sees it.
struct StoreFacts {
  std::string directory;
  // How reading CLUSTER ended. kNotFound: it, or the whole directory, is missing.
  Status read;
  std::string id;          // in CLUSTER
  std::string target;      // in TARGET; "": there is none, or it is damaged
  uint64_t top_epoch = 0;  // highest epoch of a server in the names of logs; 0: there are none
};

// A process that holds a lock of the cluster: a tablet server, or one that is master or stands by.
struct MemberFact {
  bool is_server = false;
  std::string name;     // of a tablet server NAME.EPOCH, which the master uses, too
  std::string process;  // "HOST:PORT, process PID on MACHINE"
  Status answer;        // how a probe from this machine ended
};

struct ClusterFacts {
  std::string target;                    // as messages name the cluster
  std::vector<ZooKeeperFact> zookeeper;  // empty: a member's address is the target
  // How opening a session ended. kNotFound: ZooKeeper has no tree of this cluster; kDataLoss: the
  // tree is damaged; kUnavailable: ZooKeeper does not answer. The next members are set only if OK.
  Status session;
  LockFacts locks;
  std::vector<MemberFact> members;
  // nullopt: nothing says where the store is. Or the target is a member's address.
  std::optional<StoreFacts> store;
  StatusOr<ClusterHealth> health = Unavailable("the master was not asked");
};

}  // namespace sippar::cluster
