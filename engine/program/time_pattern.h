// Reads times by a pattern of GoogleSQL's format elements, such as '%Y-%m-%d %H:%M'.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

struct PatternRules {
  absl::TimeZone zone;      // of a text that has no zone itself
  bool dates_only = false;  // refuses the elements of the time of day and of the zone
};
// What the text does not tell is that of 1970-01-01T00:00:00. An element wins over one before it
// that tells the same, and elements of the ISO year (%G %g %V %J) count only where nothing tells
// the year, month or day otherwise. If it returns false, *problem is the reason.
bool ReadByPattern(std::string_view pattern, std::string_view text, const PatternRules& rules,
                   int64_t* micros, std::string* problem);

}  // namespace sippar::engine
