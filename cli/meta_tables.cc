// Holds the shell commands that show which tables exist and what they contain.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/column_sample.h"
#include "cli/exit_code.h"
#include "cli/meta_commands.h"
#include "cli/signals.h"
#include "engine/base/utf8.h"
#include "query/session/text_width.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

// Limits of \d (few) and \d+ (many): enough cells to find the usual columns, but few enough that
// the user does not wait long.
constexpr uint64_t kFewCells = 2000;
constexpr size_t kFewColumns = 20;
constexpr uint64_t kManyCells = 50'000;
constexpr size_t kManyColumns = 200;

constexpr size_t kNameWidth = 40;
constexpr size_t kExampleWidth = 60;
constexpr size_t kExampleWidthMin = 12;
// Width that the table needs for its frame and for all fields but the name and the example. A table
// with examples needs kExampleFrame more for the frame.
constexpr size_t kOtherWidth = 39;
constexpr size_t kExampleFrame = 3;

std::string Cut(std::string text, size_t width) {
  // Line breaks and tabs become blanks, because escapes such as \n would only make an example
  // longer.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  std::string whole = engine::PrintEscaped(text);
  if (query::TextWidth(whole) <= width) return whole;
  std::string_view cut = whole;
  while (query::TextWidth(cut) + 1 > width) {
    cut.remove_suffix(1);
    // Removes the other continuation bytes of a UTF-8 character; its first byte is removed later,
    // so that the character is cut as a whole.
    while (!cut.empty() && engine::IsContinuation(cut.back())) {
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

// Keeps the `columns_max` most frequent columns and does not change their order. Returns the number
// of columns that it removed.
size_t KeepFrequent(ColumnSample* sample, size_t columns_max) {
  std::vector<uint64_t> counts;
  for (const SampledColumn& column : sample->columns) counts.push_back(column.rows);
  if (counts.size() <= columns_max) return 0;
  std::sort(counts.rbegin(), counts.rend());
  const uint64_t least = counts[columns_max];
  const size_t before = sample->columns.size();
  size_t more = 0;  // columns that are more frequent than the first removed one
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

// Widths of two columns of the output; 0: the column is left out.
struct Layout {
  size_t name = kNameWidth;
  size_t example = kExampleWidth;
};

std::string NameOf(const SampledColumn& column, size_t width) {
  return Cut(query::QuoteColumn(column.family, column.qualifier), width);
}

// `screen`: width of the terminal in columns; 0: no terminal.
Layout LayoutOf(const ColumnSample& sample, size_t screen) {
  Layout layout;
  if (screen == 0) return layout;
  // A narrow screen shows no examples, so that each column takes one line. With examples, each
  // column would take five lines.
  const size_t room = screen > kOtherWidth ? screen - kOtherWidth : kExampleWidthMin;
  layout.name = std::min(room, kNameWidth);
  size_t used = kExampleFrame;
  for (const SampledColumn& column : sample.columns) {
    used = std::max(used, kExampleFrame + query::TextWidth(NameOf(column, layout.name)));
  }
  const bool fits = used + kExampleWidthMin <= room;
  layout.example = fits ? std::min(room - used, kExampleWidth) : 0;
  return layout;
}

std::vector<query::ResultColumn> ColumnsOf(const Layout& layout) {
  std::vector<query::ResultColumn> columns = {
      {"column", {}}, {"rows", {}}, {"share", {}}, {"kind", {}}};
  if (layout.example > 0) columns.push_back({"example", {}});
  return columns;
}

std::vector<query::Row> RowsOf(const ColumnSample& sample, const Layout& layout) {
  using query::Value;
  std::vector<query::Row> rows;
  for (const SampledColumn& column : sample.columns) {
    query::Row& row = rows.emplace_back();
    row.push_back(Value::Text(NameOf(column, layout.name)));
    row.push_back(Value::Int64(static_cast<int64_t>(column.rows)));
    row.push_back(Value::Text(Share(column.rows, sample.rows)));
    row.push_back(Value::Text(column.kind));
    if (layout.example > 0) row.push_back(Value::Text(Cut(column.example, layout.example)));
  }
  return rows;
}

}  // namespace

int MetaCommands::ShowTables(const std::string& pattern) {
  return Statement(pattern.empty() ? "SHOW TABLES"
                                   : "SHOW TABLES LIKE " + query::QuoteText(pattern));
}

int MetaCommands::Describe(const std::string& table) {
  if (table.empty()) return Statement("SHOW TABLES");
  // The table's name is quoted, because the user typed a name and not a part of a statement.
  int code = Statement("DESCRIBE " + query::QuoteName(table));
  // A script gets only the families, without the table of columns.
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
  // Reads nothing inside BEGIN ROW: COMMIT would check the cells that were read.
  if (session == nullptr || !session->transaction().empty()) return kExitOk;
  CancelScope cancel(session, 0);
  auto sample = SampleColumns(session, table, "", cells_max);
  if (!sample.ok()) {
    runner_->PrintError(sample.status());
    return kExitFailed;
  }
  if (sample->columns.empty()) return kExitOk;
  const size_t left_out = KeepFrequent(&*sample, columns_max);
  const Layout layout = LayoutOf(*sample, runner_->output()->screen().columns);
  RowPrinter printer(*runner_->output_settings(), table, runner_->output());
  printer.Begin(ColumnsOf(layout));
  printer.Rows(RowsOf(*sample, layout));
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
