// RemadeFamily: the state of a family that a single client sometimes removes and creates again,
// with one cell a row. It decides which values a read may return (I1, I3).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/base/status.h"

namespace sippar::sim {

class RemadeFamily {
 public:
  // Records the write of a value that was never used before.
  void Wrote(const std::string& row, const std::string& value, const Status& status) {
    if (status.ok()) {
      rows_[row].written = value;
    } else {
      rows_[row].unknown.insert(value);  // the write may still be carried out later
    }
  }
  // Records an attempt to create the family again whose outcome is unknown. Until Remade is called,
  // any value may be read.
  void MayBeRemade() { vague_ = true; }
  void Remade() {
    vague_ = false;
    for (auto& [row, state] : rows_) state.written.reset();
  }
  // True if a read of the row may return `value`; nullopt: no cell.
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
    // Known to be written, unless a write of unknown outcome is newer.
    std::optional<std::string> written;
    std::set<std::string> unknown;  // values of any age whose writes have an unknown outcome
  };
  bool vague_ = false;
  std::map<std::string, Row> rows_;
};

}  // namespace sippar::sim
