// Tells which call of a file system has not returned for how long. A call of the operating system
// cannot be cancelled, so a process that must not wait for ever has to end. Any number of threads
// may begin and end calls; one thread looks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sippar::engine {

class CallWatch {
  struct Slot;

 public:
  // Notes a call for as long as this object lives. Takes no lock, allocates nothing and does not
  // read the clock. Costs two atomic exchanges and about a dozen stores, less than 20 ns; the
  // system call itself costs 300 ns and more. `operation` is a string literal.
  class Call {
   public:
    Call(CallWatch* watch, const char* operation, std::string_view path);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Slot* slot_;  // null: all slots were in use
  };

  // To be called again and again by one thread, with the microseconds since its last look. Returns
  // null, or, if a call has not returned for `limit_us`, a text with its operation and path, valid
  // until the next look. A call's time begins with the first look that sees it, so a process that
  // was frozen sees no call as overdue when it wakes up. Takes no lock and allocates nothing.
  const char* Look(int64_t passed_us, int64_t limit_us);

 private:
  // If more calls than this are in flight, the others are not watched. A disk that hangs is still
  // noticed: the watched ones do not return either.
  static constexpr size_t kSlots = 256;
  static constexpr size_t kPathWords = 12;  // of 8 bytes; of a longer path, the end is kept
  // The atomic stores of a slot release and its loads acquire. So if Look reads a word of a later
  // call, it also finds that `number` has changed.
  struct alignas(64) Slot {
    std::atomic<uint64_t> number{0};  // number of the call; 0: the slot is free
    std::atomic<const char*> operation{nullptr};
    std::array<std::atomic<uint64_t>, kPathWords> path{};
  };
  struct Seen {
    uint64_t number = 0;
    int64_t for_us = 0;
  };
  Slot* Claim(const char* operation, std::string_view path);
  const char* Describe(const Slot& slot, const Seen& seen);

  std::atomic<uint64_t> calls_{0};
  std::array<Slot, kSlots> slots_;
  // Only the thread that looks uses these two.
  std::array<Seen, kSlots> seen_;
  std::array<char, 256> text_{};
};

}  // namespace sippar::engine
