// What is known of an expression's values before it runs, NULL apart. Plain data; found by
// query/analyze, carried by cluster/api. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/program/value.h"

namespace sippar::engine {

struct DataType {
  ValueType kind = ValueType::kNull;  // kNull: nothing is known
  std::vector<DataType> parts;        // ARRAY: item; MAP: key, value; STRUCT: timestamp, value

  DataType() = default;
  DataType(ValueType kind_of_all, std::vector<DataType> parts_of_all = {})  // implicit
      : kind(kind_of_all), parts(std::move(parts_of_all)) {}

  bool is_string() const { return kind == ValueType::kBytes || kind == ValueType::kText; }
  bool is_number() const { return kind == ValueType::kInt64 || kind == ValueType::kFloat64; }
  // With all its parts.
  bool IsKnown() const {
    return kind != ValueType::kNull &&
           std::all_of(parts.begin(), parts.end(), [](const DataType& p) { return p.IsKnown(); });
  }
  bool operator==(const DataType&) const = default;
};

}  // namespace sippar::engine
