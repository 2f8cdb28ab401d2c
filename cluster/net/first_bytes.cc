// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/first_bytes.h"

#include <algorithm>

#include "cluster/net/frame.h"
#include "cluster/net/hello.h"

namespace sippar::net {
namespace {

// Offsets in the header of a frame (frame.h).
constexpr size_t kCallAt = 16;
constexpr size_t kSizeAt = 32;
constexpr size_t kMethodAt = 36;
constexpr size_t kKindAt = 38;

// True if the frame of a hello may have this byte at offset `at`. Checksums and the size may be
// anything; all other bytes are the same in every hello.
bool MayBeHello(size_t at, char byte) {
  if (at < kCallAt || (at >= kSizeAt && at < kMethodAt)) return true;  // checksums, size
  if (at >= kFrameHeaderSize) return byte == kHelloMagic[at - kFrameHeaderSize];
  return byte == (at == kKindAt ? static_cast<char>(FrameKind::kHello) : 0);
}

}  // namespace

FirstBytes LookAtFirstBytes(std::string_view bytes) {
  constexpr size_t kEnough = kFrameHeaderSize + kHelloMagic.size();
  for (size_t at = 0; at < std::min(bytes.size(), kEnough); ++at) {
    if (!MayBeHello(at, bytes[at])) return FirstBytes::kOther;
  }
  return bytes.size() < kEnough ? FirstBytes::kTooFew : FirstBytes::kHello;
}

}  // namespace sippar::net
