// Aggregate functions with mergeable partial states: a server adds values where the data is and
// sends the state as a Value; the receiver merges the states of all tablets and finishes them.
// SPDX-License-Identifier: Apache-2.0
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
    kApproxQuantiles = 10,
    kApproxTop = 11,
    kStringAgg = 12,
  };
  Kind kind = kCountRows;
  Expression argument;  // unused by kCountRows
  // kArrayAgg: most items that are kept (0: kArrayAggItemsMax); kApproxQuantiles: number of equal
  // parts; kApproxTop: number of values in the result.
  uint64_t limit = 0;
  std::string separator;  // kStringAgg: text between the values
  bool distinct = false;  // true: each distinct value is added once

  bool operator==(const AggregateDef&) const = default;
};

// Approximate memory of one group, without the values that its aggregates will hold.
size_t GroupSize(std::string_view encoded_keys, const std::vector<AggregateDef>& aggregates);

inline constexpr uint64_t kArrayAggItemsMax = 1000;      // default limit of ARRAY_AGG
inline constexpr uint64_t kDistinctBytesMax = 64 << 20;  // memory of one COUNT(DISTINCT)
inline constexpr uint64_t kApproxItemsMax = 1000;        // largest limit of the APPROX aggregates
inline constexpr uint64_t kApproxTopEntries = 1000;      // minimum number of counters in kApproxTop
// Most memory for the keys and values of all groups of one GroupBy.
inline constexpr uint64_t kGroupBytesMax = 256 << 20;
std::string_view AggregateName(AggregateDef::Kind kind);  // name in the query language, such as SUM

// Counts the memory that the groups of one GroupBy hold: their keys, and the values of MIN,
// ANY_VALUE, ARRAY_AGG and so on.
class GroupMemory {
 public:
  // Returns the error TOO_LARGE if the total exceeds kGroupBytesMax.
  [[nodiscard]] Status Add(size_t bytes);
  [[nodiscard]] Status AddValue(const Value& value);
  void Remove(size_t bytes) { bytes_ -= bytes; }
  void RemoveValue(const Value& value);

 private:
  size_t bytes_ = 0;
};

// One aggregate of one group. NULL arguments are skipped, but kCountRows counts every row.
class Aggregate {
 public:
  // `memory` outlives the aggregate.
  static std::unique_ptr<Aggregate> New(const AggregateDef& def, GroupMemory* memory);
  virtual ~Aggregate() = default;
  [[nodiscard]] virtual Status Add(const Value& value) = 0;
  virtual void AddRows(uint64_t) {}  // counts many rows at once; only for kCountRows
  virtual Value Partial() const = 0;
  [[nodiscard]] virtual Status Merge(const Value& partial) = 0;
  // The error of the result, such as OVERFLOW of a sum. Call it before Finish.
  [[nodiscard]] virtual Status Check() const { return OkStatus(); }
  virtual Value Finish() const = 0;
};

}  // namespace sippar::engine
