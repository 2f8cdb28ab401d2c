// Fuzzing the name codec and the other parsers of file names. The first byte says whether the rest
// is a key (must come back from its name) or a name (must decode to a fixed point or to nothing).
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.h"
#include "fuse/kernel/mount_point.h"
#include "fuse/tree/name_codec.h"
#include "fuse/tree/time_name.h"

namespace sippar::fuse {
namespace {

void CheckKey(std::string_view key) {
  NameCodec codec;
  std::string name = codec.Encode(key);
  CHECK(!name.empty() && name.size() <= kNameSizeMax && name.front() != '.');
  CHECK(name.find('/') == std::string::npos && name.find('\0') == std::string::npos);
  auto decoded = codec.Decode(name);
  CHECK(decoded.has_value() && decoded->is_canonical);
  CHECK(decoded->is_long ? key.starts_with(decoded->key) && decoded->hash == codec.Hash(key)
                         : decoded->key == key);
}

void CheckName(std::string_view name) {
  NameCodec codec;
  auto decoded = codec.Decode(name);
  if (decoded.has_value() && !decoded->is_long) {
    CHECK(decoded->is_canonical == (codec.Encode(decoded->key) == name));
  }
  if (auto time = ParseTime(name); time.has_value()) CHECK(PrintTime(*time) == name);
  static_cast<void>(ParseTimeAlias(name, 0).has_value());
  static_cast<void>(ParseMountInfo(name).size());
}

}  // namespace
}  // namespace sippar::fuse

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 == 0) {
    sippar::fuse::CheckKey(rest);
  } else {
    sippar::fuse::CheckName(rest);
  }
  return 0;
}
