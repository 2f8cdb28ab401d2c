// The types of aggregates' results.
// SPDX-License-Identifier: Apache-2.0
#include "query/analyze/data_types.h"

namespace sippar::query {

using engine::AggregateDef;
using enum engine::ValueType;

DataType TypeOf(const AggregateDef& aggregate, const std::vector<DataType>& slots) {
  return TypeOf(aggregate,
                [&slots](uint32_t slot) { return slot < slots.size() ? slots[slot] : DataType(); });
}

DataType TypeOf(const AggregateDef& aggregate, const std::function<DataType(uint32_t)>& slots) {
  switch (aggregate.kind) {
    case AggregateDef::kCountRows:
    case AggregateDef::kCount:
    case AggregateDef::kCountDistinct:
    case AggregateDef::kApproxCountDistinct:
      return kInt64;
    case AggregateDef::kAvg:
      return TypeOf(aggregate.argument, slots).kind == kDuration ? kDuration : kFloat64;
    case AggregateDef::kSum: {
      DataType type = TypeOf(aggregate.argument, slots);
      // CheckAggregate has refused any other known type, so what is left is an argument of unknown
      // type.
      return type.is_number() || type.kind == kDuration ? type : DataType();
    }
    case AggregateDef::kMin:
    case AggregateDef::kMax:
    case AggregateDef::kAnyValue:
      return TypeOf(aggregate.argument, slots);
    case AggregateDef::kStringAgg: {
      DataType type = TypeOf(aggregate.argument, slots);
      return type.is_string() ? type : DataType();
    }
    // Each item is a MAP with the keys `count` and `value`. Their values may differ in type, so the
    // type of the MAP's values is unknown.
    case AggregateDef::kApproxTop:
      return DataType(kArray, {DataType(kMap, {kText, DataType()})});
    case AggregateDef::kApproxQuantiles:
    case AggregateDef::kArrayAgg:
      return DataType(kArray, {TypeOf(aggregate.argument, slots)});
  }
  return {};
}

}  // namespace sippar::query
