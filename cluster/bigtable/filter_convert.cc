// SPDX-License-Identifier: Apache-2.0
#include "cluster/bigtable/filter_convert.h"

#include <fmt/format.h>

#include "cluster/bigtable/data_convert.h"

namespace sippar::cluster {
namespace {

using engine::RowFilter;
namespace v2 = google::bigtable::v2;

StatusOr<RowFilter> Convert(const v2::RowFilter& proto, size_t depth);

template <typename List>
StatusOr<RowFilter> ConvertList(RowFilter::Kind kind, const List& list, size_t depth) {
  RowFilter filter = RowFilter::Of(kind);
  for (const v2::RowFilter& inner : list.filters()) {
    ASSIGN_OR_RETURN(RowFilter converted, Convert(inner, depth + 1));
    filter.filters.push_back(std::move(converted));
  }
  return filter;
}

// A missing branch blocks all cells.
StatusOr<RowFilter> ConvertCondition(const v2::RowFilter::Condition& proto, size_t depth) {
  if (!proto.has_predicate_filter()) {
    return InvalidArgument("condition: predicate_filter is missing");
  }
  RowFilter block = RowFilter::Of(RowFilter::kBlockAll);
  RowFilter filter = RowFilter::List(RowFilter::kCondition, {block, block, block});
  ASSIGN_OR_RETURN(filter.filters[0], Convert(proto.predicate_filter(), depth + 1));
  if (proto.has_true_filter()) {
    ASSIGN_OR_RETURN(filter.filters[1], Convert(proto.true_filter(), depth + 1));
  }
  if (proto.has_false_filter()) {
    ASSIGN_OR_RETURN(filter.filters[2], Convert(proto.false_filter(), depth + 1));
  }
  return filter;
}

StatusOr<RowFilter> MustBeTrue(RowFilter::Kind kind, bool value, const char* field) {
  if (value) return RowFilter::Of(kind);
  return InvalidArgument(fmt::format("{} is false; it can only be true", field));
}

StatusOr<RowFilter> Count(RowFilter::Kind kind, int32_t count, const char* field) {
  if (count >= 0) return RowFilter::Count(kind, static_cast<uint32_t>(count));
  return InvalidArgument(fmt::format("{} is {}; it may not be negative", field, count));
}

// Ranges of qualifiers and values are half-open in the engine: an open start and a closed end
// become the successor of their bytes. If a request sets neither the open nor the closed form of a
// bound, the range has no such bound.
RowFilter ConvertColumnRange(const v2::ColumnRange& proto) {
  RowFilter filter = RowFilter::Text(RowFilter::kColumnRange, proto.family_name());
  if (proto.has_start_qualifier_closed()) filter.range.start = proto.start_qualifier_closed();
  if (proto.has_start_qualifier_open()) {
    filter.range.start = engine::RowSuccessor(proto.start_qualifier_open());
  }
  if (proto.has_end_qualifier_open()) filter.range.limit = proto.end_qualifier_open();
  if (proto.has_end_qualifier_closed()) {
    filter.range.limit = engine::RowSuccessor(proto.end_qualifier_closed());
  }
  return filter;
}

RowFilter ConvertValueRange(const v2::ValueRange& proto) {
  RowFilter filter = RowFilter::Of(RowFilter::kValueRange);
  if (proto.has_start_value_closed()) filter.range.start = proto.start_value_closed();
  if (proto.has_start_value_open()) {
    filter.range.start = engine::RowSuccessor(proto.start_value_open());
  }
  if (proto.has_end_value_open()) filter.range.limit = proto.end_value_open();
  if (proto.has_end_value_closed()) {
    filter.range.limit = engine::RowSuccessor(proto.end_value_closed());
  }
  return filter;
}

// The API forbids a ':' anywhere in this regular expression, even where the ':' would not have to
// match a ':' in the family name.
StatusOr<RowFilter> ConvertFamilyRegex(const std::string& regex) {
  if (regex.find(':') == std::string::npos) return RowFilter::Text(RowFilter::kFamilyRegex, regex);
  return InvalidArgument(
      "family_name_regex_filter: it contains ':', which the API forbids in this filter; remove it "
      "(no family name has a ':')");
}

StatusOr<RowFilter> ConvertTimes(const v2::TimestampRange& proto) {
  RowFilter filter = RowFilter::Of(RowFilter::kTimeRange);
  ASSIGN_OR_RETURN(filter.time, TimesFromProto(proto));
  return filter;
}

StatusOr<RowFilter> Convert(const v2::RowFilter& proto, size_t depth) {
  // The depth is checked before the recursion, which would otherwise overflow the stack.
  if (depth > engine::kFilterDepthMax) {
    return InvalidArgument(
        fmt::format("the filter is nested deeper than {} levels", engine::kFilterDepthMax));
  }
  switch (proto.filter_case()) {
    case v2::RowFilter::kChain:
      return ConvertList(RowFilter::kChain, proto.chain(), depth);
    case v2::RowFilter::kInterleave:
      return ConvertList(RowFilter::kInterleave, proto.interleave(), depth);
    case v2::RowFilter::kCondition:
      return ConvertCondition(proto.condition(), depth);
    case v2::RowFilter::kSink:
      return MustBeTrue(RowFilter::kSink, proto.sink(), "sink");
    case v2::RowFilter::kPassAllFilter:
      return MustBeTrue(RowFilter::kPassAll, proto.pass_all_filter(), "pass_all_filter");
    case v2::RowFilter::kBlockAllFilter:
      return MustBeTrue(RowFilter::kBlockAll, proto.block_all_filter(), "block_all_filter");
    case v2::RowFilter::kStripValueTransformer:
      return MustBeTrue(RowFilter::kStripValue, proto.strip_value_transformer(),
                        "strip_value_transformer");
    case v2::RowFilter::kRowKeyRegexFilter:
      return RowFilter::Text(RowFilter::kRowKeyRegex, proto.row_key_regex_filter());
    case v2::RowFilter::kFamilyNameRegexFilter:
      return ConvertFamilyRegex(proto.family_name_regex_filter());
    case v2::RowFilter::kColumnQualifierRegexFilter:
      return RowFilter::Text(RowFilter::kQualifierRegex, proto.column_qualifier_regex_filter());
    case v2::RowFilter::kValueRegexFilter:
      return RowFilter::Text(RowFilter::kValueRegex, proto.value_regex_filter());
    case v2::RowFilter::kColumnRangeFilter:
      return ConvertColumnRange(proto.column_range_filter());
    case v2::RowFilter::kValueRangeFilter:
      return ConvertValueRange(proto.value_range_filter());
    case v2::RowFilter::kTimestampRangeFilter:
      return ConvertTimes(proto.timestamp_range_filter());
    case v2::RowFilter::kRowSampleFilter: {
      RowFilter filter = RowFilter::Of(RowFilter::kRowSample);
      filter.probability = proto.row_sample_filter();
      return filter;
    }
    case v2::RowFilter::kCellsPerRowOffsetFilter:
      return Count(RowFilter::kRowOffset, proto.cells_per_row_offset_filter(),
                   "cells_per_row_offset_filter");
    case v2::RowFilter::kCellsPerRowLimitFilter:
      return Count(RowFilter::kRowLimit, proto.cells_per_row_limit_filter(),
                   "cells_per_row_limit_filter");
    case v2::RowFilter::kCellsPerColumnLimitFilter:
      return Count(RowFilter::kColumnLimit, proto.cells_per_column_limit_filter(),
                   "cells_per_column_limit_filter");
    case v2::RowFilter::kApplyLabelTransformer:
      return RowFilter::Text(RowFilter::kLabel, proto.apply_label_transformer());
    case v2::RowFilter::kValueBitmaskFilter:
      return RowFilter::Text(RowFilter::kValueBitmask, proto.value_bitmask_filter().mask());
    case v2::RowFilter::FILTER_NOT_SET:
      break;
  }
  // An empty message is no filter, so it passes every cell.
  return RowFilter();
}

}  // namespace

StatusOr<RowFilter> FilterFromProto(const v2::RowFilter& proto) {
  // The size of the message is checked before it is converted, so that no large copy is made.
  if (size_t size = proto.ByteSizeLong(); size > engine::kFilterSizeMax) {
    return InvalidArgument(
        fmt::format("the filter has {} bytes; the limit is {}", size, engine::kFilterSizeMax));
  }
  ASSIGN_OR_RETURN(RowFilter filter, Convert(proto, 1));
  RETURN_IF_ERROR(filter.Validate());
  return filter;
}

}  // namespace sippar::cluster
