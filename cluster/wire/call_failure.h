// What a client knows of a call that failed, beside its code. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace sippar::cluster {

// What is known of a call that got no answer.
enum class Effect : uint8_t { kNone, kUnknown };  // a read; a write: perhaps it was done

// Nothing of the call was done: its server is leaving the store, and takes no more calls.
inline constexpr char kNotBegun[] = "sippar/not-begun";
// The last cell that a broken stream gave is the last of its row.
inline constexpr char kRowIsWhole[] = "sippar/row-is-whole";

inline void MarkFailure(const char* what, Status* status) {
  status->SetPayload(what, absl::Cord());
}
inline bool IsMarked(const char* what, const Status& status) {
  return status.GetPayload(what).has_value();
}

}  // namespace sippar::cluster
