// Zones of time: their names, and the times that their clocks show. Reads the machine's time zone
// data. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::engine {

// Reads an offset from UTC, such as '+01:00', '-8' or '+0530', of at most 18 hours.
bool ReadOffset(std::string_view text, int* seconds);
// Finds the zone of a name such as 'UTC', '+01:00', '-8' or 'Europe/Berlin'. Error RANGE if this
// machine knows no such zone.
[[nodiscard]] StatusOr<absl::TimeZone> FindZone(std::string_view name);
// ToLocal finds the date and time of day that clocks of the zone show at `time_us`, and returns the
// time at which clocks of UTC show the same. FromLocal is the inverse.
int64_t ToLocal(int64_t time_us, const absl::TimeZone& zone);
int64_t FromLocal(int64_t local_us, const absl::TimeZone& zone);

}  // namespace sippar::engine
