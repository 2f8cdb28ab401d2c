// Converts filters of the engine into filters of the API.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/bigtable/filter_to_proto.h"

namespace sippar::cluster {
namespace {

namespace v2 = google::bigtable::v2;
using engine::RowFilter;

void ListToProto(const RowFilter& filter,
                 google::protobuf::RepeatedPtrField<v2::RowFilter>* filters) {
  for (const RowFilter& inner : filter.filters) ToProto(inner, filters->Add());
}

void RangesToProto(const RowFilter& filter, v2::RowFilter* out) {
  if (filter.kind == RowFilter::kColumnRange) {
    out->mutable_column_range_filter()->set_family_name(filter.text);
    out->mutable_column_range_filter()->set_start_qualifier_closed(filter.range.start);
    if (filter.range.limit) {
      out->mutable_column_range_filter()->set_end_qualifier_open(*filter.range.limit);
    }
  } else if (filter.kind == RowFilter::kValueRange) {
    out->mutable_value_range_filter()->set_start_value_closed(filter.range.start);
    if (filter.range.limit) {
      out->mutable_value_range_filter()->set_end_value_open(*filter.range.limit);
    }
  } else {
    v2::TimestampRange* times = out->mutable_timestamp_range_filter();
    times->set_start_timestamp_micros(filter.time.start_us);
    if (filter.time.limit_us != engine::kTimeMax) {
      times->set_end_timestamp_micros(filter.time.limit_us);
    }
  }
}

}  // namespace

void ToProto(const RowFilter& filter, v2::RowFilter* out) {
  switch (filter.kind) {
    case RowFilter::kPassAll:
      return out->set_pass_all_filter(true);
    case RowFilter::kBlockAll:
      return out->set_block_all_filter(true);
    case RowFilter::kChain:
      return ListToProto(filter, out->mutable_chain()->mutable_filters());
    case RowFilter::kInterleave:
      return ListToProto(filter, out->mutable_interleave()->mutable_filters());
    case RowFilter::kCondition:
      ToProto(filter.filters[0], out->mutable_condition()->mutable_predicate_filter());
      ToProto(filter.filters[1], out->mutable_condition()->mutable_true_filter());
      return ToProto(filter.filters[2], out->mutable_condition()->mutable_false_filter());
    case RowFilter::kSink:
      return out->set_sink(true);
    case RowFilter::kRowSample:
      return out->set_row_sample_filter(filter.probability);
    case RowFilter::kRowKeyRegex:
      return out->set_row_key_regex_filter(filter.text);
    case RowFilter::kFamilyRegex:
      return out->set_family_name_regex_filter(filter.text);
    case RowFilter::kQualifierRegex:
      return out->set_column_qualifier_regex_filter(filter.text);
    case RowFilter::kValueRegex:
      return out->set_value_regex_filter(filter.text);
    case RowFilter::kColumnRange:
    case RowFilter::kValueRange:
    case RowFilter::kTimeRange:
      return RangesToProto(filter, out);
    case RowFilter::kRowOffset:
      return out->set_cells_per_row_offset_filter(static_cast<int32_t>(filter.count));
    case RowFilter::kRowLimit:
      return out->set_cells_per_row_limit_filter(static_cast<int32_t>(filter.count));
    case RowFilter::kColumnLimit:
      return out->set_cells_per_column_limit_filter(static_cast<int32_t>(filter.count));
    case RowFilter::kStripValue:
      return out->set_strip_value_transformer(true);
    case RowFilter::kLabel:
      return out->set_apply_label_transformer(filter.text);
    case RowFilter::kValueBitmask:
      out->mutable_value_bitmask_filter()->set_mask(filter.text);
  }
}

}  // namespace sippar::cluster
