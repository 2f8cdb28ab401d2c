// Prints result rows as text: box, line, plain, markdown, csv, tsv, json, jsonl, jsonl-b64, raw,
// cells, insert, null. On a terminal no format prints a raw control byte or a hidden character; the
// formats for people never do. A reader of csv, tsv, json, jsonl, cells and insert gets the same
// bytes back. Used by the shell, batch queries and EXPORT.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::query {

// The column of SHOW CREATE TABLE. The plain format keeps its line breaks, so that the statement
// can be run again.
inline constexpr std::string_view kStatementColumn = "create_table";

struct FormatOptions {
  std::string null_text = "NULL";  // text of NULL in box, line, plain and markdown
  size_t value_width_max = 0;      // box, line: width at which values are cut; 0: never
  bool header = true;              // csv, tsv: print a first line with the column names
  bool unicode = true;             // box: line-drawing characters instead of + - |
  bool color = false;              // box: print NULL dimmed
  bool terminal = false;           // output goes to a terminal: escape in every format
  std::string table = "table";     // insert: table named in the statements
};

// Facts that are known only after the last row.
struct FormatEnd {
  std::string next;  // how to continue a cut result: "AFTER ROW 'k'"; "" if complete
};

// Prints one result. Each call appends text to *out, and the caller may empty *out between calls.
class ResultFormatter {
 public:
  virtual ~ResultFormatter() = default;
  // Prints what comes before the rows. kInvalidArgument if the format cannot show these columns
  // (cells, insert, raw).
  [[nodiscard]] virtual Status Begin(const std::vector<std::string>& columns, std::string* out) = 0;
  // Prints one row. A format may hold rows back until it knows the widths of the columns.
  virtual void Add(const engine::Row& row, std::string* out) = 0;
  // Marks the place where `rows` rows are left out.
  virtual void AddGap(uint64_t rows, std::string* out);
  virtual void End(const FormatEnd& end, std::string* out) = 0;
};

// The formatter of the format `name`. For an unknown name kInvalidArgument with the nearest name.
[[nodiscard]] StatusOr<std::unique_ptr<ResultFormatter>> NewFormatter(std::string_view name,
                                                                      const FormatOptions& options);
const std::vector<std::string>& FormatNames();

}  // namespace sippar::query
