// NameCodec: encodes row keys and qualifiers as file names, and decodes them. Reversible, canonical
// (one name per key), at most 255 bytes (SEMANTICS.md "Names"). Printable ASCII other than '/' and
// '%' and visible UTF-8 characters stay unchanged; every other byte, a leading dot and a trailing
// space become '%' and two upper-case hex digits. The empty key is "%"; a name that would be longer
// ends with a hash of the key (long name). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sippar::fuse {

inline constexpr size_t kNameSizeMax = 255;      // the limit of ext4, rsync and tar
inline constexpr size_t kLongHeadSizeMax = 200;  // bytes of a long name before "%~" and the hash
inline constexpr size_t kLongHashSize = 32;      // hex digits: 128 bits of SHA-256(key)

// The key information in a file name. A long name contains only the first bytes of the key.
struct DecodedName {
  std::string key;           // the whole key, or its first bytes if is_long
  bool is_canonical = true;  // false: another spelling than Encode(key). Not tested if is_long
  bool is_long = false;
  std::string_view hash;  // hash of a long name; points into the decoded name
};

class NameCodec {
 public:
  // Returns 32 lower-case hex digits for a key. Tests pass a weaker hash to provoke collisions.
  using KeyHash = std::string (*)(std::string_view key);

  NameCodec();
  explicit NameCodec(KeyHash hash) : hash_(hash) {}

  // Assigns the name of `key` to *name, reusing the string's memory.
  void Encode(std::string_view key, std::string* name) const;
  std::string Encode(std::string_view key) const;
  // std::nullopt if `name` is not a spelling of any key.
  std::optional<DecodedName> Decode(std::string_view name) const;
  std::string Hash(std::string_view key) const { return hash_(key); }

 private:
  KeyHash hash_;
};

}  // namespace sippar::fuse
