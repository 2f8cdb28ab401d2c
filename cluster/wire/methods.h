// The methods of requests over cluster/net. Calls are sent by their names (api/call.h) and share
// one method for each interface; each kind of stream has a method of its own. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/coding.h"

namespace sippar::cluster {

// A number is never reused for another method, because members of the previous and the next version
// use the same numbers.
enum class Method : uint16_t {
  kProbe = 1,  // answered with an empty reply once the member serves

  // Calls whose body names them (EncodeNamedCall). The answer is an encoded reply.
  kData = 16,
  kAdmin = 17,
  kTablets = 18,
  kControl = 19,
  kNotices = 20,

  // Streams (wire/stream_messages.h): first those of a table, by its name, then those of one
  // tablet.
  kReadTable = 32,
  kRunTable = 33,
  kTableChanges = 34,
  kReadTablet = 48,
  kRunTablet = 49,
  kTabletChanges = 50,
};

struct NamedCall {
  std::string_view name;  // CallRule::name
  std::string_view call;  // encoded by api/call_codec.h
};

inline std::string EncodeNamedCall(const NamedCall& named) {
  std::string bytes;
  // 2: length of the name. 16: a trace id, which may follow (net/frame.h).
  bytes.reserve(named.name.size() + named.call.size() + 2 + 16);
  engine::PutBytes(&bytes, named.name);
  bytes.append(named.call);
  return bytes;
}

// The views in `named` point into `bytes`. False: `bytes` does not begin with a whole name.
[[nodiscard]] inline bool DecodeNamedCall(std::string_view bytes, NamedCall* named) {
  engine::Reader reader(bytes);
  named->name = reader.Bytes();
  named->call = reader.Raw(reader.left());
  return reader.ok();
}

}  // namespace sippar::cluster
