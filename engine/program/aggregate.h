// Aggregate functions as mergeable partial states: add values where the data is, send the state as
// a Value, merge states, finish. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

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

inline constexpr uint64_t kArrayAggItemsMax = 1000;       // default limit of ARRAY_AGG
inline constexpr uint64_t kDistinctBytesMax = 64 << 20;   // memory of one COUNT(DISTINCT)
std::string_view AggregateName(AggregateDef::Kind kind);  // SUM …

// One running aggregate. NULL arguments are skipped (kCountRows counts every Add).
class Aggregate {
 public:
  static std::unique_ptr<Aggregate> New(const AggregateDef& def);
  virtual ~Aggregate() = default;
  [[nodiscard]] virtual Status Add(const Value& value) = 0;
  virtual void AddRows(uint64_t) {}  // kCountRows: many at once
  virtual Value Partial() const = 0;
  [[nodiscard]] virtual Status Merge(const Value& partial) = 0;
  virtual Value Finish() const = 0;
};

}  // namespace sippar::engine
