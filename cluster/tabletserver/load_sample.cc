// SPDX-License-Identifier: Apache-2.0
#include "cluster/tabletserver/load_sample.h"

#include <algorithm>

namespace sippar::cluster {
namespace {

constexpr size_t kRowsMin = 16;     // fewest rows in a sample that can decide a split
constexpr size_t kSideDivisor = 4;  // least share of the calls on each side of a cut: 1/4

}  // namespace

std::optional<std::string> ChooseLoadMiddle(std::vector<std::string> rows) {
  if (rows.size() < kRowsMin) return std::nullopt;
  std::sort(rows.begin(), rows.end());
  const size_t middle = rows.size() / 2;
  // Tries the cuts closest to the middle first. No cut is possible between two equal rows.
  for (size_t distance = 0; distance <= middle - rows.size() / kSideDivisor; ++distance) {
    for (size_t cut : {middle + distance, middle - distance}) {
      if (rows[cut - 1] < rows[cut]) return std::move(rows[cut]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> LoadSample::MiddleRow(const std::string& start) const {
  std::vector<std::string> rows;
  {
    engine::MutexLock lock(&mutex_);
    rows = rows_;
  }
  for (std::string& row : rows) row = std::max(row, start);
  return ChooseLoadMiddle(std::move(rows));
}

void LoadSample::Keep(const std::string& row) {
  engine::MutexLock lock(&mutex_);
  if (rows_.size() < kRows) return rows_.push_back(row);
  rows_[oldest_++ % kRows] = row;
}

}  // namespace sippar::cluster
