// SPDX-License-Identifier: Apache-2.0
#include "engine/model/option_text.h"

#include <fmt/format.h>

#include "engine/model/change_config.h"

namespace sippar::engine {
namespace {

std::string PrintRetention(int64_t us) {
  constexpr int64_t kSecond = 1'000'000, kHour = 3'600 * kSecond, kDay = 24 * kHour;
  if (us % kDay == 0) return fmt::format("{}d", us / kDay);
  if (us % kHour == 0) return fmt::format("{}h", us / kHour);
  return us % kSecond == 0 ? fmt::format("{}s", us / kSecond) : fmt::format("{}us", us);
}

}  // namespace

std::map<std::string, std::string> OptionTexts(const TableSchema& schema) {
  std::map<std::string, std::string> texts;
  for (const char* name : {"SPLIT_SIZE", kGranularityOption, kProtectedOption}) {
    auto option = schema.options.find(name);
    if (option != schema.options.end()) texts[name] = option->second;
  }
  if (auto stream = ChangeStreamOf(schema)) {
    texts[kChangeStreamOption] = PrintRetention(stream->retention_us);
  }
  return texts;
}

}  // namespace sippar::engine
