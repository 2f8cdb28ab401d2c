// RowSelection: the rows that a query directory shows, and the names of such directories. A chain
// such as .prefix/a/.where/x restricts the rows from left to right. Node::selection holds the steps
// of the chain as bytes. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/row_set.h"
#include "fuse/tree/name_codec.h"

namespace sippar::fuse {

inline constexpr size_t kSelectionStepsMax = 8;

struct RowSelection {
  engine::RowRange range;
  std::vector<std::string> tests;    // tests of .where, in the query language; all must be true
  std::optional<uint64_t> rows_max;  // the n of .first/<n>: limit of the number of rows
  size_t steps = 0;
};
// Requires: `bytes` came from AddStep.
RowSelection DecodeSelection(std::string_view bytes);

// True if `name` is the home directory of a step: .prefix, .range, .where or .first.
bool IsSelectionHome(std::string_view name);

// The meaning of a name in a home directory.
struct SelectionStep {
  std::string canonical;  // canonical spelling of the name
  std::string selection;  // selection of the directory above, with this step added
};
// kNotFound: no step has such a name (programs look up .git everywhere). kInvalidArgument: the step
// is not valid, with the reason. Does not parse tests.
[[nodiscard]] StatusOr<SelectionStep> AddStep(const NameCodec& codec, std::string_view selection,
                                              std::string_view home, std::string_view name);

}  // namespace sippar::fuse
