// A family's garbage-collection rule (paper section 2: "last n" and "new enough"), with unions and
// intersections. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/coding.h"
#include "engine/base/status.h"

namespace sippar::engine {

struct GcPolicy {
  enum Kind : uint8_t { kKeepAll, kMaxVersions, kMaxAge, kUnion, kIntersection };
  Kind kind = kKeepAll;
  uint32_t max_versions = 0;    // kMaxVersions: drop what ranks behind the n newest, n >= 1
  int64_t max_age_us = 0;       // kMaxAge: drop what is older than now - age, age > 0
  std::vector<GcPolicy> rules;  // kUnion: drop when any says so; kIntersection: when all do

  static GcPolicy KeepAll() { return {}; }
  static GcPolicy MaxVersions(uint32_t n) { return {kMaxVersions, n, 0, {}}; }
  static GcPolicy MaxAge(int64_t age_us) { return {kMaxAge, 0, age_us, {}}; }
  static GcPolicy Union(std::vector<GcPolicy> rules) { return {kUnion, 0, 0, std::move(rules)}; }
  static GcPolicy Intersection(std::vector<GcPolicy> rules) {
    return {kIntersection, 0, 0, std::move(rules)};
  }

  // May a version of this age go? `rank` is 1 for the newest live version of its column.
  // Monotone: once true for (rank, now), true for every larger rank and later now.
  bool MayDrop(uint64_t rank, int64_t timestamp_us, int64_t now_us) const;
  // Does what becomes of a version depend on how many others there are?
  bool CountsVersions() const;
  // An intersection of age and versions: what a delete that is not seen yet would have kept by
  // lowering its rank may be old enough by now. Only whole compactions may apply such a rule.
  bool MixesAgeAndVersions() const;
  // Once a version is this old it may go without another write; 0: only writes make garbage.
  int64_t AgeMin() const;
  [[nodiscard]] Status Validate() const;
  // As the language writes it: "VERSIONS(3)", "UNION(VERSIONS(3), AGE(30d))", "" for keep all.
  std::string Print() const;
  void Encode(std::string* out) const;
  static GcPolicy Decode(Reader* reader, size_t depth = 0);
  bool operator==(const GcPolicy&) const = default;
};

}  // namespace sippar::engine
