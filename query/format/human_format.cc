// Formats for people: box, line, plain and markdown; and null, which prints nothing.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "query/format/formatters.h"
#include "query/session/text_width.h"

namespace sippar::query {
namespace {

using engine::PrintEscaped;
using engine::Row;
using engine::Value;

// The box format computes the widths of the columns from this number of first rows. To use all rows
// it would have to hold the whole result in memory.
constexpr size_t kRowsBuffered = 1000;

std::string Spaces(size_t count) { return std::string(count, ' '); }

std::vector<std::string> Escaped(const std::vector<std::string>& columns) {
  std::vector<std::string> out;
  for (const std::string& column : columns) out.push_back(PrintEscaped(column));
  return out;
}

// The lines of a value. TEXT keeps its line breaks (SHOW CREATE TABLE). BYTES may be a whole web
// page, so a newline in them is escaped like any other byte.
std::vector<std::string> ValueLines(const Value& value, const FormatOptions& options) {
  // NULL is never cut or escaped: the user chose the text.
  if (value.is_null()) return {options.null_text};
  // The lines of a TEXT are not cut: a CREATE TABLE that was cut could not be run again.
  bool lines =
      value.type() == engine::ValueType::kText && value.bytes().find('\n') != std::string::npos;
  if (!lines) return {CutText(value.Print(), options.value_width_max)};
  std::vector<std::string> out;
  std::string_view text = value.bytes();
  while (true) {
    size_t end = std::min(text.find('\n'), text.size());
    out.push_back(PrintEscaped(text.substr(0, end)));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

// The characters of one horizontal line of a box.
struct Frame {
  std::string_view left, middle, right, line;
};

class BoxFormatter : public ResultFormatter {
 public:
  explicit BoxFormatter(const FormatOptions& options) : options_(options) {}

  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    columns_ = Escaped(columns);
    for (const std::string& column : columns_) widths_.push_back(TextWidth(column));
    return OkStatus();
  }

  void Add(const Row& row, std::string* out) override {
    TextRow text;
    for (const Value& value : row) {
      text.cells.push_back(ValueLines(value, options_));
      text.right.push_back(value.is_number());
      text.null.push_back(value.is_null());
    }
    if (started_) {
      PrintRow(text, out);
      return;
    }
    for (size_t i = 0; i < text.cells.size() && i < widths_.size(); ++i) {
      for (const std::string& line : text.cells[i]) {
        widths_[i] = std::max(widths_[i], TextWidth(line));
      }
    }
    rows_.push_back(std::move(text));
    // The widths of the columns are fixed after this row. A wider value in a later row makes its
    // line longer than the frame, but the formatter need not hold the rows in memory.
    if (rows_.size() == kRowsBuffered) Start(out);
  }

  void AddGap(uint64_t, std::string* out) override {
    TextRow dots;
    dots.cells.assign(columns_.size(), {options_.unicode ? "…" : "..."});
    dots.right.assign(columns_.size(), false);
    // Dimmed like NULL, because the dots are not values.
    dots.null.assign(columns_.size(), true);
    if (started_) {
      PrintRow(dots, out);
    } else {
      rows_.push_back(std::move(dots));
    }
  }

  void End(const FormatEnd& end, std::string* out) override {
    if (!started_) Start(out);
    Rule(options_.unicode ? Frame{"└", "┴", "┘", "─"} : Frame{"+", "+", "+", "-"}, out);
    if (!end.next.empty()) *out += fmt::format("next: {}\n", PrintEscaped(end.next));
  }

 private:
  struct TextRow {
    std::vector<std::vector<std::string>> cells;  // lines of each cell, at least one
    std::vector<bool> right;                      // cell is aligned right
    std::vector<bool> null;                       // cell is dimmed
  };

  void Rule(const Frame& frame, std::string* out) {
    for (size_t i = 0; i < widths_.size(); ++i) {
      *out += i == 0 ? frame.left : frame.middle;
      // The width of the rule includes the two blanks around the text of a cell.
      for (size_t k = 0; k < widths_[i] + 2; ++k) *out += frame.line;
    }
    *out += frame.right;
    *out += "\n";
  }

  void Start(std::string* out) {
    started_ = true;
    Rule(options_.unicode ? Frame{"┌", "┬", "┐", "─"} : Frame{"+", "+", "+", "-"}, out);
    TextRow header;
    for (const std::string& column : columns_) header.cells.push_back({column});
    header.right.assign(columns_.size(), false);
    header.null.assign(columns_.size(), false);
    PrintRow(header, out);
    Rule(options_.unicode ? Frame{"├", "┼", "┤", "─"} : Frame{"+", "+", "+", "-"}, out);
    for (const TextRow& row : rows_) PrintRow(row, out);
    rows_.clear();
  }

  void PrintRow(const TextRow& row, std::string* out) {
    size_t lines = 1;
    for (const auto& cell : row.cells) lines = std::max(lines, cell.size());
    for (size_t line = 0; line < lines; ++line) {
      for (size_t i = 0; i < row.cells.size(); ++i) {
        bool dim = row.null[i] && options_.color;
        PrintCell(line < row.cells[i].size() ? row.cells[i][line] : "", i, row.right[i], dim, out);
      }
      *out += options_.unicode ? "│\n" : "|\n";
    }
  }

  void PrintCell(const std::string& text, size_t i, bool right, bool dim, std::string* out) {
    size_t width = TextWidth(text);
    // A value may be wider than its column, whose width the first rows set; it gets no padding
    // then.
    size_t pad = i < widths_.size() && widths_[i] > width ? widths_[i] - width : 0;
    *out += options_.unicode ? "│ " : "| ";
    if (right) *out += Spaces(pad);
    if (dim) *out += "\x1b[2m";
    *out += text;
    if (dim) *out += "\x1b[0m";
    if (!right) *out += Spaces(pad);
    *out += " ";
  }

  FormatOptions options_;
  std::vector<std::string> columns_;
  std::vector<size_t> widths_;
  std::vector<TextRow> rows_;
  bool started_ = false;
};

// Prints each field on a line of its own, after a line with the number of the row. For rows that
// are too wide for a box.
class LineFormatter : public ResultFormatter {
 public:
  explicit LineFormatter(const FormatOptions& options) : options_(options) {}

  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    columns_ = Escaped(columns);
    for (const std::string& column : columns_) width_ = std::max(width_, TextWidth(column));
    return OkStatus();
  }

  void AddGap(uint64_t rows, std::string* out) override {
    ResultFormatter::AddGap(rows, out);
    // The rows that are left out keep their numbers.
    rows_ += rows;
  }

  void Add(const Row& row, std::string* out) override {
    *out += fmt::format("-- row {} --\n", ++rows_);
    for (size_t i = 0; i < row.size() && i < columns_.size(); ++i) {
      *out += Spaces(width_ - TextWidth(columns_[i])) + columns_[i] + " = ";
      std::vector<std::string> lines = ValueLines(row[i], options_);
      for (size_t k = 0; k < lines.size(); ++k) {
        *out += (k == 0 ? "" : Spaces(width_ + 3)) + lines[k] + "\n";
      }
    }
  }

  void End(const FormatEnd& end, std::string* out) override {
    if (!end.next.empty()) *out += fmt::format("next: {}\n", PrintEscaped(end.next));
  }

 private:
  FormatOptions options_;
  std::vector<std::string> columns_;
  size_t width_ = 0;
  uint64_t rows_ = 0;
};

// Separates fields by " | " and prints no header, as in the examples of query/LANGUAGE.md.
class PlainFormatter : public ResultFormatter {
 public:
  explicit PlainFormatter(const FormatOptions& options) : options_(options) {}
  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    // SHOW CREATE TABLE is recognized by the name of its column, because a formatter sees only
    // columns and rows.
    is_statement_ = columns.size() == 1 && columns[0] == kStatementColumn;
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    if (is_statement_) {
      for (const std::string& line : ValueLines(row[0], options_)) *out += line + "\n";
      return;
    }
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) *out += " | ";
      *out += row[i].is_null() ? options_.null_text : row[i].Print();
    }
    *out += "\n";
  }
  void End(const FormatEnd& end, std::string* out) override {
    if (!end.next.empty()) *out += fmt::format("next: {}\n", PrintEscaped(end.next));
  }

 private:
  FormatOptions options_;
  bool is_statement_ = false;
};

