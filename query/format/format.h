// Result rows as text: box, line, plain, markdown, csv, tsv, json, jsonl, cells, insert, null.
// Human formats never hold a raw control byte; cells and insert read back to the same bytes. Used
// by the shell, by batch queries and by EXPORT. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/program/value.h"

namespace sippar::query {

struct FormatOptions {
  std::string null_text = "NULL";  // box, line, plain, markdown
  size_t value_width_max = 0;      // longer values are cut in box and line; 0: never
  bool header = true;              // csv, tsv: a first line with the column names
  bool unicode = true;             // box: line-drawing characters instead of + - |
  bool color = false;              // dim NULL
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
  virtual void End(const FormatEnd& end, std::string* out) = 0;
};

// kInvalidArgument with a "did you mean" for an unknown name.
[[nodiscard]] StatusOr<std::unique_ptr<ResultFormatter>> NewFormatter(std::string_view name,
                                                                      const FormatOptions& options);
const std::vector<std::string>& FormatNames();

// Columns a terminal uses for printable UTF-8 text: wide characters two, combining ones none.
size_t TextWidth(std::string_view text);
// `text` cut to at most `width` columns, with "… (12.3 KiB)" when something is gone.
std::string CutText(std::string_view text, size_t width);

}  // namespace sippar::query
