// SPDX-License-Identifier: Apache-2.0
#include "engine/sstable/block_builder.h"

#include <algorithm>

#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

// A buffer that a huge value made larger than this is freed after its block.
constexpr size_t kKeptCapacity = 4 << 20;
constexpr size_t kFraming = 64;  // room for three varints and the number of restarts

size_t SharedPrefix(std::string_view a, std::string_view b) {
  size_t limit = std::min(a.size(), b.size());
  size_t n = 0;
  while (n + 8 <= limit) {
    uint64_t difference = GetFixed64(a.data() + n) ^ GetFixed64(b.data() + n);
    if (difference != 0) return n + static_cast<size_t>(__builtin_ctzll(difference) / 8);
    n += 8;
  }
  while (n < limit && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

void BlockBuilder::Add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (restarts_.empty() || since_restart_ == kRestartInterval ||
      buffer_.size() - restarts_.back() >= kRestartBytes) {
    restarts_.push_back(static_cast<uint32_t>(buffer_.size()));
    since_restart_ = 0;
  } else {
    shared = SharedPrefix(last_key_, key);
  }
  if (value.size() >= kKeptCapacity) {
    // Reserves room for the restart array too: if the buffer had to double later, the old and the
    // new buffer together would take three times the size of a huge value.
    buffer_.reserve(buffer_.size() + key.size() + value.size() + 4 * restarts_.size() + kFraming);
  }
  PutVarint(&buffer_, shared);
  PutVarint(&buffer_, key.size() - shared);
  PutVarint(&buffer_, value.size());
  buffer_.append(key.substr(shared));
  buffer_.append(value);
  last_key_.resize(shared);
  last_key_.append(key.substr(shared));
  ++since_restart_;
  ++entries_;
}

std::string_view BlockBuilder::Finish() {
  for (uint32_t restart : restarts_) PutFixed32(&buffer_, restart);
  PutFixed32(&buffer_, static_cast<uint32_t>(restarts_.size()));
  return buffer_;
}

void BlockBuilder::Reset() {
  buffer_.clear();
  if (buffer_.capacity() > kKeptCapacity) buffer_.shrink_to_fit();
  restarts_.clear();
  last_key_.clear();
  entries_ = 0;
  since_restart_ = 0;
}

}  // namespace sippar::engine
