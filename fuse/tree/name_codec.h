// Row keys and qualifiers as file names and back: reversible, canonical, at most 255 bytes
// (SEMANTICS.md "Names"). A byte stays when it is printable ASCII other than '/' and '%', or part
// of a visible UTF-8 character; all else is '%' and two upper-case hex digits. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sippar::fuse {

inline constexpr size_t kNameSizeMax = 255;      // what ext4, rsync and tar can carry
inline constexpr size_t kLongHeadSizeMax = 200;  // of a long name, before "%~" and the hash
inline constexpr size_t kLongHashSize = 32;      // hex digits: 128 bits of SHA-256(key)

// What a file name says. For a long name only `head` of the key is known.
struct DecodedName {
  std::string key;           // whole key, or the head of a long name's key
  bool is_canonical = true;  // false: EncodeName(key) is the right spelling
  bool is_long = false;
  std::string_view hash;  // long names: view into the name that was decoded
};

class NameCodec {
 public:
  // 32 lower-case hex digits of a key. Tests weaken it to see what a collision does.
  using KeyHash = std::string (*)(std::string_view key);

  NameCodec();
  explicit NameCodec(KeyHash hash) : hash_(hash) {}

  // Assigns the name of `key` to *name, reusing its memory.
  void Encode(std::string_view key, std::string* name) const;
  std::string Encode(std::string_view key) const;
  // Nothing when no key has or could be meant by this name.
  std::optional<DecodedName> Decode(std::string_view name) const;
  std::string Hash(std::string_view key) const { return hash_(key); }

 private:
  KeyHash hash_;
};

}  // namespace sippar::fuse
