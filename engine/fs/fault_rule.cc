// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/fault_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace sippar::engine {
namespace {
constexpr std::array<std::string_view, 7> kEffects = {"fail",  "full", "deny", "torn",
                                                      "delay", "lie",  "flip"};
constexpr std::array<std::string_view, 17> kOperations = {
    "any",    "create", "open",    "write", "sync", "close", "read",  "rename", "link",
    "remove", "mkdir",  "syncdir", "list",  "stat", "lock",  "fence", "statfs"};
}  // namespace

bool GlobMatches(std::string_view glob, std::string_view text) {
  size_t star = std::string_view::npos;
  size_t retry = 0;
  size_t g = 0;
  size_t t = 0;
  while (t < text.size()) {
    // After a mismatch only the last star is tried again with more bytes, since more bytes for an
    // earlier star could not help. So the time is bounded by the product of the two lengths.
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      retry = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

StatusOr<FaultRule> FaultRule::Parse(std::string_view text) {
  std::array<std::string_view, 4> words;
  size_t count = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      if (count == words.size()) {
        return InvalidArgument(
            fmt::format("fault rule '{}': too many words; expected EFFECT OPERATION GLOB N", text));
      }
      words[count++] = text.substr(at, end - at);
    }
    at = end + 1;
  }
  FaultRule rule;
  auto bad = [&](std::string_view what) {
    return InvalidArgument(fmt::format("fault rule '{}': {}", text, what));
  };
  if (count != words.size()) return bad("expected EFFECT OPERATION GLOB N");
  auto read_number = [](std::string_view digits, auto* number) {
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *number);
    return error == std::errc() && end == digits.data() + digits.size() && *number > 0;
  };
  if (words[0].starts_with("delay:")) {
    if (!read_number(words[0].substr(6), &rule.delay_ms))
      return bad("delay: expected delay:MILLISECONDS, a number from 1 on");
    words[0] = "delay";
  }
  auto effect = std::find(kEffects.begin(), kEffects.end(), words[0]);
  if (effect == kEffects.end() || (words[0] == "delay") != (rule.delay_ms > 0)) {
    return bad("effect is one of fail, full, deny, torn, delay:ms, lie, flip");
  }
  rule.effect = static_cast<Effect>(effect - kEffects.begin());
  if (std::find(kOperations.begin(), kOperations.end(), words[1]) == kOperations.end()) {
    return bad(fmt::format("unknown operation '{}'", words[1]));
  }
  rule.operation = words[1];
  rule.glob = words[2];
  rule.and_later = words[3].ends_with("+");
  if (rule.and_later) words[3].remove_suffix(1);
  if (!read_number(words[3], &rule.nth)) {
    return bad("N is a number from 1 on; a + after it means 'and every later one'");
  }
  return rule;
}

std::string FaultRule::Print() const {
  std::string time = effect == kDelay ? fmt::format(":{}", delay_ms) : "";
  return fmt::format("{}{} {} {} {}{}", kEffects[effect], time, operation, glob, nth,
                     and_later ? "+" : "");
}

bool FaultRule::Matches(std::string_view operation_name, std::string_view path) const {
  return (operation == "any" || operation == operation_name) && GlobMatches(glob, path);
}

}  // namespace sippar::engine
