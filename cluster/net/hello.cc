// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/hello.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"

namespace sippar::net {
namespace {

std::string Described(const Hello& hello) { return fmt::format("{} {}", hello.role, hello.name); }

// kUnavailable: `asked` does not have the name that `asking` expects at the other end.
Status CheckLife(const Hello& asking, const Hello& asked) {
  if (asking.expected.empty() || asking.expected == asked.name) return OkStatus();
  return Unavailable(
      fmt::format("{}: the address belongs to another member or to a later start of it (found {}, "
                  "{} expected {}); "
                  "look up the member's address again",
                  Described(asked), asked.name, Described(asking), asking.expected));
}

}  // namespace

std::string EncodeHello(const Hello& hello) {
  std::string bytes(kHelloMagic);
  engine::PutVarint(&bytes, hello.oldest);
  engine::PutVarint(&bytes, hello.newest);
  engine::PutFixed64(&bytes, hello.features);
  bytes.push_back(static_cast<char>(hello.lane));
  for (const std::string* text : {&hello.cluster, &hello.role, &hello.name, &hello.expected}) {
    engine::PutBytes(&bytes, *text);
  }
  engine::PutVarint(&bytes, static_cast<uint64_t>(hello.lease_us));
  return bytes;
}

StatusOr<Hello> DecodeHello(std::string_view bytes) {
  if (!bytes.starts_with(kHelloMagic)) {
    return InvalidArgument(
        "hello: the other end does not speak the protocol of sippar; check the address");
  }
  engine::Reader reader(bytes.substr(kHelloMagic.size()));
  Hello hello;
  uint64_t oldest = reader.Varint();
  uint64_t newest = reader.Varint();
  hello.features = reader.Fixed64();
  uint8_t lane = reader.Byte();
  for (std::string* text : {&hello.cluster, &hello.role, &hello.name, &hello.expected}) {
    *text = reader.Bytes();
  }
  if (!reader.ok())
    return InvalidArgument("hello: it is cut short; use the same version of sippar for both");
  constexpr uint64_t kLeaseMaxUs = 3'600'000'000;
  const uint64_t lease_us = reader.left() == 0 ? 0 : reader.Varint();
  hello.lease_us = reader.ok() ? static_cast<int64_t>(std::min(lease_us, kLeaseMaxUs)) : 0;
  if (oldest == 0 || oldest > newest || newest > UINT32_MAX) {
    return InvalidArgument(fmt::format("hello of {}: versions {} to {} are not a valid range",
                                       hello.name, oldest, newest));
  }
  if (lane >= kLanes) {
    return InvalidArgument(fmt::format(
        "hello of {}: its kind of calls {} is unknown; use the same version of sippar for both",
        hello.name, lane));
  }
  hello.oldest = static_cast<uint32_t>(oldest);
  hello.newest = static_cast<uint32_t>(newest);
  hello.lane = static_cast<Lane>(lane);
  return hello;
}

StatusOr<Agreement> Agree(const Hello& mine, const Hello& theirs) {
  uint32_t version = std::min(mine.newest, theirs.newest);
  if (version < std::max(mine.oldest, theirs.oldest)) {
    return Unimplemented(fmt::format(
        "{} and {}: no version of the protocol in common (versions {} to {}, and {} to {}); "
        "upgrade the older one",
        Described(mine), Described(theirs), mine.oldest, mine.newest, theirs.oldest,
        theirs.newest));
  }
  if (!mine.cluster.empty() && !theirs.cluster.empty() && mine.cluster != theirs.cluster) {
    return InvalidArgument(
        fmt::format("{} and {}: they belong to different clusters ({}, and {}); check the address",
                    Described(mine), Described(theirs), mine.cluster, theirs.cluster));
  }
  RETURN_IF_ERROR(CheckLife(mine, theirs));
  RETURN_IF_ERROR(CheckLife(theirs, mine));
  return Agreement{version, mine.features & theirs.features};
}

}  // namespace sippar::net
