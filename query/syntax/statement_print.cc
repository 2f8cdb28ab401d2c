// Prints statements.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/syntax/ast_print.h"
#include "query/syntax/option_print.h"

namespace sippar::query {
namespace {

using syntax::Identifier;
using syntax::OptionalExpr;

std::string Name(const Identifier& name) { return QuoteName(name.text); }

// Prints the items, separated by commas.
template <typename Items, typename Printer>
std::string Join(const Items& items, Printer printer) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ", ";
    out += printer(item);
  }
  return out;
}

// The blank before the words belongs to the clause, so that clauses that are left out leave no gap.
std::string Clause(std::string_view words, const OptionalExpr& expr) {
  return expr ? fmt::format(" {} {}", words, Print(*expr)) : "";
}

std::string Exprs(const std::vector<syntax::Expr>& exprs) {
  return Join(exprs, [](const syntax::Expr& expr) { return Print(expr); });
}

std::string Patterns(const std::vector<syntax::PatternNode>& patterns) {
  return Join(patterns, [](const syntax::PatternNode& pattern) { return Print(pattern); });
}

// Aliases always print with AS: without it a soft keyword such as `time` would not be read as an
// alias.
std::string Items(const std::vector<syntax::SelectItem>& items) {
  return Join(items, [](const syntax::SelectItem& item) {
    std::string text = item.star ? "*" : Print(item.expr);
    return item.alias.empty() ? text : fmt::format("{} AS {}", text, Name(item.alias));
  });
}

// Prints TIME even if it has no bounds: the tree remembers that the clause was written, since a
// second TIME is refused.
std::string TimeRange(bool present, const OptionalExpr& from, const OptionalExpr& to) {
  if (!present) return "";
  return " TIME" + Clause("FROM", from) + Clause("TO", to);
}

std::string CellsPer(std::string_view what, const std::optional<syntax::CellsPer>& per) {
  if (!per) return "";
  return fmt::format(" CELLS PER {} {}{}", what, Print(per->count), Clause("OFFSET", per->offset));
}

// The options print in one fixed order, since the tree does not keep their order in the text.
// Options before and after WHERE are in the same member of the tree.
std::string Read(const syntax::ReadOptions& read) {
  std::string out = Clause("AS OF", read.as_of);
  out += read.versions_all ? " VERSIONS ALL" : Clause("VERSIONS", read.versions);
  out += TimeRange(read.time, read.time_from, read.time_to);
  out += CellsPer("ROW", read.cells_per_row) + CellsPer("FAMILY", read.cells_per_family) +
         CellsPer("COLUMN", read.cells_per_column);
  if (read.with_deletes) out += " WITH DELETES";
  if (read.strip_values) out += " STRIP VALUES";
  if (read.reverse) out += " REVERSE";
  static constexpr const char* kUnits[] = {"", " PERCENT", " ROWS"};
  return out + Clause("SAMPLE", read.sample) + kUnits[read.sample_unit];
}

std::string LimitText(const std::optional<syntax::Limit>& limit) {
  if (!limit) return "";
  // ROWS is the default and is not printed.
  std::string out = fmt::format(" LIMIT {}", Print(limit->count));
  if (limit->unit == syntax::Limit::kCells) out += " CELLS";
  return out + Clause("BY", limit->by) + Clause("OFFSET", limit->offset);
}

std::string Assigns(const std::vector<syntax::Assign>& assigns) {
  return Join(assigns, [](const syntax::Assign& assign) {
    constexpr std::string_view kSigns[] = {"=", "+=", "||="};  // indexed by Assign::Op
    return fmt::format("{} {} {}{}", Print(assign.column), kSigns[assign.op], Print(assign.value),
                       Clause("AT", assign.at));
  });
}

std::string Tuples(const std::vector<syntax::Tuple>& tuples) {
  return Join(tuples,
              [](const syntax::Tuple& tuple) { return fmt::format("({})", Exprs(tuple.values)); });
}

std::string Target(const syntax::ColumnTarget& target) {
  if (target.kind == syntax::ColumnTarget::kRow) return "ROW";
  if (target.kind == syntax::ColumnTarget::kTimestamp) return "TIMESTAMP";
  return Print(target.column);
}

std::string Times(const syntax::TimeSpan& times) {
  std::string out = TimeRange(times.time, times.from, times.to);
  return times.at.empty() ? out : fmt::format("{} AT {}", out, Exprs(times.at));
}

std::string Returning(const std::vector<syntax::SelectItem>& items) {
  return items.empty() ? "" : " RETURNING " + Items(items);
}

