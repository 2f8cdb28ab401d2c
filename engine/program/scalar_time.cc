// Functions on times, all in UTC.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ctime>

#include "engine/program/calendar.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"
#include "engine/program/time_text.h"

namespace sippar::engine {
namespace {

using enum ValueType;

Status TimeBucket(CallSite* site, Arguments args, Value* out) {
  bool width_fine = args[0]->type() == kDuration || args[0]->type() == kInt64;
  if (!width_fine || !IsTime(*args[1])) return TypeError(*site, args);
  int64_t width = args[0]->integer();
  if (width <= 0) return ProgramError("RANGE", "the width of TIME_BUCKET must be positive");
  int64_t start = 0;
  if (__builtin_mul_overflow(FloorDiv(MicrosOf(*args[1]), width), width, &start)) {
    return ProgramError("OVERFLOW", "the start of the bucket does not fit into 64 bits");
  }
  if (args[1]->type() == kDate && width % kMicrosPerDay != 0) {
    return ProgramError("RANGE", "TIME_BUCKET: the width of a bucket of DATEs is whole days",
                        "CAST(date AS TIMESTAMP)");
  }
  return SetTimeLike(*site, *args[1], start, out);
}

Status FormatTime(CallSite* site, Arguments args, Value* out) {
  if (!args[0]->is_string() || !IsTime(*args[1])) return TypeError(*site, args);
  CalendarTime parts;
  RETURN_IF_ERROR(SplitTime(MicrosOf(*args[1]), &parts));
  // strftime returns 0 both for an empty result and for one that is too long. With a trailing blank
  // no result is empty.
  std::string pattern = args[0]->bytes() + " ";
  char buffer[1024];
  size_t size = std::strftime(buffer, sizeof buffer, pattern.c_str(), &parts.tm);
  if (size == 0) return ProgramError("RANGE", "the result of FORMAT_TIME is longer than 1 KiB");
  *out = Value::Text(std::string(buffer, size - 1));
  return OkStatus();
}

}  // namespace

bool ParseTimestamp(std::string_view text, int64_t* micros) {
  TimeText time;
  if (!ReadTimeText(text, &time)) return false;
  *micros = time.micros;
  return true;
}

ScalarEntry FindTimeFunction(Function function) {
  switch (function) {
    case Function::kTimeBucket:
      return {TimeBucket};
    case Function::kFormatTime:
      return {FormatTime};
    default:
      return {};
  }
}

}  // namespace sippar::engine
