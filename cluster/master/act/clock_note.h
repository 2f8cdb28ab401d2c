// The record in which masters note their wall clock from time to time, so that the next one can
// tell whether its own clock has jumped (decide/wall_clock.h). A named record like those of
// AdminApi.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster::master {

inline constexpr char kClockRecord[] = "cluster/clock";

// The noted time, in microseconds since 1970; 0: there is no note, or it is damaged. None: it
// cannot be read now.
std::optional<int64_t> ReadClockNote(LockSession* session);
// Makes `wall_us` the note. A failure is not reported: the note that is read next is then the old
// one, and the master tries again.
void WriteClockNote(LockSession* session, int64_t wall_us);

}  // namespace sippar::cluster::master
