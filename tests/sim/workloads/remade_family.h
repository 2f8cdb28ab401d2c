// What a client that works alone knows of a family that it makes anew now and then, one cell a row:
// which values a read may show (I1, I3). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/base/status.h"

namespace sippar::sim {

class RemadeFamily {
 public:
  // A new value, never used before.
  void Wrote(const std::string& row, const std::string& value, const Status& status) {
    if (status.ok()) {
      rows_[row].written = value;
    } else {
      rows_[row].unknown.insert(value);  // may also be done yet
    }
  }
  // An attempt to make it anew whose outcome is unknown: so is whether what was written, or will
  // be, stays.
  void MayBeRemade() { vague_ = true; }
  void Remade() {
    vague_ = false;
    for (auto& [row, state] : rows_) state.written.reset();
  }
  // nullopt: the row has none.
  bool MayShow(const std::string& row, const std::optional<std::string>& value) const {
    if (vague_) return true;
    auto found = rows_.find(row);
    if (found == rows_.end()) return !value.has_value();
    return value == found->second.written ||
           (value.has_value() && found->second.unknown.contains(*value));
  }
  bool is_vague() const { return vague_; }

 private:
  struct Row {
    std::optional<std::string> written;  // known to be there, unless a later one is
    std::set<std::string> unknown;       // of any age
  };
  bool vague_ = false;
  std::map<std::string, Row> rows_;
};

}  // namespace sippar::sim
