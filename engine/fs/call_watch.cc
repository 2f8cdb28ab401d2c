// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/call_watch.h"

#include <fmt/format.h>

#include <cstring>

namespace sippar::engine {
namespace {

// Value of Slot::number while the call's operation and path are stored.
constexpr uint64_t kFilling = UINT64_MAX;

}  // namespace

CallWatch::Call::Call(CallWatch* watch, const char* operation, std::string_view path)
    : slot_(watch->Claim(operation, path)) {}

CallWatch::Call::~Call() {
  if (slot_ != nullptr) slot_->number.store(0, std::memory_order_release);
}

// The path is copied, because the caller's string may be freed while Look reads it.
CallWatch::Slot* CallWatch::Claim(const char* operation, std::string_view path) {
  const uint64_t number = calls_.fetch_add(1, std::memory_order_relaxed) + 1;
  for (size_t i = 0; i < kSlots; ++i) {
    Slot* slot = &slots_[(number + i) % kSlots];
    uint64_t free = 0;
    if (slot->number.load(std::memory_order_relaxed) != 0) continue;
    if (!slot->number.compare_exchange_strong(free, kFilling, std::memory_order_acq_rel)) continue;
    std::array<uint64_t, kPathWords> words{};
    if (path.size() > sizeof words) path.remove_prefix(path.size() - sizeof words);
    std::memcpy(words.data(), path.data(), path.size());
    for (size_t word = 0; word < kPathWords; ++word) {
      slot->path[word].store(words[word], std::memory_order_release);
    }
    slot->operation.store(operation, std::memory_order_release);
    slot->number.store(number, std::memory_order_release);
    return slot;
  }
  return nullptr;
}

const char* CallWatch::Look(int64_t passed_us, int64_t limit_us) {
  size_t longest = kSlots;
  for (size_t i = 0; i < kSlots; ++i) {
    const uint64_t number = slots_[i].number.load(std::memory_order_acquire);
    Seen& seen = seen_[i];
    if (number == 0 || number == kFilling || number != seen.number) {
      seen = {number == kFilling ? 0 : number, 0};
      continue;
    }
    seen.for_us += passed_us;
    if (seen.for_us < limit_us) continue;
    if (longest == kSlots || seen.for_us > seen_[longest].for_us) longest = i;
  }
  return longest == kSlots ? nullptr : Describe(slots_[longest], seen_[longest]);
}

// Returns null if the call has returned meanwhile.
const char* CallWatch::Describe(const Slot& slot, const Seen& seen) {
  const char* operation = slot.operation.load(std::memory_order_acquire);
  std::array<uint64_t, kPathWords> words{};
  for (size_t word = 0; word < kPathWords; ++word) {
    words[word] = slot.path[word].load(std::memory_order_acquire);
  }
  if (slot.number.load(std::memory_order_acquire) != seen.number) return nullptr;
  std::array<char, sizeof words> path{};
  std::memcpy(path.data(), words.data(), sizeof words);
  const std::string_view end(path.data(), ::strnlen(path.data(), path.size()));
  const auto written = fmt::format_to_n(
      text_.data(), text_.size() - 1, "its file system has not returned from {} {}{} for {} s",
      operation, end.size() == path.size() ? "..." : "", end, seen.for_us / 1'000'000);
  *written.out = '\0';
  return text_.data();
}

}  // namespace sippar::engine
