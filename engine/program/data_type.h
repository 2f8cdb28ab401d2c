// The type of an expression's values as far as it is known before the expression runs. Every type
// includes NULL. Plain data: query/analyze finds it, cluster/api transmits it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/value.h"

namespace sippar::engine {

struct DataType {
  ValueType kind = ValueType::kNull;  // kNull: the type is not known
  std::vector<DataType> parts;        // ARRAY: item; MAP: key, value; STRUCT: its fields
  // STRUCT: the names of its fields; empty: the STRUCT is a version of a cell (timestamp, value).
  // The value of a STRUCT with names is a MAP from these names, in their order.
  std::vector<std::string> names;

  DataType() = default;
  DataType(ValueType kind_of_all, std::vector<DataType> parts_of_all = {})  // implicit conversion
      : kind(kind_of_all), parts(std::move(parts_of_all)) {}

  bool is_string() const { return kind == ValueType::kBytes || kind == ValueType::kText; }
  bool is_number() const { return kind == ValueType::kInt64 || kind == ValueType::kFloat64; }
  // True if the type and the types of all its parts are known.
  bool IsKnown() const {
    return kind != ValueType::kNull &&
           std::all_of(parts.begin(), parts.end(), [](const DataType& p) { return p.IsKnown(); });
  }
  bool operator==(const DataType&) const = default;
};

}  // namespace sippar::engine