// `condition` is IF NOT EXISTS of ALTER TABLE; a family of CREATE TABLE has no condition.
std::string Family(const syntax::FamilyDef& family, std::string_view condition = "") {
  return fmt::format("FAMILY {}{}{}", condition, Name(family.name),
                     PrintOptionsAfter(family.options));
}

std::string Group(const syntax::GroupDef& group, std::string_view condition = "") {
  return fmt::format("LOCALITY GROUP {}{} ({}){}", condition, Name(group.name),
                     Join(group.families, Name), PrintOptionsAfter(group.options));
}

std::string Block(const std::vector<syntax::RowStatement>& block);

std::string RowText(const syntax::RowStatement& statement) {
  using syntax::RowStatement;
  switch (statement.kind) {
    case RowStatement::kIf: {
      std::string out = fmt::format("IF {} {}", Print(statement.expr), Block(statement.then_block));
      if (!statement.has_else) return out;
      const auto& other = statement.else_block;
      // The parser reads ELSE IF as an ELSE block of one IF, so both forms print as the same text.
      bool chain = other.size() == 1 && other[0].kind == RowStatement::kIf;
      return out + " ELSE " + (chain ? RowText(other[0]) : Block(other));
    }
    case RowStatement::kSet:
      return "SET " + Assigns(statement.assigns);
    case RowStatement::kDelete:
      return "DELETE " + (statement.delete_row ? "ROW" : Patterns(statement.patterns)) +
             Times(statement.times);
    case RowStatement::kLet:
      return fmt::format("LET {} = {}", Name(statement.name), Print(statement.expr));
    case RowStatement::kFail:
      return "FAIL " + Print(statement.expr);
    case RowStatement::kReturn:
      return "RETURN " + Items(statement.items);
  }
  return "";
}

std::string Block(const std::vector<syntax::RowStatement>& block) {
  std::string out = "{ ";
  for (const syntax::RowStatement& statement : block) out += RowText(statement) + "; ";
  return out + "}";
}

std::string Action(const syntax::AlterAction& action) {
  using syntax::AlterAction;
  std::string_view if_exists = action.if_exists ? "IF EXISTS " : "";
  std::string_view if_not_exists = action.if_not_exists ? "IF NOT EXISTS " : "";
  switch (action.kind) {
    case AlterAction::kAddFamily:
      return "ADD " + Family(action.family, if_not_exists);
    case AlterAction::kAddGroup:
      return "ADD " + Group(action.group, if_not_exists);
    case AlterAction::kAlterFamily:
      return "ALTER " + Family(action.family);
    case AlterAction::kAlterGroup:
      return "ALTER " + Group(action.group);
    case AlterAction::kDropFamily:
      return fmt::format("DROP FAMILY {}{}", if_exists, Name(action.family.name));
    case AlterAction::kDropGroup:
      return "DROP LOCALITY GROUP " + Name(action.group.name);
    case AlterAction::kSetOptions:
      return fmt::format("SET ({})", Join(action.options, PrintOption));
    case AlterAction::kRenameTable:
      return "RENAME TO " + Name(action.new_name);
    case AlterAction::kRenameFamily:
      return fmt::format("RENAME FAMILY {} TO {}", Name(action.family.name), Name(action.new_name));
  }
  return "";
}

