// Result rows as text: box, line, plain, markdown, csv, tsv, json, jsonl, cells, insert, null.
// Human formats never hold a raw control byte or a hidden character, and no format does on a
// terminal; csv, tsv, json, jsonl, cells and insert read back to the same bytes. Used by the shell,
// by batch queries and by EXPORT. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::query {

// A column of this name holds statements to be run again: plain keeps their lines.
inline constexpr std::string_view kStatementColumn = "create_table";

struct FormatOptions {
  std::string null_text = "NULL";  // box, line, plain, markdown
  size_t value_width_max = 0;      // longer values are cut in box and line; 0: never
  bool header = true;              // csv, tsv: a first line with the column names
  bool unicode = true;             // box: line-drawing characters instead of + - |
  bool color = false;              // dim NULL
  bool terminal = false;           // the reader is a terminal: no raw byte reaches it in any format
  std::string table = "table";     // insert: the table of the statements
};

// What is known when the rows have ended.
struct FormatEnd {
  std::string next;  // how to continue a cut result: "AFTER ROW 'k'"; "" when complete
};

// Writes into a string that the caller empties as often as it likes. One object serves one result.
class ResultFormatter {
 public:
  virtual ~ResultFormatter() = default;
  // kInvalidArgument when the format cannot show these columns (cells, insert).
  [[nodiscard]] virtual Status Begin(const std::vector<std::string>& columns, std::string* out) = 0;
  virtual void Add(const engine::Row& row, std::string* out) = 0;
  // Rows that are left out here.
  virtual void AddGap(uint64_t rows, std::string* out);
  virtual void End(const FormatEnd& end, std::string* out) = 0;
};

// kInvalidArgument with a "did you mean" for an unknown name.
[[nodiscard]] StatusOr<std::unique_ptr<ResultFormatter>> NewFormatter(std::string_view name,
                                                                      const FormatOptions& options);
const std::vector<std::string>& FormatNames();

}  // namespace sippar::query
