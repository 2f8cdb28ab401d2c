// The part of a table that a caller may access (an authorized view of the Cloud Bigtable API): rows
// by prefix; columns by family, and within it by name and prefix. Reads are narrowed to the view
// before they begin; writes outside it are refused. Plain data, pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/model/mutation.h"
#include "engine/model/read_spec.h"
#include "engine/read/row_filter.h"

namespace sippar::cluster {

struct TableView {
  struct Columns {
    std::vector<std::string> qualifiers;
    std::vector<std::string> prefixes;  // "": every column of the family
    bool Has(std::string_view qualifier) const;
    bool HasAll() const;
    bool operator==(const Columns&) const = default;
  };
  std::vector<std::string> row_prefixes;    // "": every row; no prefixes: no row
  std::map<std::string, Columns> families;  // allowed columns by family name

  engine::RowSet Rows() const;
  // kPermissionDenied names what lies outside the view. `families`: all families of the table.
  [[nodiscard]] Status CheckRow(std::string_view row) const;
  [[nodiscard]] Status CheckFamily(std::string_view family) const;
  [[nodiscard]] Status CheckColumn(std::string_view family, std::string_view qualifier) const;
  [[nodiscard]] Status CheckWrite(const engine::RowMutation& mutation,
                                  const std::vector<std::string>& families) const;
  bool operator==(const TableView&) const = default;
};

// Like engine::PushDownFilter, for a read through `view` (null: of the whole table).
[[nodiscard]] bool PushDownThroughView(const engine::RowFilter& filter,
                                       const std::vector<std::string>& families,
                                       const TableView* view, engine::ReadSpec* read);

}  // namespace sippar::cluster