// Prints each kind of statement; the overload is chosen by std::visit. A page token
// identifies its SELECT by a hash of this text (plan/plan_limits.cc), so SELECTs that differ must
// not print alike.
struct StatementPrinter {
  std::string operator()(const syntax::Select& select) const {
    std::string out = "SELECT ";
    if (select.cells) out += "CELLS ";
    if (select.distinct) out += "DISTINCT ";
    out += Items(select.items);
    if (select.from) out += " FROM " + Print(*select.from) + Read(select.read);
    for (const syntax::Source& unnest : select.unnests) {
      out += (unnest.keeps_row ? " LEFT JOIN " : ", ") + Print(unnest);
    }
    out += Clause("WHERE", select.where);
    if (!select.group_by.empty()) out += " GROUP BY " + Exprs(select.group_by);
    out += Clause("HAVING", select.having);
    if (!select.order_by.empty()) {
      out += " ORDER BY " + Join(select.order_by, [](const syntax::OrderItem& item) {
               return Print(item.expr) + (item.descending ? " DESC" : "");
             });
    }
    return out + LimitText(select.limit) +
           Clause(select.after_row ? "AFTER ROW" : "AFTER", select.after);
  }
  std::string operator()(const syntax::Tail& tail) const {
    std::string out = "TAIL " + Name(tail.table);
    if (!tail.patterns.empty()) out += " " + Patterns(tail.patterns);
    return out + Clause("WHERE", tail.where) + Clause("FROM", tail.from) + Clause("TO", tail.to) +
           LimitText(tail.limit);
  }
  std::string operator()(const syntax::Insert& insert) const {
    std::string out = "INSERT INTO " + Name(insert.table) + " ";
    switch (insert.kind) {
      case syntax::Insert::kRow:
        return fmt::format("{}ROW {} SET {}{}", out, Print(insert.row), Assigns(insert.assigns),
                           Clause("IF", insert.condition));
      case syntax::Insert::kTuples:
        return fmt::format("{}({}) VALUES {}{}", out, Join(insert.columns, Target),
                           Tuples(insert.tuples), Clause("AT", insert.at));
      case syntax::Insert::kCells:
        return fmt::format("{}CELLS VALUES {}", out, Tuples(insert.tuples));
      case syntax::Insert::kSelect:
        if (!insert.columns.empty()) out += fmt::format("({}) ", Join(insert.columns, Target));
        return out + Print(*insert.select);
    }
    return out;
  }
  std::string operator()(const syntax::Update& update) const {
    return fmt::format("UPDATE {} SET {} WHERE {}{}{}", Name(update.table), Assigns(update.assigns),
                       Print(update.where), Clause("IF", update.condition),
                       Returning(update.returning));
  }
  std::string operator()(const syntax::Delete& remove) const {
    return fmt::format("DELETE {}{}FROM {}{}{}{}", Patterns(remove.patterns),
                       remove.patterns.empty() ? "" : " ", Name(remove.table), Times(remove.times),
                       remove.all_rows ? " ALL ROWS" : Clause("WHERE", remove.where),
                       Clause("IF", remove.condition));
  }
  std::string operator()(const syntax::Increment& increment) const {
    return fmt::format("INCREMENT {} {}{} WHERE {}{}", Name(increment.table),
                       Print(increment.column), Clause("BY", increment.by), Print(increment.where),
                       Returning(increment.returning));
  }
  std::string operator()(const syntax::Append& append) const {
    return fmt::format("APPEND {} TO {} {} WHERE {}{}", Print(append.value), Name(append.table),
                       Print(append.column), Print(append.where), Returning(append.returning));
  }
  std::string operator()(const syntax::Atomic& atomic) const {
    return fmt::format("ATOMIC ON {} ROW {} {}", Name(atomic.table), Print(atomic.row),
                       Block(atomic.block));
  }
  std::string operator()(const syntax::BeginRow& begin) const {
    return fmt::format("BEGIN ROW {} {}", Name(begin.table), Print(begin.row));
  }
  std::string operator()(const syntax::Commit&) const { return "COMMIT"; }
  std::string operator()(const syntax::Rollback&) const { return "ROLLBACK"; }
  std::string operator()(const syntax::CreateTable& create) const {
    std::string out = fmt::format("CREATE TABLE {}{} ",
                                  create.if_not_exists ? "IF NOT EXISTS " : "", Name(create.table));
    if (!create.like.empty()) {
      out += "LIKE " + Name(create.like);
    } else {
      std::string families =
          Join(create.families, [](const auto& family) { return Family(family); });
      std::string groups = Join(create.groups, [](const auto& group) { return Group(group); });
      std::string_view comma = families.empty() || groups.empty() ? "" : ", ";
      out += fmt::format("({}{}{})", families, comma, groups);
    }
    out += PrintWithOptions(create.options);
    if (!create.split_at.empty()) out += fmt::format(" SPLIT AT ({})", Exprs(create.split_at));
    return out;
  }
  std::string operator()(const syntax::AlterTable& alter) const {
    return fmt::format("ALTER TABLE {} {}", Name(alter.table), Join(alter.actions, Action));
  }
  std::string operator()(const syntax::DropTable& drop) const {
    return fmt::format("DROP TABLE {}{}", drop.if_exists ? "IF EXISTS " : "", Name(drop.table));
  }
  std::string operator()(const syntax::Show& show) const {
    // LOCALITY GROUPS and CREATE TABLE are two keywords each and must not be quoted as one name.
    // The parser writes these two itself; any other name has a blank only if it was in backquotes.
    bool words = show.what.text.find(' ') != std::string::npos;
    std::string out = "SHOW " + (words ? show.what.text : Name(show.what));
    if (show.what.text == "CREATE TABLE") {
      out += " " + Name(show.table);
    } else if (!show.table.empty()) {
      out += " OF " + Name(show.table);
    }
    return out + Clause("LIKE", show.like) + Clause("WHERE", show.where);
  }
  std::string operator()(const syntax::Describe& describe) const {
    return "DESCRIBE " + Name(describe.table);
  }
  std::string operator()(const syntax::Import& import_file) const {
    std::string out =
        fmt::format("IMPORT INTO {} FROM {}", Name(import_file.table), Print(import_file.from));
    if (!import_file.format.empty()) out += " FORMAT " + Name(import_file.format);
    if (!import_file.mapping.empty()) {
      out += fmt::format(" ({})", Join(import_file.mapping, [](const syntax::MapItem& item) {
                           return fmt::format("{} = {}", Target(item.target), Print(item.value));
                         }));
    }
    return out + PrintWithOptions(import_file.options);
  }
  std::string operator()(const syntax::Export& export_file) const {
    std::string what = export_file.select ? fmt::format("({})", Print(*export_file.select))
                                          : "TABLE " + Name(export_file.table);
    std::string out = fmt::format("EXPORT {} TO {}", what, Print(export_file.to));
    if (!export_file.format.empty()) out += " FORMAT " + Name(export_file.format);
    return out + PrintWithOptions(export_file.options);
  }
  std::string operator()(const syntax::SetOption& set) const {
    // ON and ALL are keywords here, not names.
    bool word = set.value.kind == syntax::ExprKind::kName &&
                (set.value.name == "ON" || set.value.name == "ALL");
    return fmt::format("SET {} = {}", Name(set.name), word ? set.value.name : Print(set.value));
  }
  std::string operator()(const syntax::ResetOption& reset) const {
    return "RESET " + (reset.name.empty() ? "ALL" : Name(reset.name));
  }
  std::string operator()(const syntax::Compact& compact) const {
    std::string out = "COMPACT TABLE " + Name(compact.table);
    if (!compact.group.empty()) out += " LOCALITY GROUP " + Name(compact.group);
    if (!compact.kind.empty()) out += " " + compact.kind.text;
    return out + Clause("WHERE", compact.where);
  }
  std::string operator()(const syntax::Flush& flush) const {
    return "FLUSH TABLE " + Name(flush.table);
  }
  std::string operator()(const syntax::SplitTable& split) const {
    return fmt::format("SPLIT TABLE {} AT ({})", Name(split.table), Exprs(split.at));
  }
  std::string operator()(const syntax::MergeTablets& merge) const {
    return "MERGE TABLETS OF " + Name(merge.table) + Clause("WHERE", merge.where);
  }
  std::string operator()(const syntax::MoveTablet& move) const {
    return fmt::format("MOVE TABLET OF {} ROW {} TO {}", Name(move.table), Print(move.row),
                       Print(move.server));
  }
  std::string operator()(const syntax::Balance& balance) const {
    if (balance.mode.empty()) return "BALANCE";
    return "BALANCE " + (balance.mode.text == "ON" ? balance.mode.text : Name(balance.mode));
  }
  std::string operator()(const syntax::Backup& backup) const {
    return fmt::format("BACKUP TABLE {} AS {}{}", Name(backup.table), Name(backup.name),
                       PrintWithOptions(backup.options));
  }
  std::string operator()(const syntax::Restore& restore) const {
    return fmt::format("RESTORE TABLE {} FROM {}{}", Name(restore.table), Name(restore.backup),
                       Clause("AS OF", restore.as_of));
  }
  std::string operator()(const syntax::AlterBackup& alter) const {
    return fmt::format("ALTER BACKUP {} SET ({})", Name(alter.name),
                       Join(alter.options, PrintOption));
  }
  std::string operator()(const syntax::DropBackup& drop) const {
    return fmt::format("DROP BACKUP {}{}", drop.if_exists ? "IF EXISTS " : "", Name(drop.name));
  }
  std::string operator()(const syntax::Cancel& cancel) const {
    std::string out = "CANCEL ";
    if (!cancel.kind.empty()) out += Name(cancel.kind) + " ";
    return out + Print(cancel.id);
  }
  std::string operator()(const syntax::Explain& explain) const {
    std::string out = "EXPLAIN ";
    if (explain.analyze) out += "ANALYZE ";
    if (!explain.format.empty()) out += fmt::format("FORMAT {} ", Name(explain.format));
    return out + Print(*explain.statement);
  }
  std::string operator()(const syntax::Other& other) const {
    std::string out;
    // A blank separates any two words: `words` has only tokens, without comments and line breaks.
    for (const std::string& word : other.words) out += (out.empty() ? "" : " ") + word;
    return out;
  }
};

}  // namespace

std::string Print(const syntax::Select& select) { return StatementPrinter()(select); }

std::string Print(const syntax::Statement& statement) {
  return std::visit(StatementPrinter(), statement.node);
}

}  // namespace sippar::query
