// Sends a batch of writes of any size in several calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cluster/api/call_time.h"
#include "cluster/api/row_calls.h"
#include "engine/base/limits.h"

namespace sippar::cluster {

// Limits of one call. A write that is larger than kPartBytesMax is sent alone.
inline constexpr size_t kPartBytesMax = 4 << 20;
inline constexpr size_t kPartWritesMax = 10'000;

// The server does not decode a mutation with more entries than the limit. Such a mutation is
// refused here, because at the server it would fail its whole batch.
[[nodiscard]] inline Status CheckEntries(const RowMutation& mutation) {
  if (mutation.entries.size() <= limits::kMutationEntriesMax) return OkStatus();
  return InvalidArgument(fmt::format("mutation has {} entries; the limit is {}",
                                     mutation.entries.size(), limits::kMutationEntriesMax));
}
[[nodiscard]] inline Status CheckEntries(const engine::RowUpdate&) { return OkStatus(); }

// Approximate number of bytes that the write takes in a call.
inline size_t SizeOf(const RowMutation& mutation) { return mutation.StoredSize(); }
inline size_t SizeOf(const engine::RowUpdate& update) { return update.Encode().size(); }

// Sends the batch in several calls. `send` makes one call with the options that it gets. If a call
// gets no answer, only the outcome of its own writes is unknown.
template <class Call, class Send>
typename Call::Reply SendInParts(const Call& asked, const CallTime& time, const Send& send) {
  typename Call::Reply answers;
  answers.reserve(asked.batch.size());
  std::vector<const typename Call::Write*> part;
  size_t bytes = 0;
  auto send_part = [&] {
    if (part.empty()) return;
    const Status in_time = time.Check();
    Answer<Call> given =
        in_time.ok() ? send(Call{asked.to, part}, time.Left()) : Answer<Call>(in_time);
    for (auto& answer : PartsOf(std::move(given), part.size())) {
      answers.push_back(std::move(answer));
    }
    part.clear();
    bytes = 0;
  };
  for (const auto* write : asked.batch.values()) {
    const size_t size = SizeOf(*write);
    Status valid = CheckEntries(*write);
    const bool is_full = bytes + size > kPartBytesMax || part.size() == kPartWritesMax;
    if (!valid.ok() || is_full) send_part();
    if (!valid.ok()) {
      answers.push_back(std::move(valid));
      continue;
    }
    part.push_back(write);
    bytes += size;
  }
  send_part();
  return answers;
}

}  // namespace sippar::cluster
