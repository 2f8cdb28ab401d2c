// A model of row filters by their definition: every filter is a function from a list of cells to a
// list of cells, with all cells of a row in memory. Also makes random filter trees over the names
// of random_history.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/model/cell.h"
#include "engine/read/row_filter.h"

namespace sippar::engine {

struct ModelCell {
  Cell cell;
  std::string label;
  uint64_t position = 0;
};

// Returns the cells that `filter` outputs for the cells of one row; copies of a cell come in any
// order. Requires: the filter is valid and has no kRowSample. Sets *is_open if the filter counts
// different copies of one cell, because the order in which copies count is not defined.
std::vector<ModelCell> RunFilterModel(const RowFilter& filter, const std::vector<Cell>& row,
                                      bool* is_open);

// Prints lines "family:qualifier@time=value label"; copies of a cell are sorted.
std::string PrintModelCells(std::vector<ModelCell> cells);

// Returns a filter that Validate accepts.
RowFilter RandomFilter(Random* random);

}  // namespace sippar::engine
