// Row filters by their definition: every filter is a function from a list of cells to a list of
// cells, all of a row in memory. Random filter trees over the names of random_history.h.
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

// What `filter` gives for the cells of one row, copies of a cell in any order. Requires: valid, no
// kRowSample. *is_open is set when different copies of one cell are counted: which of them counts
// first is nobody's promise.
std::vector<ModelCell> RunFilterModel(const RowFilter& filter, const std::vector<Cell>& row,
                                      bool* is_open);

// Lines "family:qualifier@time=value label", copies of a cell sorted.
std::string PrintModelCells(std::vector<ModelCell> cells);

// A filter that Validate accepts.
RowFilter RandomFilter(Random* random);

}  // namespace sippar::engine
