// Servers that end together still need METADATA to write the last state of their tablets. So a
// server keeps its METADATA tablets until the others that end have let their user tablets go, and
// the root tablet until they have let those of METADATA go; unless a server that stays can take
// them over. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// What ends: one server, or all of the cluster's. Then those that have not begun yet soon will, and
// take nothing over.
enum class Ending : uint8_t { kOneServer, kAllServers };

// How far the clean end of a server has come. Its member record names it.
enum class Leaving : uint8_t {
  kStays,
  kBegun,
  kUserTablets,  // those are gone
  kMetadata,     // and all of METADATA but the root tablet
};

std::string_view NameOf(Leaving leaving);  // "" for kStays
Leaving LeavingOf(std::string_view name);  // an unknown name: kStays

// Whether a server that has come so far may let the next level go, beside these live servers. Pure.
bool MayGoOn(Ending ending, Leaving done, const std::vector<Leaving>& others);

// The live servers but `own`, as their member records say.
[[nodiscard]] StatusOr<std::vector<Leaving>> OtherServers(LockSession* session,
                                                          const ServerId& own);

}  // namespace sippar::cluster
