// Facts about a failed call that its status code cannot express. They travel as payloads of the
// status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/net/failure.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// The call was not begun: it never reached its server, or the server refused it.
using net::kNotBegun;
// A stream was ended by its server, which is leaving the store. The caller can read the rest from
// the next process that serves the store.
inline constexpr char kCut[] = "sippar/cut";
// A stream broke off, but the last cell that it returned is the last cell of its row.
inline constexpr char kRowIsWhole[] = "sippar/row-is-whole";

inline void MarkFailure(const char* what, Status* status) {
  status->SetPayload(what, absl::Cord());
}
inline bool IsMarked(const char* what, const Status& status) {
  return status.GetPayload(what).has_value();
}

}  // namespace sippar::cluster
