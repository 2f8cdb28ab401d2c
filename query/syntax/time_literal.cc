// Holds DecodeTimestamp and DecodeDate of literals.h.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/calendar.h"
#include "engine/program/time_text.h"
#include "query/syntax/literals.h"

namespace sippar::query {

OptionalProblem DecodeTimestamp(std::string_view text, int64_t* micros, bool* zone_missing) {
  engine::TimeText time;
  if (!engine::ReadTimeText(text, &time)) {
    return LiteralProblem{"not a time of the years 1 to 9999; write 2026-11-20T12:00:00.000000Z",
                          0};
  }
  *micros = time.micros;
  *zone_missing = !time.has_zone;
  return std::nullopt;
}

OptionalProblem DecodeDate(std::string_view text, int64_t* days) {
  engine::TimeText time;
  if (!engine::ReadTimeText(text, &time) || time.has_time_of_day || time.has_zone) {
    return LiteralProblem{"a DATE is written DATE '2026-11-20'", 0};
  }
  *days = engine::FloorDiv(time.micros, engine::kMicrosPerDay);
  return std::nullopt;
}

}  // namespace sippar::query
