// The parts of SAMPLE n ROWS that query/execute needs. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/program.h"

namespace sippar::query {

// Returns the test that compares HASH64(row) with `bound` by `comparison`.
engine::Expression HashIs(engine::Function comparison, engine::Expression row, int64_t bound);
// Joins `test` and *where by AND.
void AddTest(engine::Expression test, std::optional<engine::Expression>* where);
// The program with which each tablet returns the `rows` least hashes of the rows that `program`
// reads.
engine::Program HashesOfRows(const engine::Program& program, uint64_t rows);

}  // namespace sippar::query
