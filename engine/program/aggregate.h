// Aggregate functions as mergeable partial states: add values where the data is, send the state as
// a Value, merge states, finish. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/expression.h"
#include "engine/program/value.h"

namespace sippar::engine {

struct AggregateDef {
  enum Kind : uint8_t {
    kCountRows = 0,  // COUNT(*)
    kCount = 1,
    kSum = 2,
    kMin = 3,
    kMax = 4,
    kAvg = 5,
    kAnyValue = 6,
    kCountDistinct = 7,
    kArrayAgg = 8,
    kApproxCountDistinct = 9,
  };
  Kind kind = kCountRows;
  Expression argument;  // unused by kCountRows
  uint64_t limit = 0;   // kArrayAgg: items kept; 0 = kArrayAggItemsMax

  bool operator==(const AggregateDef&) const = default;
};

// Of one group, without the values it comes to hold.
size_t GroupSize(std::string_view encoded_keys, const std::vector<AggregateDef>& aggregates);

inline constexpr uint64_t kArrayAggItemsMax = 1000;       // default limit of ARRAY_AGG
inline constexpr uint64_t kDistinctBytesMax = 64 << 20;   // memory of one COUNT(DISTINCT)
inline constexpr uint64_t kGroupBytesMax = 256 << 20;     // keys and values of all groups
std::string_view AggregateName(AggregateDef::Kind kind);  // SUM …

// What the groups of one run hold: keys, and the values of MIN, ANY_VALUE, ARRAY_AGG and so on.
class GroupMemory {
 public:
  // TOO_LARGE above kGroupBytesMax.
  [[nodiscard]] Status Add(size_t bytes);
  [[nodiscard]] Status AddValue(const Value& value);
  void RemoveValue(const Value& value);

 private:
  size_t bytes_ = 0;
};

// One running aggregate. NULL arguments are skipped (kCountRows counts every Add).
class Aggregate {
 public:
  // `memory` outlives it.
  static std::unique_ptr<Aggregate> New(const AggregateDef& def, GroupMemory* memory);
  virtual ~Aggregate() = default;
  [[nodiscard]] virtual Status Add(const Value& value) = 0;
  virtual void AddRows(uint64_t) {}  // kCountRows: many at once
  virtual Value Partial() const = 0;
  [[nodiscard]] virtual Status Merge(const Value& partial) = 0;
  virtual Value Finish() const = 0;
};

}  // namespace sippar::engine
