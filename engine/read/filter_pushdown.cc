// Only links of the outermost chain narrow the read, and only while everything before them treats
// each cell by itself: after a count, a condition, an interleave or a sink, a missing cell could
// change the result for other cells.
// SPDX-License-Identifier: Apache-2.0
#include "engine/read/filter_pushdown.h"

#include <algorithm>
#include <memory>

#include "engine/model/whole_regex.h"

namespace sippar::engine {
namespace {

// The columns that may matter: those of `families` whose qualifier matches the pattern.
struct ColumnNeed {
  std::vector<std::string> families;
  NamePattern qualifier;
};

std::shared_ptr<const WholeRegex> RegexOf(const RowFilter& filter) {
  auto regex = WholeRegex::Compile(filter.text);
  return regex.ok() ? *regex : nullptr;
}

std::string CommonPrefix(std::string_view a, std::string_view b) {
  auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return {a.begin(), differ.first};
}

// Of two patterns that must both match, returns the narrower one; an exact one if there is one.
NamePattern Narrower(const NamePattern& a, const NamePattern& b) {
  if (a.kind == NamePattern::kAny || b.kind == NamePattern::kExact) return b;
  if (a.kind == NamePattern::kExact || b.kind == NamePattern::kAny) return a;
  return a.text.size() > b.text.size() ? a : b;  // both are prefixes: the longer one is narrower
}

class PushDown {
 public:
  PushDown(const std::vector<std::string>& families, ReadSpec* read) : read_(read) {
    need_.families = families;
  }

  bool Run(const RowFilter& filter) {
    Link(filter);
    if (are_columns_narrowed_) SetColumns();
    return is_covered_;
  }

 private:
  void Link(const RowFilter& filter) {
    if (filter.kind == RowFilter::kPassAll) return;
    if (filter.kind == RowFilter::kChain) {
      for (const RowFilter& link : filter.filters) Link(link);
    } else if (filter.kind == RowFilter::kStripValue && !is_blocked_ && !are_values_read_) {
      // This is correct even after a link that counts cells: no cell is lost, only its value.
      read_->strip_values = true;
    } else if (is_blocked_ || is_counted_) {
      LeaveToFilter(filter);
    } else {
      Narrow(filter);
    }
  }

  void Narrow(const RowFilter& filter) {
    switch (filter.kind) {
      case RowFilter::kRowKeyRegex:
        return NarrowRows(filter);
      case RowFilter::kFamilyRegex:
      case RowFilter::kQualifierRegex:
      case RowFilter::kColumnRange:
        return NarrowColumns(filter);
      case RowFilter::kTimeRange:
        return NarrowTimes(filter);
      case RowFilter::kColumnLimit:
        return NarrowVersions(filter);
      case RowFilter::kRowLimit:
        return CountCells(filter);
      default:
        return LeaveToFilter(filter);
    }
  }

  // Notes that the filter must apply this link after the read. If the link looks at single cells or
  // whole rows, later links may still narrow the read.
  void LeaveToFilter(const RowFilter& filter) {
    is_covered_ = false;
    switch (filter.kind) {
      case RowFilter::kValueRegex:
      case RowFilter::kValueRange:
      case RowFilter::kValueBitmask:
        are_values_read_ = true;
        are_versions_exact_ = are_cells_exact_ = false;
        return;
      case RowFilter::kTimeRange:
        are_versions_exact_ = are_cells_exact_ = false;
        return;
      case RowFilter::kRowSample:
      case RowFilter::kRowKeyRegex:
      case RowFilter::kLabel:
        return;
      default:
        is_blocked_ = true;
    }
  }

  void NarrowRows(const RowFilter& filter) {
    auto regex = RegexOf(filter);
    std::string prefix = regex->prefix();
    bool nothing = regex->is_literal() && prefix.empty();  // no row has an empty key
    RowSet rows(regex->is_literal() ? RowRange::Single(prefix) : RowRange::Prefix(prefix));
    read_->rows = nothing ? RowSet() : read_->rows.Intersection(rows);
    is_covered_ &= regex->is_literal();
  }

  void NarrowColumns(const RowFilter& filter) {
    are_columns_narrowed_ = true;
    if (filter.kind == RowFilter::kQualifierRegex) {
      auto regex = RegexOf(filter);
      std::string prefix = regex->prefix();
      AddQualifier(regex->is_literal() ? NamePattern::Exact(prefix) : NamePattern::Prefix(prefix));
      if (!regex->is_literal()) LeaveColumns();
    } else if (filter.kind == RowFilter::kFamilyRegex) {
      auto regex = RegexOf(filter);
      std::erase_if(need_.families, [&](const std::string& name) { return !regex->Matches(name); });
    } else {
      std::erase_if(need_.families, [&](const std::string& name) { return name != filter.text; });
      if (filter.range.limit) {
        AddQualifier(NamePattern::Prefix(CommonPrefix(filter.range.start, *filter.range.limit)));
      }
      LeaveColumns();
    }
  }

  // The read can use only one pattern; if there are two, the filter must check the other.
  void AddQualifier(const NamePattern& pattern) {
    if (pattern.kind == NamePattern::kPrefix && pattern.text.empty()) return;
    if (need_.qualifier.kind != NamePattern::kAny && need_.qualifier != pattern) LeaveColumns();
    need_.qualifier = Narrower(need_.qualifier, pattern);
  }

  // Notes that the read returns columns that the filter drops. Each column is complete, so the read
  // may still count versions.
  void LeaveColumns() { is_covered_ = are_cells_exact_ = false; }

  void NarrowTimes(const RowFilter& filter) {
    // The read checks times before it counts versions, so a limit on versions that comes before
    // this link in the chain forbids narrowing.
    if (read_->versions_per_column != 0) return LeaveToFilter(filter);
    read_->time.start_us = std::max(read_->time.start_us, filter.time.start_us);
    read_->time.limit_us = std::min(read_->time.limit_us, filter.time.limit_us);
  }

  void NarrowVersions(const RowFilter& filter) {
    if (!are_versions_exact_ || filter.count == 0) return LeaveToFilter(filter);
    uint32_t& versions = read_->versions_per_column;
    versions = versions == 0 ? filter.count : std::min(versions, filter.count);
  }

  void CountCells(const RowFilter& filter) {
    is_counted_ = true;
    if (are_cells_exact_ && filter.count != 0) {
      read_->cells_per_row = filter.count;
    } else {
      is_covered_ = false;
    }
  }

  void SetColumns() {
    if (need_.families.empty()) read_->rows = RowSet();
    for (const std::string& family : need_.families) {
      read_->columns.push_back({NamePattern::Exact(family), need_.qualifier});
    }
  }

  ReadSpec* read_;
  ColumnNeed need_;
  bool are_columns_narrowed_ = false;
  bool is_covered_ = true;       // the read alone does the work of all links so far
  bool are_cells_exact_ = true;  // the read returns exactly the cells that the links so far leave
  // The read returns of each column exactly the versions that the links so far leave, but perhaps
  // also columns that the filter drops.
  bool are_versions_exact_ = true;
  bool are_values_read_ = false;  // true if one of the links so far reads values
  // True if one of the links so far counts the row's cells. The read may then drop no
  // further cells, only strip their values.
  bool is_counted_ = false;
  // True if one of the links so far is left to the filter and, for that reason, later links may not
  // narrow the read.
  bool is_blocked_ = false;
};

}  // namespace

bool PushDownFilter(const RowFilter& filter, const std::vector<std::string>& families,
                    ReadSpec* read) {
  return PushDown(families, read).Run(filter);
}

}  // namespace sippar::engine
