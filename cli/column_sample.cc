// SPDX-License-Identifier: Apache-2.0
#include "cli/column_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/model/mutation.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr size_t kTabletsMax = 8;    // limit of tablets that are sampled
constexpr size_t kValuesMax = 50;    // limit of the values per column that are kept for GuessKind
constexpr size_t kValueBytes = 200;  // bytes that are read of each value

struct Found {
  uint64_t rows = 0;
  std::string last_row;
  std::vector<std::string> values;
};

// Collects the columns of the cells in one pass. If a column occurs again in the same row, the cell
// is another version, and the column's row count and values stay as they are.
class SampleSink : public query::ResultSink {
 public:
  void Begin(const std::vector<query::ResultColumn>&) override {}
  bool Rows(std::vector<query::Row> rows) override {
    for (const query::Row& row : rows) Add(row);
    return true;
  }
  uint64_t cells() const { return cells_; }
  ColumnSample Take();

 private:
  void Add(const query::Row& cell) {
    ++cells_;
    const std::string& row = cell[0].bytes();
    if (row != last_row_ || rows_ == 0) ++rows_;
    last_row_ = row;
    Found& found = columns_[{cell[1].bytes(), cell[2].bytes()}];
    if (found.rows > 0 && found.last_row == row) return;
    ++found.rows;
    found.last_row = row;
    if (found.values.size() < kValuesMax) found.values.push_back(cell[3].bytes());
  }

  uint64_t cells_ = 0;
  uint64_t rows_ = 0;
  std::string last_row_;
  std::map<std::pair<std::string, std::string>, Found> columns_;
};

ColumnSample SampleSink::Take() {
  ColumnSample out;
  out.rows = rows_;
  for (auto& [name, found] : columns_) {
    // The first value that is not empty is the most useful example.
    auto full = std::find_if(found.values.begin(), found.values.end(),
                             [](const std::string& value) { return !value.empty(); });
    std::string example = full == found.values.end() ? "" : *full;
    out.columns.push_back(
        {name.first, name.second, found.rows, std::move(example), GuessKind(found.values)});
  }
  std::stable_sort(out.columns.begin(), out.columns.end(),
                   [](const SampledColumn& a, const SampledColumn& b) {
                     return a.family != b.family ? a.family < b.family : a.rows > b.rows;
                   });
  return out;
}

// For families whose schema names a type, shows that type: a guess from the encoded bytes would
// mislead. In a TEXT family the guess tells more than its type, which would always be text.
void NameTypes(query::Session* session, const std::string& table, ColumnSample* sample) {
  query::ResultTable families;
  auto done = session->Execute("DESCRIBE " + query::QuoteName(table), &families);
  std::map<std::string, std::string> types;
  for (const query::Row& row : families.rows) {
    if (done.ok() && row.size() > 1) types[row[0].Print()] = row[1].Print();
  }
  for (SampledColumn& column : sample->columns) {
    const std::string& type = types[column.family];
    if (type.empty() || type == "BYTES" || type == "TEXT") continue;
    column.kind = type;
    auto number = engine::DecodeInt64(column.example);
    if (number.ok()) column.example = std::to_string(*number);
  }
}

