// Two formats for the result of SELECT CELLS. A reader of either gets back the same bytes.
//   cells:  row TAB family:qualifier TAB timestamp TAB value, escaped with \t \n \r \\ \xHH
//   insert: INSERT INTO t CELLS VALUES (…), (…);
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/model/mutation.h"
#include "query/format/cell_line.h"
#include "query/format/formatters.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {
namespace {

using engine::Row;
using engine::Value;
using engine::ValueType;

constexpr std::array<std::string_view, 4> kColumns = {"row", "column", "timestamp", "value"};

// Accepts only a result with the columns of SELECT CELLS, since each row must be a whole cell.
class CellsRows : public ResultFormatter {
 public:
  explicit CellsRows(std::string_view format) : format_(format) {}
  Status Begin(const std::vector<std::string>& columns, std::string*) override {
    bool fits = columns.size() == kColumns.size();
    for (size_t i = 0; fits && i < kColumns.size(); ++i) fits = columns[i] == kColumns[i];
    if (fits) return OkStatus();
    return InvalidArgument(
        fmt::format("format {} shows whole cells only: use SELECT CELLS", format_));
  }
  void Add(const Row& row, std::string* out) override {
    AddCell(row[0].bytes(), row[1].bytes(), row[2].integer(), row[3], out);
  }

 protected:
  virtual void AddCell(const std::string& row, const std::string& column, int64_t timestamp_us,
                       const Value& value, std::string* out) = 0;

 private:
  std::string_view format_;
};

class CellsFormatter : public CellsRows {
 public:
  explicit CellsFormatter(const FormatOptions& options)
      : CellsRows("cells"), terminal_(options.terminal) {}
  void AddCell(const std::string& row, const std::string& column, int64_t timestamp_us,
               const Value& value, std::string* out) override {
    // IMPORT expects the bytes as stored, and a counter is stored as 8 bytes.
    bool counter = value.type() == ValueType::kInt64;
    AppendField(row, terminal_, out);
    AppendField(column, terminal_, &(*out += '\t'));
    *out += fmt::format("\t{}\t", timestamp_us);
    AppendField(counter ? engine::EncodeInt64(value.integer()) : value.bytes(), terminal_, out);
    out->push_back('\n');
  }
  void End(const FormatEnd&, std::string*) override {}

 private:
  bool terminal_;
};

class InsertFormatter : public CellsRows {
 public:
  explicit InsertFormatter(const FormatOptions& options)
      : CellsRows("insert"), table_(QuoteName(options.table)) {}
  void AddCell(const std::string& row, const std::string& column, int64_t timestamp_us,
               const Value& value, std::string* out) override {
    std::string tuple =
        fmt::format("({}, {}, {}, {})", QuoteValue(row), QuoteValue(column), timestamp_us,
                    // A counter is written as digits, since INSERT takes an INT64 for a counter's
                    // column.
                    value.is_number() ? value.Print() : QuoteValue(value.bytes()));
    bool full = tuples_ == kTuplesMax || bytes_ > kBytesMax;
    if (full) *out += ";\n";
    if (tuples_ == 0 || full) {
      *out += fmt::format("INSERT INTO {} CELLS VALUES\n  {}", table_, tuple);
      tuples_ = 0;
      bytes_ = 0;
    } else {
      *out += ",\n  " + tuple;
    }
    ++tuples_;
    bytes_ += tuple.size();
  }
  void End(const FormatEnd&, std::string* out) override {
    if (tuples_ > 0) *out += ";\n";
  }

 private:
  // A statement ends after this many tuples or bytes: it then parses fast and stays far below
  // limits::kStatementSizeMax.
  static constexpr size_t kTuplesMax = 500;
  static constexpr size_t kBytesMax = 1 << 20;
  std::string table_;
  size_t tuples_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<ResultFormatter> NewCellsFormatter(const FormatOptions& options) {
  return std::make_unique<CellsFormatter>(options);
}
std::unique_ptr<ResultFormatter> NewInsertFormatter(const FormatOptions& options) {
  return std::make_unique<InsertFormatter>(options);
}

}  // namespace sippar::query
