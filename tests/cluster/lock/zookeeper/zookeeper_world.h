// Members of ZooKeeper as the tests see them: zookeeper_members.py has started them, and kills,
// freezes and cuts them off when told. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/lock/zookeeper/zookeeper_lock_service.h"
#include "tests/cluster/lock/contract_world.h"

namespace sippar::cluster {

constexpr int64_t kTickMicros = 500'000;  // as zookeeper_members.py has it

// Does what `command` says (zookeeper_members.py), and fails the test if it is not done.
void TellMembers(const std::string& command);
std::string AskMembers(const std::string& command);  // the answer, with its line's end
int MemberCount();

// The members, and a cluster's name that no other test has.
ZooKeeperOptions FreshCluster();

// The same through the relay of member `member` alone (1, 2, ...), or through those of all (0).
ZooKeeperOptions Through(ZooKeeperOptions options, int member);

// `timeout_us` is by the real clock. Tries again on a machine that is too busy to connect in it.
StatusOr<std::unique_ptr<LockSession>> OpenSession(LockService* service, const std::string& name,
                                                   int64_t timeout_us);
std::unique_ptr<LockService> NewService(const ZooKeeperOptions& options);

}  // namespace sippar::cluster
