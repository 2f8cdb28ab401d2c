// Asks one ZooKeeper member for its state, with the command `srvr`. For people who look for a
// fault: the C client does not name the members that it cannot reach. Needs no ZooKeeper library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::cluster::zookeeper {

enum class MemberState : uint8_t {
  kServes,    // it is the leader, follows one, or is the only member
  kNoLeader,  // it runs and serves nothing: it sees no majority of the members
  kSilent,    // a program at the address accepts connections and does not answer
  kAway,      // no connection can be made to the address
  kUnknown,   // another program, or a member whose administrator has forbidden the command
};

struct MemberLook {
  MemberState state = MemberState::kAway;
  std::string detail;  // "leader", "follower", "standalone", the error, or the answer's first line
};

// Interprets the answer to `srvr`; "": no answer came. Pure.
MemberLook ReadAnswer(std::string_view answer);

// `address`: HOST:PORT. Takes at most about `timeout_us`, and the time to resolve the name.
MemberLook AskMember(const std::string& address, int64_t timeout_us);

}  // namespace sippar::cluster::zookeeper
