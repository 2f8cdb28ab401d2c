// The lanes of calls between members: master, root tablet, METADATA, users. On both sides each lane
// has a connection, loops, threads and bounds of its own, so that no lane waits for another:
// however many calls of users there are, the master can recover a server and METADATA can be read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sippar::net {

enum class Lane : uint8_t { kMaster, kRoot, kMetadata, kUsers };
inline constexpr size_t kLanes = 4;
inline constexpr std::array<Lane, kLanes> kAllLanes = {Lane::kMaster, Lane::kRoot, Lane::kMetadata,
                                                       Lane::kUsers};

constexpr std::string_view NameOf(Lane lane) {
  switch (lane) {
    case Lane::kMaster:
      return "master";
    case Lane::kRoot:
      return "root";
    case Lane::kMetadata:
      return "metadata";
    case Lane::kUsers:
      return "users";
  }
  return "unknown";
}

// The bounds of one lane at one end. A call that would exceed a bound on calls or on bytes of
// requests is refused at once with kUnavailable, before any of it has run. When all threads are
// busy, a call waits.
struct LaneBounds {
  size_t calls_max = 1024;             // calls in flight on one connection, streams included
  size_t bytes_max = 512 << 20;        // bytes of requests in flight on one connection
  size_t calls_of_all_max = 4096;      // calls in flight on all connections of a server
  size_t bytes_of_all_max = 1u << 30;  // bytes of requests in flight on all connections of a server
  size_t threads_max = 64;             // threads of a server for calls that may wait
  size_t streams_max = 256;            // threads of a server for streams, which wait for readers
  size_t unsent_bytes_max = 64 << 20;  // reply bytes; while more are unsent, no requests are read
};

}  // namespace sippar::net
