// A stable sort that ends early when its budget reports an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/base/stop_budget.h"

namespace sippar::engine {

// Sorts short runs, then merges them pair by pair, and spends `budget` between these steps.
// std::sort cannot be ended early: it calls only the comparison, which must stay consistent to the
// end. After an error *items may have lost some of its items.
template <typename Item, typename Less>
[[nodiscard]] Status StoppableSort(std::vector<Item>* items, StopBudget* budget, Less less) {
  constexpr size_t kRun = 1024;
  size_t count = items->size();
  auto at = [](std::vector<Item>& of, size_t i) {
    return of.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (size_t begin = 0; begin < count; begin += kRun) {
    size_t end = std::min(begin + kRun, count);
    std::stable_sort(at(*items, begin), at(*items, end), less);
    RETURN_IF_ERROR(budget->Spend((end - begin) * StopBudget::kStep));
  }
  std::vector<Item> merged;
  merged.reserve(count);
  for (size_t run = kRun; run < count; run *= 2) {
    merged.clear();
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      size_t left = begin, middle = std::min(begin + run, count);
      size_t right = middle, end = std::min(begin + 2 * run, count);
      while (left < middle || right < end) {
        bool takes_right = left == middle || (right < end && less((*items)[right], (*items)[left]));
        merged.push_back(std::move((*items)[takes_right ? right++ : left++]));
        RETURN_IF_ERROR(budget->Spend());
      }
    }
    std::swap(*items, merged);
  }
  return OkStatus();
}

}  // namespace sippar::engine
