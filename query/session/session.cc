// Implements the settings and StatementContext::CallOptions.
// SPDX-License-Identifier: Apache-2.0
#include "query/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/program/value.h"

namespace sippar::query {
namespace {

std::string Lower(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

Status Wrong(std::string_view name, std::string_view wanted) {
  return InvalidArgument(fmt::format("setting {} takes {}", name, wanted));
}

// Accepts "UTC", "Z" and offsets such as "+01:00". A named zone would need a database of zones,
// which a machine may not have.
bool ParseZone(std::string_view text, int64_t* offset_us) {
  if (text == "UTC" || text == "Z" || text == "utc") {
    *offset_us = 0;
    return true;
  }
  auto digit = [&](size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  bool shaped = text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
                digit(1) && digit(2) && digit(4) && digit(5);
  if (!shaped) return false;
  const int64_t hours = (text[1] - '0') * 10 + (text[2] - '0');
  const int64_t minutes = (text[4] - '0') * 10 + (text[5] - '0');
  const int64_t size = hours * 60 + minutes;
  if (minutes > 59 || size > 18 * 60) return false;
  *offset_us = size * 60'000'000 * (text[0] == '-' ? -1 : 1);
  return true;
}

std::string PrintZone(const Settings& settings) {
  int64_t minutes = settings.timezone_us / 60'000'000;
  if (minutes == 0) return "UTC";
  int64_t size = minutes < 0 ? -minutes : minutes;
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

// Accepts ON, OFF, TRUE and FALSE, in any case.
bool ParseSwitch(const Value& value, bool* on) {
  if (value.type() == ValueType::kBool) {
    *on = value.is_true();
    return true;
  }
  // For a value that is not TEXT or BYTES, bytes() is "", which is none of the words below.
  std::string word = Lower(value.bytes());
  *on = word == "on" || word == "true";
  return *on || word == "off" || word == "false";
}

std::string PrintVersions(const Settings& settings) {
  return settings.versions == 0 ? "ALL" : fmt::format("{}", settings.versions);
}

std::string PrintTimeout(const Settings& settings) {
  return settings.timeout_us == 0 ? "0" : engine::PrintDuration(settings.timeout_us);
}

Status ChangeVersions(std::string_view name, const Value& value, Settings* settings) {
  const bool all = value.is_string() && Lower(value.bytes()) == "all";
  const bool count =
      value.type() == ValueType::kInt64 && value.integer() >= 1 && value.integer() <= UINT32_MAX;
  if (!all && !count) return Wrong(name, "a number from 1 to 4294967295, or ALL");
  // In a read, 0 means all versions (engine/model/read_spec.h), so the user may not write it as a
  // number.
  settings->versions = all ? 0 : static_cast<uint32_t>(value.integer());
  return OkStatus();
}

Status ChangeTimezone(std::string_view name, const Value& value, Settings* settings) {
  if (!value.is_string() || !ParseZone(value.bytes(), &settings->timezone_us)) {
    return Wrong(name, "'UTC' or an offset of at most 18 hours such as '+01:00'");
  }
  return OkStatus();
}

Status ChangeSafeUpdates(std::string_view name, const Value& value, Settings* settings) {
  return ParseSwitch(value, &settings->safe_updates) ? OkStatus() : Wrong(name, "on or off");
}

Status ChangeTimeout(std::string_view name, const Value& value, Settings* settings) {
  // A bare number is refused, because it has no unit. Zero needs no unit.
  const bool zero = value.type() == ValueType::kInt64 && value.integer() == 0;
  if (!zero && (value.type() != ValueType::kDuration || value.integer() < 0)) {
    return Wrong(name, "a duration of 0 or more such as 30s");
  }
  settings->timeout_us = value.integer();
  return OkStatus();
}

Status ChangeSortMemory(std::string_view name, const Value& value, Settings* settings) {
  if (value.type() != ValueType::kInt64 || value.integer() < 0) {
    return Wrong(name, "a size of 0 or more such as 64MiB");
  }
  settings->sort_memory_bytes = static_cast<uint64_t>(value.integer());
  return OkStatus();
}

// FLUSH and COMPACT always wait for their work to end, so this setting accepts only ON and TRUE. It
// exists so that scripts that set it do not fail.
Status ChangeWait(std::string_view name, const Value& value, Settings*) {
  bool on = false;
  if (ParseSwitch(value, &on) && on) return OkStatus();
  return Wrong(name, "only the value 'on': FLUSH and COMPACT always end when their work is done");
}

struct Setting {
  std::string_view name;
  // Sets the value; kInvalidArgument for a value that the setting does not accept.
  Status (*change)(std::string_view name, const Value& value, Settings* settings);
  // Copies the setting's value from `from` to `*to`.
  void (*copy)(const Settings& from, Settings* to);
  std::string (*print)(const Settings& settings);
  std::string_view meaning;
};

// SHOW SESSION shows the settings in this order.
constexpr std::array<Setting, 6> kSettings = {{
    {"safe_updates", ChangeSafeUpdates,
     [](const Settings& from, Settings* to) { to->safe_updates = from.safe_updates; },
     [](const Settings& settings) -> std::string { return settings.safe_updates ? "on" : "off"; },
     "UPDATE and DELETE need a test on row"},
    {"sort_memory", ChangeSortMemory,
     [](const Settings& from, Settings* to) { to->sort_memory_bytes = from.sort_memory_bytes; },
     [](const Settings& settings) { return fmt::format("{}", settings.sort_memory_bytes); },
     "bytes that ORDER BY without LIMIT may use"},
    {"timeout", ChangeTimeout,
     [](const Settings& from, Settings* to) { to->timeout_us = from.timeout_us; }, PrintTimeout,
     "longest time a statement may run; 0 = no limit"},
    {"timezone", ChangeTimezone,
     [](const Settings& from, Settings* to) { to->timezone_us = from.timezone_us; }, PrintZone,
     "zone of times written without one: UTC or +hh:mm"},
    {"versions", ChangeVersions,
     [](const Settings& from, Settings* to) { to->versions = from.versions; }, PrintVersions,
     "versions per column when a query does not say"},
    {"wait", ChangeWait, [](const Settings&, Settings*) {},
     [](const Settings&) -> std::string { return "on"; },
     "FLUSH and COMPACT end when their work is done"},
}};

const Setting* Find(std::string_view name) {
  const std::string key = Lower(name);
  const auto* at = std::find_if(kSettings.begin(), kSettings.end(),
                                [&](const Setting& setting) { return setting.name == key; });
  return at == kSettings.end() ? nullptr : at;
}

}  // namespace

std::vector<SettingLine> DescribeSettings(const Settings& settings) {
  std::vector<SettingLine> lines;
  for (const Setting& setting : kSettings) {
    lines.push_back({std::string(setting.name), setting.print(settings), setting.print({}),
                     std::string(setting.meaning)});
  }
  return lines;
}

// An unknown name is not an error here: the caller reports it with its place and with a hint.
StatusOr<bool> ChangeSetting(std::string_view name, const Value& value, Settings* settings) {
  const Setting* setting = Find(name);
  if (setting == nullptr) return false;
  RETURN_IF_ERROR(setting->change(setting->name, value, settings));
  return true;
}

bool ResetSetting(std::string_view name, Settings* settings) {
  const Setting* setting = Find(name);
  if (setting == nullptr) return false;
  setting->copy({}, settings);
  return true;
}

std::vector<std::string> SettingNames() {
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) names.emplace_back(setting.name);
  return names;
}

cluster::CallOptions StatementContext::CallOptions() const {
  cluster::CallOptions options;
  options.cancel = session->cancel;
  options.counters = &session->read_counters;
  if (stop.deadline_nanos != 0) {
    int64_t left = (stop.deadline_nanos - stop.clock->MonotonicNanos()) / 1000;
    // 0 would mean no timeout, so a deadline that has passed becomes the shortest one.
    options.timeout_us = left > 0 ? left : 1;
  }
  return options;
}

}  // namespace sippar::query
