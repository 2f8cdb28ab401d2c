// Converts what is known about a tablet that may be the reason why its servers die
// (TabletSuspicion) to text, for METADATA and for people, and back. No server loads a tablet that
// is set aside until an administrator lets it back (calls::LetBack). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/tablet_record.h"
#include "engine/base/status.h"

namespace sippar::cluster {

// The value of the column state:deaths: "server.epoch@microseconds", separated by blanks.
std::string EncodeDeaths(const std::vector<ServerDeath>& deaths);
// kInvalidArgument: the text is not such a list.
[[nodiscard]] StatusOr<std::vector<ServerDeath>> DecodeDeaths(std::string_view text);

// Names the servers that crashed while they loaded or served the tablet, and says how to let the
// tablet back.
std::string WhySetAside(const std::vector<ServerDeath>& deaths, const engine::RowRange& range);

// The answer to a call on a tablet that is set aside. It is kUnavailable, because an earlier try of
// the same write may be in a log that is replayed when the tablet is let back. IsSetAside tells it
// from failures that a retry may cure.
Status SetAsideError(uint64_t tablet_id, const engine::RowRange& range,
                     const std::vector<ServerDeath>& deaths);
bool IsSetAside(const Status& status);

}  // namespace sippar::cluster
