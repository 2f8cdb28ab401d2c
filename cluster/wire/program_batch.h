// Encodes a batch of rows that a program returned; it is then sent in pieces. Decoding checks its
// input: kInvalidArgument if it is damaged. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/program/run_program.h"

namespace sippar::cluster {

// The encoded form of a batch is
//   version | number of rows | each row: number of values, values | last row | rows seen |
//   cells seen
std::string EncodeBatch(const engine::ProgramBatch& batch);
[[nodiscard]] StatusOr<engine::ProgramBatch> DecodeBatch(std::string_view bytes);

}  // namespace sippar::cluster
