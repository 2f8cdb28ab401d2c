// The order in which servers that shut down together unload their tablets. Each server still needs
// METADATA to write the last state of its tablets. So a server keeps its METADATA tablets until the
// others have unloaded their user tablets, and the root tablet until the others have unloaded their
// METADATA tablets. A server need not wait if a server that stays can take its tablets over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

// What shuts down: one server, or all servers of the cluster. In the second case no server takes
// tablets over, because every server shuts down now or soon.
enum class Ending : uint8_t { kOneServer, kAllServers };

// How far the shutdown of a server has got. The server writes it into its member record.
enum class Leaving : uint8_t {
  kStays,
  kBegun,
  kUserTablets,  // all its user tablets are unloaded
  kMetadata,     // its METADATA tablets are unloaded, too, except the root tablet
};

std::string_view NameOf(Leaving leaving);  // "" for kStays
Leaving LeavingOf(std::string_view name);  // an unknown name: kStays

// True if a server that has got as far as `done` may unload the next level of tablets. `others`:
// how far each other live server has got. Pure.
bool MayGoOn(Ending ending, Leaving done, const std::vector<Leaving>& others);

// Returns how far each live server except `own` has got, by its member record.
[[nodiscard]] StatusOr<std::vector<Leaving>> OtherServers(LockSession* session,
                                                          const ServerId& own);

}  // namespace sippar::cluster
