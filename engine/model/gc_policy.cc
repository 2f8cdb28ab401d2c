// SPDX-License-Identifier: Apache-2.0
#include "engine/model/gc_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/limits.h"

namespace sippar::engine {
namespace {

std::string PrintDuration(int64_t us) {
  constexpr std::pair<int64_t, const char*> kUnits[] = {
      {604'800'000'000, "w"}, {86'400'000'000, "d"}, {3'600'000'000, "h"},
      {60'000'000, "m"},      {1'000'000, "s"},      {1'000, "ms"}};
  for (auto [size, name] : kUnits) {
    if (us % size == 0) return fmt::format("{}{}", us / size, name);
  }
  return fmt::format("{}us", us);
}

Status ValidateAt(const GcPolicy& policy, size_t depth) {
  if (depth > limits::kGcPolicyDepthMax) {
    return InvalidArgument(
        fmt::format("GC rule is nested deeper than {} levels", limits::kGcPolicyDepthMax));
  }
  if (policy.kind == GcPolicy::kMaxVersions && policy.max_versions == 0) {
    return InvalidArgument("GC rule VERSIONS needs a number >= 1");
  }
  if (policy.kind == GcPolicy::kMaxAge && policy.max_age_us <= 0) {
    return InvalidArgument("GC rule AGE needs a duration > 0");
  }
  bool is_list = policy.kind == GcPolicy::kUnion || policy.kind == GcPolicy::kIntersection;
  if (is_list && policy.rules.empty())
    return InvalidArgument("GC rule UNION or INTERSECTION is empty; it needs at least one rule");
  for (const GcPolicy& rule : policy.rules) RETURN_IF_ERROR(ValidateAt(rule, depth + 1));
  return OkStatus();
}

}  // namespace

bool GcPolicy::MayDrop(uint64_t rank, int64_t timestamp_us, int64_t now_us) const {
  auto drops = [&](const GcPolicy& rule) { return rule.MayDrop(rank, timestamp_us, now_us); };
  switch (kind) {
    case kKeepAll:
      return false;
    case kMaxVersions:
      return rank > max_versions;
    case kMaxAge:
      // Computes now_us - max_age_us and not now_us - timestamp_us: a client may write any
      // timestamp, so the second difference could overflow.
      return timestamp_us < now_us - max_age_us;
    case kUnion:
      return std::any_of(rules.begin(), rules.end(), drops);
    case kIntersection:
      return std::all_of(rules.begin(), rules.end(), drops);
  }
  return false;
}

bool GcPolicy::CountsVersions() const {
  return kind == kMaxVersions || std::any_of(rules.begin(), rules.end(), [](const GcPolicy& rule) {
           return rule.CountsVersions();
         });
}

bool GcPolicy::MixesAgeAndVersions() const {
  return kind == kIntersection || std::any_of(rules.begin(), rules.end(), [](const GcPolicy& rule) {
           return rule.MixesAgeAndVersions();
         });
}

int64_t GcPolicy::AgeMin() const {
  int64_t age_us = kind == kMaxAge ? max_age_us : 0;
  for (const GcPolicy& rule : rules) {
    int64_t below = rule.AgeMin();
    if (below > 0) age_us = age_us == 0 ? below : std::min(age_us, below);
  }
  return age_us;
}

Status GcPolicy::Validate() const { return ValidateAt(*this, 0); }

std::string GcPolicy::Print() const {
  switch (kind) {
    case kKeepAll:
      return "";
    case kMaxVersions:
      return fmt::format("VERSIONS({})", max_versions);
    case kMaxAge:
      return fmt::format("AGE({})", PrintDuration(max_age_us));
    case kUnion:
    case kIntersection:
      break;
  }
  std::string text;
  for (const GcPolicy& rule : rules) {
    text += (text.empty() ? "" : ", ") + (rule.kind == kKeepAll ? "NONE" : rule.Print());
  }
  return (kind == kUnion ? "UNION(" : "INTERSECTION(") + text + ")";
}

void GcPolicy::Encode(std::string* out) const {
  out->push_back(static_cast<char>(kind));
  PutVarint(out, max_versions);
  PutSigned(out, max_age_us);
  PutVarint(out, rules.size());
  for (const GcPolicy& rule : rules) rule.Encode(out);
}

GcPolicy GcPolicy::Decode(Reader* reader, size_t depth) {
  GcPolicy policy;
  uint8_t kind = reader->Byte();
  // Damaged bytes must not make the recursion deeper than the deepest valid rule.
  if (kind > kIntersection || depth > limits::kGcPolicyDepthMax) reader->Fail();
  policy.kind = static_cast<Kind>(kind);
  policy.max_versions = static_cast<uint32_t>(reader->Varint());
  policy.max_age_us = reader->Signed();
  size_t count = reader->Count();
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    policy.rules.push_back(Decode(reader, depth + 1));
  }
  return policy;
}

}  // namespace sippar::engine
