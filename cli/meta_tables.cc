// Commands of the shell that show which tables there are and what is in them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/column_sample.h"
#include "cli/exit_code.h"
#include "cli/meta_commands.h"
#include "cli/signals.h"
#include "query/session/text_width.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

// Bounds of \d and \d+: enough cells for the usual columns, at a wait that a user accepts.
constexpr uint64_t kFewCells = 2000;
constexpr size_t kFewColumns = 20;
constexpr uint64_t kManyCells = 50'000;
constexpr size_t kManyColumns = 200;

constexpr size_t kNameWidth = 40;
constexpr size_t kExampleWidth = 60;
constexpr size_t kExampleWidthMin = 12;
constexpr size_t kOtherWidth = 42;  // columns of the screen for rows, share, kind and the frame

std::string Cut(const std::string& text, size_t width) {
  std::string whole = engine::PrintEscaped(text);
  if (query::TextWidth(whole) <= width) return whole;
  std::string_view cut = whole;
  while (query::TextWidth(cut) + 1 > width) {
    cut.remove_suffix(1);
    // Whole characters only: continuation bytes of UTF-8 go with their first byte.
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xc0) == 0x80) {
      cut.remove_suffix(1);
    }
  }
  while (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xc0) cut.remove_suffix(1);
  return std::string(cut) + "…";
}

std::string Share(uint64_t part, uint64_t whole) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 1 ? "< 1 %" : fmt::format("{:.0f} %", percent);
}

// The most frequent columns, in the order of the families. Says how many are left out.
size_t KeepFrequent(ColumnSample* sample, size_t columns_max) {
  std::vector<uint64_t> counts;
  for (const SampledColumn& column : sample->columns) counts.push_back(column.rows);
  if (counts.size() <= columns_max) return 0;
  std::sort(counts.rbegin(), counts.rend());
  const uint64_t least = counts[columns_max];
  const size_t before = sample->columns.size();
  size_t more = 0;  // columns that are more frequent than the first that is left out
  for (const SampledColumn& column : sample->columns) more += column.rows > least;
  size_t ties = columns_max - more;
  std::erase_if(sample->columns, [&](const SampledColumn& column) {
    if (column.rows > least) return false;
    if (column.rows < least || ties == 0) return true;
    --ties;
    return false;
  });
  return before - sample->columns.size();
}

}  // namespace

int MetaCommands::ShowTables(const std::string& pattern) {
  return Statement(pattern.empty() ? "SHOW TABLES"
                                   : "SHOW TABLES LIKE " + query::QuoteText(pattern));
}

int MetaCommands::Describe(const std::string& table) {
  if (table.empty()) return Statement("SHOW TABLES");
  // Quoted, as the user wrote a name and not a piece of a statement.
  int code = Statement("DESCRIBE " + query::QuoteName(table));
  // A script that reads the families gets no second table.
  if (code != kExitOk || !runner_->settings()->interactive) return code;
  return ShowColumns(table, kFewCells, kFewColumns);
}

int MetaCommands::DescribeMore(const std::string& table) {
  if (table.empty()) return Fail("\\d+ needs a table");
  const std::string name = query::QuoteName(table);
  for (const char* statement : {"DESCRIBE ", "SHOW TABLETS OF ", "SHOW CREATE TABLE "}) {
    if (int code = Statement(statement + name); code != kExitOk) return code;
  }
  return ShowColumns(table, kManyCells, kManyColumns);
}

int MetaCommands::ShowColumns(const std::string& table, uint64_t cells_max, size_t columns_max) {
  query::Session* session = runner_->store()->session();
  // Inside BEGIN ROW a read would become part of what COMMIT checks.
  if (session == nullptr || !session->transaction().empty()) return kExitOk;
  CancelScope cancel(session, 0);
  auto sample = SampleColumns(session, table, "", cells_max);
  if (!sample.ok()) {
    runner_->PrintError(sample.status());
    return kExitFailed;
  }
  if (sample->columns.empty()) return kExitOk;
  const size_t left_out = KeepFrequent(&*sample, columns_max);
  size_t names = 0;
  std::vector<query::Row> rows;
  for (const SampledColumn& column : sample->columns) {
    names = std::max(names, query::TextWidth(Cut(
                                query::QuoteColumn(column.family, column.qualifier), kNameWidth)));
  }
  const size_t screen = runner_->output()->screen().columns;
  const size_t room = screen > names + kOtherWidth ? screen - names - kOtherWidth : 0;
  const size_t width = screen == 0 ? kExampleWidth : std::max(room, kExampleWidthMin);
  for (const SampledColumn& column : sample->columns) {
    using query::Value;
    rows.push_back(
        {Value::Text(Cut(query::QuoteColumn(column.family, column.qualifier), kNameWidth)),
         Value::Int64(static_cast<int64_t>(column.rows)),
         Value::Text(Share(column.rows, sample->rows)), Value::Text(column.kind),
         Value::Text(Cut(column.example, std::min(width, kExampleWidth)))});
  }
  RowPrinter printer(*runner_->output_settings(), table, runner_->output());
  printer.Begin({{"column", {}}, {"rows", {}}, {"share", {}}, {"kind", {}}, {"example", {}}});
  printer.Rows(std::move(rows));
  Status printed = printer.End("", true);
  runner_->output()->EndPager();
  if (!printed.ok()) return Fail(MessageOf(printed));
  if (!runner_->settings()->interactive) return kExitOk;
  std::string foot =
      fmt::format("columns of {} {}{}\n", sample->rows, sample->rows == 1 ? "row" : "rows",
                  sample->is_whole ? ", which are all" : " that were looked at");
  if (left_out > 0) foot += fmt::format("{} less frequent columns are not shown\n", left_out);
  runner_->output()->Write(foot);
  return kExitOk;
}

}  // namespace sippar::cli
