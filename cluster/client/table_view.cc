// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/table_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/printable.h"
#include "engine/read/filter_pushdown.h"

namespace sippar::cluster {
namespace {

using engine::ColumnPattern;
using engine::MutationEntry;
using engine::NamePattern;

bool StartsWithAny(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](const std::string& prefix) { return text.starts_with(prefix); });
}

// Returns the pattern of the names that both `a` and `b` match; nullopt: no name. It handles exact
// names, prefixes and "any", which are the only kinds of patterns that the push-down makes.
std::optional<NamePattern> Both(const NamePattern& a, const NamePattern& b) {
  if (a.kind == NamePattern::kAny) return b;
  if (b.kind == NamePattern::kAny) return a;
  const NamePattern& longer = a.text.size() >= b.text.size() ? a : b;
  const NamePattern& shorter = &longer == &a ? b : a;
  if (shorter.kind == NamePattern::kExact) {
    bool same = a.text == b.text;
    return same ? std::optional(shorter) : std::nullopt;
  }
  if (!longer.text.starts_with(shorter.text)) return std::nullopt;
  return longer;
}

// The view's columns as patterns of which no two match the same column, so that no column is read
// twice.
std::vector<NamePattern> PatternsOf(const TableView::Columns& columns) {
  std::vector<std::string> prefixes = columns.prefixes;
  std::sort(prefixes.begin(), prefixes.end());
  std::vector<NamePattern> patterns;
  for (const std::string& prefix : prefixes) {
    bool is_new = patterns.empty() || !prefix.starts_with(patterns.back().text);
    if (is_new) patterns.push_back(NamePattern::Prefix(prefix));
  }
  for (const std::string& qualifier : columns.qualifiers) {
    if (!StartsWithAny(qualifier, prefixes)) patterns.push_back(NamePattern::Exact(qualifier));
  }
  return patterns;
}

// Restricts the rows and columns of `read` to those of the view. This must follow the push-down of
// the filter: what the filter sees is then already limited, so no filter can look past the view.
void Narrow(const TableView& view, engine::ReadSpec* read) {
  read->rows = read->rows.Intersection(view.Rows());
  std::vector<ColumnPattern> wanted = std::move(read->columns);
  read->columns.clear();
  for (const auto& [family, columns] : view.families) {
    for (const NamePattern& allowed : PatternsOf(columns)) {
      if (wanted.empty()) read->columns.push_back({NamePattern::Exact(family), allowed});
      for (const ColumnPattern& pattern : wanted) {
        if (pattern.family.text != family) continue;
        std::optional<NamePattern> both = Both(pattern.qualifier, allowed);
        if (both) read->columns.push_back({NamePattern::Exact(family), std::move(*both)});
      }
    }
  }
  // A read without patterns reads every column. So if the view has none of the wanted columns, the
  // read must get an empty set of rows.
  if (read->columns.empty()) read->rows = engine::RowSet();
}

Status Outside(const std::string& what) {
  return PermissionDenied(fmt::format("{} lies outside the Authorized View", what));
}

}  // namespace

bool TableView::Columns::Has(std::string_view qualifier) const {
  return std::find(qualifiers.begin(), qualifiers.end(), qualifier) != qualifiers.end() ||
         StartsWithAny(qualifier, prefixes);
}

bool TableView::Columns::HasAll() const {
  return std::find(prefixes.begin(), prefixes.end(), "") != prefixes.end();
}

engine::RowSet TableView::Rows() const {
  engine::RowSet rows;
  for (const std::string& prefix : row_prefixes) rows.Add(engine::RowRange::Prefix(prefix));
  return rows;
}

Status TableView::CheckRow(std::string_view row) const {
  if (StartsWithAny(row, row_prefixes)) return OkStatus();
  return Outside(fmt::format("row '{}'", engine::PrintableBytes(row.substr(0, 100))));
}

Status TableView::CheckFamily(std::string_view family) const {
  if (families.contains(std::string(family))) return OkStatus();
  return Outside(fmt::format("family '{}'", engine::PrintableBytes(family.substr(0, 100))));
}

Status TableView::CheckColumn(std::string_view family, std::string_view qualifier) const {
  auto found = families.find(std::string(family));
  if (found != families.end() && found->second.Has(qualifier)) return OkStatus();
  return Outside(
      fmt::format("column '{}:{}'", family, engine::PrintableBytes(qualifier.substr(0, 100))));
}

Status TableView::CheckWrite(const engine::RowMutation& mutation,
                             const std::vector<std::string>& table_families) const {
  RETURN_IF_ERROR(CheckRow(mutation.row));
  auto has_all = [this](const std::string& family) {
    auto found = families.find(family);
    return found != families.end() && found->second.HasAll();
  };
  for (const MutationEntry& entry : mutation.entries) {
    if (entry.kind == MutationEntry::kDeleteRow) {
      // The delete would also remove columns outside the view, unless the view contains all columns
      // of every family of the table.
      bool is_whole = std::all_of(table_families.begin(), table_families.end(), has_all);
      if (!is_whole)
        return Outside(fmt::format("a part of row '{}', which the call would delete,",
                                   engine::PrintableBytes(mutation.row.substr(0, 100))));
    } else if (entry.kind == MutationEntry::kDeleteFamily) {
      if (!has_all(entry.family)) return Outside(fmt::format("a part of family {}", entry.family));
    } else {
      RETURN_IF_ERROR(CheckColumn(entry.family, entry.qualifier));
    }
  }
  return OkStatus();
}

bool PushDownThroughView(const engine::RowFilter& filter, const std::vector<std::string>& families,
                         const TableView* view, engine::ReadSpec* read) {
  bool is_covered = PushDownFilter(filter, families, read);
  if (view != nullptr) Narrow(*view, read);
  return is_covered;
}

}  // namespace sippar::cluster
