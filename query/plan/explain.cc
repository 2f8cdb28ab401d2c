// Prints the plan of a SELECT as the lines of EXPLAIN. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/plan/select_plan.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::NamePattern;
using engine::Program;

std::string PrintName(const NamePattern& name, bool family) {
  switch (name.kind) {
    case NamePattern::kAny:
      return "*";
    case NamePattern::kPrefix:
      return "^" + engine::PrintEscaped(name.text);
    case NamePattern::kRegex:
      return PrintRegex(name);
    case NamePattern::kExact:
      break;
  }
  // The name of a family has no bytes to escape (ValidateFamilyName); a qualifier may have any.
  return family ? name.text : engine::PrintEscaped(name.text);
}

std::string PrintColumns(const SelectPlan& plan) {
  const Program& program = plan.program;
  // An empty list of columns has two meanings: the row view then reads only row keys, but the cell
  // view reads every column.
  if (program.read.columns.empty()) return program.read.keys_only ? "none (keys only)" : "all";
  std::string text;
  // ChooseColumns added the last pattern *:*; it is described in words below.
  size_t count = program.read.columns.size() - (plan.reads_every_column ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    const engine::ColumnPattern& pattern = program.read.columns[i];
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", PrintName(pattern.family, true),
                        PrintName(pattern.qualifier, false));
  }
  if (plan.reads_every_column) text += "; every column is read: rows without these count too";
  return text;
}

// A range without a bound prints as ∞. The 19 digits of kTimeMin or kTimeMax would look like a time
// that the user wrote.
std::string PrintTime(int64_t time_us) {
  if (time_us == engine::kTimeMin) return "-∞";
  return time_us == engine::kTimeMax ? "∞" : fmt::format("{}", time_us);
}

std::string PrintRead(const engine::ReadSpec& read) {
  std::string text = read.versions_per_column == 0
                         ? "all versions"
                         : fmt::format("{} version{}", read.versions_per_column,
                                       read.versions_per_column == 1 ? "" : "s");
  if (read.versions_offset != 0) text += fmt::format(" after {}", read.versions_offset);
  if (!read.time.IsAll()) {
    text += fmt::format(", time [{}, {})", PrintTime(read.time.start_us),
                        PrintTime(read.time.limit_us));
  }
  if (read.cells_per_family != 0)
    text += fmt::format(", {} cells per family", read.cells_per_family);
  if (read.cells_per_row != 0) text += fmt::format(", {} cells per row", read.cells_per_row);
  if (read.strip_values) text += ", without values";
  if (read.reverse) text += ", reverse";
  return text;
}

// Prints what each slot holds: "$0 = row, $1 = newest of language:".
std::string PrintSlots(const SelectPlan& plan) {
  std::string text;
  const auto& slots = plan.program.slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    std::string_view name;
    switch (slots[i].kind) {
      case engine::SlotDef::kRow:
        name = "row";
        break;
      case engine::SlotDef::kFamily:
        name = "family";
        break;
      case engine::SlotDef::kQualifier:
        name = "qualifier";
        break;
      case engine::SlotDef::kColumn:
        name = "column";
        break;
      case engine::SlotDef::kTimestamp:
        name = "timestamp";
        break;
      case engine::SlotDef::kValue:
        name = "value";
        break;
      case engine::SlotDef::kNewest:
        name = "newest of";
        break;
      case engine::SlotDef::kNewestTime:
        name = "time of";
        break;
      case engine::SlotDef::kVersionCount:
        name = "versions of";
        break;
      case engine::SlotDef::kHistory:
        name = "history of";
        break;
      case engine::SlotDef::kMap:
        name = "map of";
        break;
      case engine::SlotDef::kMapHistory:
        name = "histories of";
        break;
      case engine::SlotDef::kLet:
        name = "let";
        break;
    }
    text += fmt::format("{}${} = {}", text.empty() ? "" : ", ", i, name);
    // Slots of the kinds from kNewest on hold the index of a pattern. kLet, the last kind, is the
    // exception: its index is the number of a LET value of ATOMIC.
    if (slots[i].kind >= engine::SlotDef::kNewest && slots[i].kind != engine::SlotDef::kLet) {
      const engine::ColumnPattern& pattern = plan.program.read.columns[slots[i].pattern];
      text += fmt::format(" {}:{}", PrintName(pattern.family, true),
                          PrintName(pattern.qualifier, false));
    }
  }
  return text;
}

// What this process does with the rows comes first and the tablets' part below it, as in a tree of
// operators: each line works on what the lines under it produce.
std::string FirstLine(const SelectPlan& plan) {
  std::string text = plan.program.aggregate ? "merge (partial aggregates)"
                     : plan.sorts           ? "merge (sort)"
                                            : "merge (storage order)";
  if (plan.having) text += fmt::format(", having {}", plan.having->Print());
  if (plan.distinct) text += ", distinct";
  if (plan.limit_by != kNoLimit) text += fmt::format(", limit {} by value", plan.limit_by);
  if (plan.offset > 0) text += fmt::format(", offset {}", plan.offset);
  if (plan.limit != kNoLimit) text += fmt::format(", limit {}", plan.limit);
  return text;
}

}  // namespace

std::vector<std::string> ExplainSelect(const SelectPlan& plan,
                                       const std::vector<cluster::TabletInfo>& tablets) {
  std::vector<std::string> lines = {FirstLine(plan)};
  std::string program = plan.program.Print();
  if (plan.source == SelectPlan::kTable) {
    size_t touched = 0;
    for (const cluster::TabletInfo& tablet : tablets) {
      // A scan visits a tablet only if the tablet's range contains wanted rows.
      engine::RowSet part = plan.program.read.rows.Intersection(engine::RowSet(tablet.range));
      if (!part.IsEmpty()) ++touched;
    }
    lines.push_back(
        fmt::format("  table {}: {} of {} tablets", plan.table, touched, tablets.size()));
    lines.push_back("    rows: " + plan.program.read.rows.Print());
    if (plan.sample_rows != 0) {
      lines.push_back(
          fmt::format("    sample: {} rows, by the hash of their keys", plan.sample_rows));
    }
    lines.push_back("    columns: " + PrintColumns(plan));
    lines.push_back("    cells: " + PrintRead(plan.program.read));
  } else if (plan.source == SelectPlan::kRelation) {
    lines.push_back(plan.unpacked.empty()
                        ? "  here, on the rows of the inner SELECT"
                        : "  here, on the versions in the rows of the inner SELECT");
  } else if (plan.source == SelectPlan::kValues) {
    lines.push_back(fmt::format("  here, on a list of {} items", plan.values.size()));
  } else {
    lines.push_back("  here, on one row");
  }
  std::string slots = PrintSlots(plan);
  if (!slots.empty()) lines.push_back("    program on " + slots);
  for (size_t at = 0; at < program.size();) {
    size_t end = program.find('\n', at);
    lines.push_back("      " + program.substr(at, end - at));
    at = end + 1;
  }
  // Only the innermost SELECT can read a table, so `tablets` are its tablets.
  if (plan.input != nullptr) {
    for (const std::string& line : ExplainSelect(*plan.input, tablets))
      lines.push_back("  " + line);
  }
  return lines;
}

}  // namespace sippar::query