// The first keys of some tablets, evenly spread over the table; "" for the first tablet.
std::vector<std::string> TabletStarts(query::Session* session, const std::string& table) {
  query::ResultTable tablets;
  auto done = session->Execute("SHOW TABLETS OF " + query::QuoteName(table), &tablets);
  std::vector<std::string> all;
  for (const query::Row& row : tablets.rows) {
    if (done.ok() && row.size() > 1 && !row[1].is_null()) all.push_back(row[1].bytes());
  }
  if (all.empty()) return {""};
  std::vector<std::string> some;
  const size_t count = std::min(all.size(), kTabletsMax);
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

bool AllOf(std::string_view text, int (*test)(int)) {
  return std::all_of(text.begin(), text.end(),
                     [test](char c) { return test(static_cast<unsigned char>(c)) != 0; });
}

bool IsHigh(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool IsText(std::string_view text) {
  // A value of kValueBytes bytes may have been cut inside a UTF-8 character, so the loop removes
  // the non-ASCII bytes at its end.
  while (text.size() + 4 > kValueBytes && !text.empty() && IsHigh(text.back())) {
    text.remove_suffix(1);
  }
  return engine::IsUtf8(text) && std::all_of(text.begin(), text.end(), [](char c) {
           const bool is_space = c == '\n' || c == '\t' || c == '\r';
           return IsHigh(c) || is_space || std::isprint(static_cast<unsigned char>(c)) != 0;
         });
}

// A text that begins with a date, such as "2026-11-27…".
bool IsDate(std::string_view text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-' &&
         AllOf(text.substr(0, 4), std::isdigit) && AllOf(text.substr(5, 2), std::isdigit) &&
         AllOf(text.substr(8, 2), std::isdigit);
}

std::string KindOf(std::string_view value) {
  if (value.empty()) return "empty";
  if (!IsText(value)) return "bytes";
  std::string_view digits = value[0] == '-' ? value.substr(1) : value;
  if (!digits.empty() && digits.size() < 20) {
    if (AllOf(digits, std::isdigit)) return "whole number";
    size_t point = digits.find('.');
    const bool is_decimal = point != std::string_view::npos && point > 0 &&
                            AllOf(digits.substr(0, point), std::isdigit) &&
                            AllOf(digits.substr(point + 1), std::isdigit);
    if (is_decimal) return "number";
  }
  if (IsDate(value)) return "date";
  std::string_view start = value.substr(std::min(value.find_first_not_of(" \t\r\n"), value.size()));
  if (start.starts_with("{") || start.starts_with("[")) return "JSON";
  if (start.starts_with("<")) return "HTML or XML";
  if (start.starts_with("http://") || start.starts_with("https://")) return "URL";
  return "text";
}

}  // namespace

std::string GuessKind(const std::vector<std::string>& values) {
  std::string kind;
  for (const std::string& value : values) {
    std::string each = KindOf(value);
    if (each == "empty" || each == kind) continue;
    const bool are_numbers = (each == "number" && kind == "whole number") ||
                             (each == "whole number" && kind == "number");
    if (kind.empty()) {
      kind = each;
    } else if (are_numbers) {
      kind = "number";
    } else if (each == "bytes" || kind == "bytes") {
      kind = "bytes";
    } else {
      kind = "text";
    }
  }
  return kind.empty() ? "empty" : kind;
}

StatusOr<ColumnSample> SampleColumns(query::Session* session, const std::string& table,
                                     const std::string& pattern, uint64_t cells_max) {
  SampleSink sink;
  std::vector<std::string> starts = TabletStarts(session, table);
  const uint64_t each = std::max<uint64_t>(cells_max / starts.size(), 1);
  bool is_whole = true;
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint64_t before = sink.cells();
    std::string cells = query::QuoteName(table) + (pattern.empty() ? "" : ", " + pattern);
    std::string bounds = starts[i].empty() ? "" : " WHERE row >= " + query::QuoteBytes(starts[i]);
    // The sample of a tablet ends before the start of the next sampled tablet, so that the samples
    // do not overlap.
    if (i + 1 < starts.size()) {
      bounds +=
          (bounds.empty() ? " WHERE row < " : " AND row < ") + query::QuoteBytes(starts[i + 1]);
    }
    RETURN_IF_ERROR(session
                        ->Execute(fmt::format("SELECT row, family, qualifier, SUBSTR(CAST(value AS "
                                              "BYTES), 1, {}) FROM CELLS({}){} LIMIT {}",
                                              kValueBytes, cells, bounds, each),
                                  &sink)
                        .status());
    if (sink.cells() - before >= each) is_whole = false;
  }
  ColumnSample out = sink.Take();
  out.is_whole = is_whole;
  NameTypes(session, table, &out);
  return out;
}

}  // namespace sippar::cli
