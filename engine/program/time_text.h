// Reads times that are written as in SQL, for literals and casts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sippar::engine {

struct TimeText {
  int64_t micros = 0;  // microseconds since 1970; without a zone, what a clock of UTC shows
  bool has_time_of_day = false;
  bool has_zone = false;
};
// Reads YYYY-[M]M-[D]D, then perhaps a T or a blank and [H]H:[M]M[:[S]S[.F]], then perhaps a zone:
// Z, an offset such as +01:00 or -8, or after a blank a name such as Europe/Berlin. Reads the
// machine's time zone data only for a name. False: the text is no such time, or it is outside the
// years 1 to 9999, or a fraction has more than six digits.
bool ReadTimeText(std::string_view text, TimeText* out);

}  // namespace sippar::engine
