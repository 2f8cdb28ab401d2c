// The garbage-collection rule of a family (paper section 2: "last n" and "new enough"), with unions
// and intersections. Pure. Times are in microseconds.
// SPDX-License-Identifier: Apache-2.0
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
  uint32_t max_versions = 0;    // kMaxVersions: drop versions after the n newest, n >= 1
  int64_t max_age_us = 0;       // kMaxAge: drop versions older than now - age, age > 0
  std::vector<GcPolicy> rules;  // kUnion: drop if any rule drops; kIntersection: if all do

  static GcPolicy KeepAll() { return {}; }
  static GcPolicy MaxVersions(uint32_t n) { return {kMaxVersions, n, 0, {}}; }
  static GcPolicy MaxAge(int64_t age_us) { return {kMaxAge, 0, age_us, {}}; }
  static GcPolicy Union(std::vector<GcPolicy> rules) { return {kUnion, 0, 0, std::move(rules)}; }
  static GcPolicy Intersection(std::vector<GcPolicy> rules) {
    return {kIntersection, 0, 0, std::move(rules)};
  }

  // True if the rule allows dropping this version. `rank` is 1 for the newest live version of its
  // column. Monotone: once true for (rank, now), it is true for every larger rank and later now.
  bool MayDrop(uint64_t rank, int64_t timestamp_us, int64_t now_us) const;
  // True if the rule, or a rule inside it, drops versions by their number.
  bool CountsVersions() const;
  // True if the rule is or contains an intersection, which may combine age and versions. A delete
  // of newer versions can lower the rank of an older version before that version is old enough to
  // be dropped, so that the rule keeps it. A compaction that does not read the delete would drop
  // the version, so a compaction that does not read all runs applies such a rule only up to the
  // last delete that it reads.
  bool MixesAgeAndVersions() const;
  // The smallest age of a version at which the rule can drop it without another write; 0: only a
  // write can make a version garbage.
  int64_t AgeMin() const;
  [[nodiscard]] Status Validate() const;
  // The rule in the query language: "VERSIONS(3)", "UNION(VERSIONS(3), AGE(30d))"; "" for keep all.
  std::string Print() const;
  void Encode(std::string* out) const;
  static GcPolicy Decode(Reader* reader, size_t depth = 0);
  bool operator==(const GcPolicy&) const = default;
};

}  // namespace sippar::engine
