// The content of a member's file in the lock service. It says how to reach the member. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::cluster {

// Text, a line for each field: its key, a blank, its value. A reader passes over keys that it does
// not know, so that a later version can add some.
struct MemberRecord {
  std::string host;  // a name, an address, or "unix:PATH"
  uint16_t port = 0;
  // The fencing number of the master's lock when its holder wrote this record. If the lock has
  // another number now, another process holds it, and this address is out of date. 0 in the records
  // of servers and candidates: each has a file that no other process writes.
  uint64_t fence = 0;
  // Set only by a server that hands its tablets over before it ends. Says how much of this is done
  // (tabletserver/drain_order.h).
  std::string leaving = {};
  // The next three are for people and for scripts of administrators, not for reaching the member.
  std::string machine = {};  // host name of the member's machine
  uint32_t pid = 0;          // process id on that machine
  std::string version = {};  // version of the member's program
  // The lease that the lock service has granted to a server, in microseconds. After its last
  // heartbeat, the server may serve for this time. 0: the record does not contain it.
  int64_t lease_us = 0;
  // Id of the cluster to which the member belongs, and the member's FileSystem::Identity() at the
  // file system of the store. A master passes the identity to FileSystem::Fence. "": the record
  // does not contain it.
  std::string cluster = {};
  std::string identity = {};

  [[nodiscard]] std::string Encode() const;
  // Returns text for people: "10.0.0.7:4711, process 812 on rack4".
  [[nodiscard]] std::string Print() const;
  // kInvalidArgument: the text names no host, or no port for a host that needs one, or a number
  // cannot be parsed.
  [[nodiscard]] static StatusOr<MemberRecord> Decode(std::string_view text);
};

}  // namespace sippar::cluster
