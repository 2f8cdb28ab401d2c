// SPDX-License-Identifier: Apache-2.0
#include "query/execute/unpack.h"

#include <functional>
#include <map>

namespace sippar::query {

using engine::Row;
using engine::Value;

std::vector<Row> UnpackVersions(const Row& row, const std::vector<size_t>& unpacked) {
  std::map<int64_t, Row, std::greater<>> rows;
  for (size_t column : unpacked) {
    for (const Value& version : row[column].items()) {
      if (version.items().size() != 2) continue;  // not a version: it has a time and a value
      const int64_t time = version.items()[0].integer();
      auto [found, is_new] = rows.try_emplace(time);
      Row& out = found->second;
      if (is_new) {
        out = row;
        for (size_t each : unpacked) out[each] = Value::Null();
        out.push_back(Value::Timestamp(time));
      }
      out[column] = version.items()[1];
    }
  }
  std::vector<Row> result;
  for (auto& [time, out] : rows) result.push_back(std::move(out));
  return result;
}

}  // namespace sippar::query
