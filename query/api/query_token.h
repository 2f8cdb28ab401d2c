// What a client keeps for us between calls: a prepared query, and how far an execution came. The
// server remembers neither, so any server can go on and none runs out of memory. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/program/data_type.h"

namespace sippar::query {

struct PreparedToken {
  std::string table_prefix;
  std::string text;
  std::map<std::string, engine::DataType> params;
  uint64_t columns_hash = 0;  // of names and types: another schema gives others
  int64_t valid_until_us = 0;

  std::string Encode() const;
  [[nodiscard]] static bool Decode(std::string_view bytes, PreparedToken* out);
};

struct ResumeToken {
  uint64_t prepared_hash = 0;  // of the query's token
  int64_t now_us = 0;          // NOW() of the execution
  bool done = false;           // nothing follows
  std::string row;             // the last that was given completely
  uint64_t given = 0;          // rows of the result so far

  std::string Encode() const;
  [[nodiscard]] static bool Decode(std::string_view bytes, ResumeToken* out);
};

void EncodeType(const engine::DataType& type, std::string* out);

}  // namespace sippar::query
