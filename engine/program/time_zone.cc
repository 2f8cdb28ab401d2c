// SPDX-License-Identifier: Apache-2.0
#include "engine/program/time_zone.h"

#include <absl/strings/ascii.h>
#include <absl/time/civil_time.h>
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "engine/base/thread.h"
#include "engine/program/calendar.h"
#include "engine/program/program_error.h"

namespace sippar::engine {
namespace {

// A zone name becomes a file name, so a name that could leave the folder of the zones is refused.
bool MayBeZone(std::string_view name) {
  constexpr size_t kSizeMax = 40;
  constexpr std::string_view kSigns =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  return !name.empty() && name.size() <= kSizeMax && name[0] >= 'A' && name[0] <= 'Z' &&
         name.find_first_not_of(kSigns) == name.npos;
}

// The library keeps each name that it was ever asked for, also those that do not exist, and names
// may come from cells. So the library is asked once for each name, and after kWrongMax wrong names
// for no new name.
bool LoadZone(std::string_view name, absl::TimeZone* zone) {
  constexpr size_t kWrongMax = 10'000;
  struct Names {
    Mutex mutex;
    std::map<std::string, absl::TimeZone, std::less<>> zones GUARDED_BY(mutex);
    std::set<std::string, std::less<>> wrong GUARDED_BY(mutex);
  };
  static Names& names = *new Names;
  MutexLock lock(&names.mutex);
  if (auto known = names.zones.find(name); known != names.zones.end()) {
    *zone = known->second;
    return true;
  }
  if (names.wrong.size() >= kWrongMax || names.wrong.contains(name)) return false;
  if (!absl::LoadTimeZone({name.data(), name.size()}, zone)) {
    names.wrong.emplace(name);
    return false;
  }
  names.zones.emplace(name, *zone);
  return true;
}

// Time zone data has a resolution of seconds; the fraction of a second is the same in every zone.
absl::Time WholeSeconds(int64_t time_us, int64_t* rest_us) {
  const int64_t seconds = FloorDiv(time_us, kMicrosPerSecond);
  *rest_us = time_us - seconds * kMicrosPerSecond;
  return absl::FromUnixSeconds(seconds);
}

}  // namespace

bool ReadOffset(std::string_view text, int* seconds) {
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  const int sign = text[0] == '-' ? -1 : 1;
  std::string digits(text.substr(1));
  if (const size_t colon = digits.find(':'); colon != std::string::npos) {
    // The minutes have two digits, so +8:00 is +0800.
    if (colon < 1 || colon > 2 || digits.size() != colon + 3) return false;
    digits.erase(colon, 1);
    if (colon == 1) digits.insert(0, "0");
  }
  if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
  if (digits.size() == 1) digits.insert(0, "0");
  if (digits.size() == 2) digits += "00";
  if (digits.size() != 4) return false;
  const int hours = (digits[0] - '0') * 10 + digits[1] - '0';
  const int minutes = (digits[2] - '0') * 10 + digits[3] - '0';
  *seconds = sign * (hours * 3600 + minutes * 60);
  return minutes <= 59 && hours * 60 + minutes <= 18 * 60;
}

StatusOr<absl::TimeZone> FindZone(std::string_view name) {
  if (absl::AsciiStrToLower({name.data(), name.size()}) == "utc") return absl::UTCTimeZone();
  int offset = 0;
  constexpr int kOffsetMax = 14 * 3600 + 59 * 60;
  if (ReadOffset(name, &offset) && std::abs(offset) <= kOffsetMax) {
    return absl::FixedTimeZone(offset);
  }
  absl::TimeZone zone;
  if (MayBeZone(name) && LoadZone(name, &zone)) return zone;
  return ProgramError("RANGE", fmt::format("time zone '{:.60}' is unknown", PrintEscaped(name)),
                      "'UTC', '+01:00', 'Europe/Berlin'");
}

int64_t ToLocal(int64_t time_us, const absl::TimeZone& zone) {
  int64_t rest = 0;
  return time_us + zone.At(WholeSeconds(time_us, &rest)).offset * kMicrosPerSecond;
}

int64_t FromLocal(int64_t local_us, const absl::TimeZone& zone) {
  int64_t rest = 0;
  const absl::CivilSecond civil =
      absl::ToCivilSecond(WholeSeconds(local_us, &rest), absl::UTCTimeZone());
  // For a time in an hour that clocks skip or repeat, uses the offset from before the change.
  return absl::ToUnixSeconds(zone.At(civil).pre) * kMicrosPerSecond + rest;
}

}  // namespace sippar::engine
