// What a request over cluster/net asks for. A call that is a value (api/call.h) is sent by its
// name, to one of the interfaces; each stream has a method of its own. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/coding.h"

namespace sippar::cluster {

// Numbers are never given to another method: neighbours in version know them, too.
enum class Method : uint16_t {
  kProbe = 1,  // an empty answer from a member that serves

  // Calls by their names: the body is that of EncodeNamedCall, the answer an encoded reply.
  kData = 16,
  kAdmin = 17,
  kTablets = 18,
  kControl = 19,
  kNotices = 20,

  // Streams (wire/stream_messages.h) of a table by its name, and of one tablet.
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
  bytes.reserve(named.name.size() + named.call.size() + 2);
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
