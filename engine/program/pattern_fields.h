// What the elements (%Y, %H …) of a pattern told of a time, and the time that this makes. Used by
// time_pattern.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sippar::engine {

// `place` counts the elements of the pattern from 1; 0: no element told this.
struct PatternNumber {
  int64_t value = 0;
  int place = 0;
};

struct PatternFields {
  PatternNumber year, century, year_of_century, month, day;
  PatternNumber day_of_year, week, weekday;   // weekday 0 is Sunday
  PatternNumber iso_year, iso_week, iso_day;  // iso_day is the day of the ISO year
  PatternNumber hour, minute, second, epoch;  // epoch: seconds since 1970, wins over all others
  int64_t micros = 0;                         // of the second
  int first_weekday = 0;                      // of the week that `week` counts
  bool twelve_hours = false;
  bool afternoon = false;
  std::optional<int> offset;  // seconds east of UTC, wins over the zone
  absl::TimeZone zone;
};
// Computes the time that the fields tell, in microseconds since 1970. Returns false if there is no
// such time; *problem is then the reason.
bool TimeOfFields(const PatternFields& fields, int64_t* micros, std::string* problem);

}  // namespace sippar::engine