class MarkdownFormatter : public ResultFormatter {
 public:
  explicit MarkdownFormatter(const FormatOptions& options) : options_(options) {}
  Status Begin(const std::vector<std::string>& columns, std::string* out) override {
    std::string rule = "|";
    *out += "|";
    for (const std::string& column : columns) {
      *out += " " + Cell(PrintEscaped(column)) + " |";
      rule += "---|";
    }
    *out += "\n" + rule + "\n";
    return OkStatus();
  }
  void Add(const Row& row, std::string* out) override {
    *out += "|";
    for (const Value& value : row) {
      *out += " " + Cell(value.is_null() ? options_.null_text : value.Print()) + " |";
    }
    *out += "\n";
  }
  void End(const FormatEnd&, std::string*) override {}

 private:
  // Escapes the characters that have a special meaning inside a Markdown table or in HTML.
  static std::string Cell(std::string_view text) {
    constexpr std::string_view kSpecial = "|\\`*_<>[]";
    std::string out;
    for (char c : text) {
      if (kSpecial.find(c) != std::string_view::npos) out.push_back('\\');
      out.push_back(c);
    }
    return out;
  }
  FormatOptions options_;
};

class NullFormatter : public ResultFormatter {
 public:
  Status Begin(const std::vector<std::string>&, std::string*) override { return OkStatus(); }
  void Add(const Row&, std::string*) override {}
  void End(const FormatEnd&, std::string*) override {}
};

}  // namespace

std::unique_ptr<ResultFormatter> NewBoxFormatter(const FormatOptions& options) {
  return std::make_unique<BoxFormatter>(options);
}
std::unique_ptr<ResultFormatter> NewLineFormatter(const FormatOptions& options) {
  return std::make_unique<LineFormatter>(options);
}
std::unique_ptr<ResultFormatter> NewPlainFormatter(const FormatOptions& options) {
  return std::make_unique<PlainFormatter>(options);
}
std::unique_ptr<ResultFormatter> NewMarkdownFormatter(const FormatOptions& options) {
  return std::make_unique<MarkdownFormatter>(options);
}
std::unique_ptr<ResultFormatter> NewNullFormatter(const FormatOptions&) {
  return std::make_unique<NullFormatter>();
}

}  // namespace sippar::query
