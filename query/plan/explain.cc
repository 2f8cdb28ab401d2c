// Prints the plan of a SELECT as the lines of EXPLAIN.
// SPDX-License-Identifier: Apache-2.0
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
  // If ChooseColumns has added *:* as the last pattern, the text below describes it in words.
  size_t count = program.read.columns.size() - (plan.reads_every_column ? 1 : 0);
  for (size_t i = 0; i < count; ++i) {
    const engine::ColumnPattern& pattern = program.read.columns[i];
    text += (text.empty() ? "" : ", ") + PrintColumn(pattern);
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

std::string PrintRead(const Program& program) {
  const engine::ReadSpec& read = program.read;
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
  if (program.source == Program::kEntries) text += ", hidden ones too, with deletes";
  return text;
}

std::string_view SlotName(engine::SlotDef::Kind kind) {
  switch (kind) {
    case engine::SlotDef::kRow:
      return "row";
    case engine::SlotDef::kFamily:
      return "family";
    case engine::SlotDef::kQualifier:
      return "qualifier";
    case engine::SlotDef::kColumn:
      return "column";
    case engine::SlotDef::kTimestamp:
      return "timestamp";
    case engine::SlotDef::kValue:
      return "value";
    case engine::SlotDef::kNewest:
      return "newest of";
    case engine::SlotDef::kNewestTime:
      return "time of";
    case engine::SlotDef::kVersionCount:
      return "versions of";
    case engine::SlotDef::kHistory:
      return "history of";
    case engine::SlotDef::kMap:
      return "map of";
    case engine::SlotDef::kMapHistory:
      return "histories of";
    case engine::SlotDef::kLet:
      return "let";
    case engine::SlotDef::kOp:
      return "op";
    case engine::SlotDef::kVisible:
      return "visible";
    case engine::SlotDef::kTimeFrom:
      return "time_from";
    case engine::SlotDef::kTimeTo:
      return "time_to";
    case engine::SlotDef::kSequence:
      return "sequence";
  }
  return "";
}

// Returns the first line of the plan: the work of this process. The work of the tablets is in the
// lines below it. As in a tree of operators, each line works on the rows of the lines below it.
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

std::string PrintColumn(const engine::ColumnPattern& pattern) {
  return fmt::format("{}:{}", PrintName(pattern.family, true), PrintName(pattern.qualifier, false));
}

std::vector<std::string> PrintSlots(const std::vector<engine::SlotDef>& slots,
                                    const std::vector<engine::ColumnPattern>& columns) {
  std::vector<std::string> out;
  for (size_t i = 0; i < slots.size(); ++i) {
    std::string& text = out.emplace_back(fmt::format("${} = {}", i, SlotName(slots[i].kind)));
    if (slots[i].kind == engine::SlotDef::kLet) {
      // For kLet, `pattern` names no column; it is the number of a LET value of ATOMIC.
      text += fmt::format(" {}", slots[i].pattern);
    } else if (engine::IsOfPattern(slots[i].kind)) {
      text += " " + PrintColumn(columns[slots[i].pattern]);
    }
  }
  return out;
}

std::vector<std::string> PrintUnnests(const SelectPlan& plan) {
  std::vector<std::string> out;
  for (const UnnestPlan& unnest : plan.unnests) {
    std::string& text = out.emplace_back(fmt::format("${}", unnest.item_at));
    if (unnest.offset_at) text += fmt::format(", ${}", *unnest.offset_at);
    text += fmt::format(" = each item of {}", unnest.list.Print());
    if (unnest.offset_at) text += " and its offset";
    if (unnest.keeps_row) text += ", NULL if there is none";
  }
  return out;
}

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
    lines.push_back("    cells: " + PrintRead(plan.program));
  } else if (!plan.unnests.empty()) {
    lines.push_back(fmt::format("  here, on lines of the rows below, whose values begin at ${}",
                                plan.unnest_columns));
    for (const std::string& unnest : PrintUnnests(plan)) lines.push_back("    " + unnest);
  } else if (plan.source == SelectPlan::kRelation) {
    lines.push_back(plan.unpacked.empty()
                        ? "  here, on the rows of the inner SELECT"
                        : "  here, on the versions in the rows of the inner SELECT");
  } else if (plan.source == SelectPlan::kValues) {
    lines.push_back(fmt::format("  here, on a list of {} items", plan.values.size()));
  } else {
    lines.push_back("  here, on one row");
  }
  std::string slots;
  for (const std::string& slot : PrintSlots(plan.program.slots, plan.program.read.columns)) {
    slots += (slots.empty() ? "" : ", ") + slot;
  }
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
