// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/tablet_places.h"

#include <algorithm>
#include <iterator>

namespace sippar::cluster::master {

using engine::RowRange;
using engine::RowSet;

namespace {

RowSet SetOf(const std::vector<RowRange>& rows) {
  RowSet set;
  for (const RowRange& range : rows) set.Add(range);
  return set;
}

}  // namespace

std::vector<TabletPlace> WithHoles(const std::vector<RowRange>& rows,
                                   std::vector<TabletPlace> found) {
  RowSet covered;
  for (const TabletPlace& place : found) covered.Add(place.range);
  const RowSet missing = SetOf(rows).Intersection(covered.Complement());
  for (const RowRange& hole : missing.ranges()) {
    TabletPlace& place = found.emplace_back();
    place.range = hole;
  }
  std::stable_sort(found.begin(), found.end(), [](const TabletPlace& a, const TabletPlace& b) {
    return a.range.start < b.range.start;
  });
  return found;
}

std::vector<RowRange> RowsWithin(const std::vector<RowRange>& rows, const RowRange& range) {
  return SetOf(rows).Intersection(RowSet(range)).ranges();
}

bool MayHaveMoved(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kNotFound ||
         status.code() == StatusCode::kAborted || HasCause(status, Cause::kNotServed);
}

bool EndsWork(const Status& status) {
  return MayHaveMoved(status) || status.code() == StatusCode::kDeadlineExceeded ||
         status.code() == StatusCode::kCancelled;
}

}  // namespace sippar::cluster::master
