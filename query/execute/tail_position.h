// Encodes how far TAIL has read the changes of each part of a table, as the text that TAIL … FROM
// takes. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/row_set.h"

namespace sippar::query {

struct TailPart {
  engine::RowRange rows;
  std::string token;     // position in the changes of these rows; "": `start_us` is the position
  int64_t start_us = 0;  // start of the commit times to read; used only if `token` is ""
  bool operator==(const TailPart&) const = default;
};

struct TailPosition {
  uint64_t table_id = 0;
  std::vector<TailPart> parts;
  bool operator==(const TailPosition&) const = default;
};

std::string EncodeTailPosition(const TailPosition& position);
// nullopt if `text` is not a position.
std::optional<TailPosition> DecodeTailPosition(std::string_view text);

}  // namespace sippar::query
