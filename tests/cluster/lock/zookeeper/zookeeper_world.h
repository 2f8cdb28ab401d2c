// The ZooKeeper members of the tests: zookeeper_members.py has started them, and kills, freezes and
// cuts them off on command.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/lock/zookeeper/zookeeper_lock_service.h"
#include "tests/cluster/lock/contract_world.h"

namespace sippar::cluster {

constexpr int64_t kTickMicros = 500'000;  // tick time that zookeeper_members.py configures

// Sends `command` to zookeeper_members.py, and fails the test if it is not carried out.
void TellMembers(const std::string& command);
std::string AskMembers(const std::string& command);  // returns the answer with its newline
int MemberCount();

// The options for the members, with the name of a new cluster.
ZooKeeperOptions FreshCluster();

// The same options through the relay of one member (1, 2, ...), or through the relays of all (0).
ZooKeeperOptions Through(ZooKeeperOptions options, int member);

// Opens a session. `timeout_us` is by the real clock. Retries if the machine is too busy to connect
// in time.
StatusOr<std::unique_ptr<LockSession>> OpenSession(LockService* service, const std::string& name,
                                                   int64_t timeout_us);
std::unique_ptr<LockService> NewService(const ZooKeeperOptions& options);

}  // namespace sippar::cluster
