// SPDX-License-Identifier: Apache-2.0
#include "engine/read/row_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/whole_regex.h"

namespace sippar::engine {
namespace {

constexpr size_t kLabelSizeMax = 15;  // Cloud Bigtable's limit

Status ValidateLabel(std::string_view label) {
  bool legal = !label.empty() && label.size() <= kLabelSizeMax &&
               std::all_of(label.begin(), label.end(), [](char c) {
                 return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
               });
  if (legal) return OkStatus();
  return InvalidArgument(
      fmt::format("apply_label_transformer '{}': a label has 1 to {} bytes of a-z, 0-9 and '-'",
                  label.substr(0, 40), kLabelSizeMax));
}

// A cell can carry one label, so only one link of a chain may set labels. The branches of an
// interleave label different copies.
Status ValidateChainLabels(const std::vector<RowFilter>& links) {
  auto labelled = std::count_if(links.begin(), links.end(),
                                [](const RowFilter& link) { return link.Has(RowFilter::kLabel); });
  if (labelled <= 1) return OkStatus();
  return InvalidArgument(
      fmt::format("apply_label_transformer occurs in {} filters of one chain; a cell can carry "
                  "one label",
                  labelled));
}

Status ValidateLeaf(const RowFilter& filter) {
  switch (filter.kind) {
    case RowFilter::kRowKeyRegex:
    case RowFilter::kFamilyRegex:
    case RowFilter::kQualifierRegex:
    case RowFilter::kValueRegex:
      return WholeRegex::Compile(filter.text).status();
    case RowFilter::kRowSample:
      if (filter.probability > 0 && filter.probability < 1) return OkStatus();
      return InvalidArgument(fmt::format(
          "row_sample_filter {}: the probability must be greater than 0 and less than 1",
          filter.probability));
    case RowFilter::kColumnRange:
    case RowFilter::kValueRange:
      if (!filter.range.limit || filter.range.start <= *filter.range.limit) return OkStatus();
      return InvalidArgument(fmt::format(
          "{}: the start of the range is after its end",
          filter.kind == RowFilter::kColumnRange ? "column_range_filter" : "value_range_filter"));
    case RowFilter::kTimeRange:
      if (filter.time.start_us <= filter.time.limit_us) return OkStatus();
      return InvalidArgument(
          fmt::format("timestamp_range_filter: its start {} us is after its end {} us",
                      filter.time.start_us, filter.time.limit_us));
    case RowFilter::kLabel:
      return ValidateLabel(filter.text);
    case RowFilter::kPassAll:
    case RowFilter::kBlockAll:
    case RowFilter::kChain:
    case RowFilter::kInterleave:
    case RowFilter::kCondition:
    case RowFilter::kSink:
    case RowFilter::kRowOffset:
    case RowFilter::kRowLimit:
    case RowFilter::kColumnLimit:
    case RowFilter::kStripValue:
    case RowFilter::kValueBitmask:
      break;
  }
  return OkStatus();
}

Status ValidateAt(const RowFilter& filter, size_t depth, bool in_condition) {
  // Checked before descending: the tree comes from a client, and its depth bounds the recursion
  // here and in run_filter.cc.
  if (depth > kFilterDepthMax) {
    return InvalidArgument(
        fmt::format("the filter is nested deeper than {} levels", kFilterDepthMax));
  }
  if (filter.kind == RowFilter::kSink && in_condition) {
    return InvalidArgument("a sink filter may not be inside a condition");
  }
  RETURN_IF_ERROR(ValidateLeaf(filter));
  if (filter.kind == RowFilter::kChain) RETURN_IF_ERROR(ValidateChainLabels(filter.filters));
  in_condition |= filter.kind == RowFilter::kCondition;
  for (const RowFilter& inner : filter.filters) {
    RETURN_IF_ERROR(ValidateAt(inner, depth + 1, in_condition));
  }
  return OkStatus();
}

}  // namespace

RowFilter RowFilter::Text(Kind kind, std::string_view text) {
  RowFilter filter = Of(kind);
  filter.text = text;
  return filter;
}

RowFilter RowFilter::Count(Kind kind, uint32_t count) {
  RowFilter filter = Of(kind);
  filter.count = count;
  return filter;
}

RowFilter RowFilter::List(Kind kind, std::vector<RowFilter> filters) {
  RowFilter filter = Of(kind);
  filter.filters = std::move(filters);
  return filter;
}

Status RowFilter::Validate() const { return ValidateAt(*this, 1, false); }

bool RowFilter::Has(Kind wanted) const {
  return kind == wanted || std::any_of(filters.begin(), filters.end(),
                                       [wanted](const RowFilter& f) { return f.Has(wanted); });
}

}  // namespace sippar::engine
