// SPDX-License-Identifier: Apache-2.0
#include "query/execute/unpack.h"

#include <map>
#include <utility>

namespace sippar::query {

using engine::Row;
using engine::Value;

StatusOr<bool> UnpackVersions(const Row& row, const std::vector<size_t>& unpacked,
                              const std::function<StatusOr<bool>(Row row)>& give) {
  using Cells = std::vector<std::pair<size_t, const Value*>>;  // column and value
  std::map<int64_t, Cells, std::greater<>> times;
  for (size_t column : unpacked) {
    for (const Value& version : row[column].items()) {
      if (version.items().size() != 2) continue;  // a version has two items: a time and a value
      times[version.items()[0].integer()].emplace_back(column, &version.items()[1]);
    }
  }
  Row others = row;
  for (size_t column : unpacked) others[column] = Value::Null();
  for (const auto& [time, cells] : times) {
    Row out = others;
    for (const auto& [column, value] : cells) out[column] = *value;
    out.push_back(Value::Timestamp(time));
    ASSIGN_OR_RETURN(bool goes_on, give(std::move(out)));
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace sippar::query
