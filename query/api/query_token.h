// Tokens that a client keeps between calls: a prepared query, and the progress of an execution. The
// server keeps neither, so any server can continue an execution, and abandoned executions cost no
// memory. Pure. Decode returns false for bytes that are not such a token.
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
  uint64_t columns_hash = 0;  // hash of the result's column names and types
  int64_t valid_until_us = 0;

  std::string Encode() const;
  [[nodiscard]] static bool Decode(std::string_view bytes, PreparedToken* out);
};

struct ResumeToken {
  uint64_t prepared_hash = 0;  // hash of the prepared query's token
  int64_t now_us = 0;          // NOW() of the execution
  bool done = false;           // all rows were sent
  std::string row;             // key of the last table row that was sent completely
  uint64_t given = 0;          // result rows sent so far

  std::string Encode() const;
  [[nodiscard]] static bool Decode(std::string_view bytes, ResumeToken* out);
};

void EncodeType(const engine::DataType& type, std::string* out);

}  // namespace sippar::query
