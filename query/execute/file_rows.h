// Records of an input file as rows: csv, tsv, jsonl, cells. Used by IMPORT.
//   csv    RFC 4180; an empty field is NULL, "" is the empty text; nothing is unescaped
//   tsv    fields with \t \n \r \\ \xHH; \N is NULL
//   jsonl  one object a line; members that are missing or null are NULL (json_rows.h)
//   cells  row, family:qualifier, timestamp, value, escaped as in tsv; no header
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/value.h"
#include "query/session/file_access.h"
#include "query/session/result.h"

namespace sippar::query {

struct FileRowsOptions {
  std::string format;               // csv, tsv, jsonl, cells
  bool header = true;               // csv, tsv: the first record holds the names; else c1, c2 …
  std::vector<std::string> wanted;  // jsonl: the members to read; empty: those of the first object
  uint64_t skip_lines = 0;          // at the begin of the file, before the header
  char delimiter = ',';             // csv
  char quote = '"';                 // csv
  std::optional<std::string> null_text;  // csv, tsv: an unquoted field of this text is NULL too
};

class FileRows {
 public:
  // kInvalidArgument for an unknown format; reads the header.
  [[nodiscard]] static StatusOr<std::unique_ptr<FileRows>> Open(std::unique_ptr<InputFile> file,
                                                                const FileRowsOptions& options);
  virtual ~FileRows() = default;
  virtual const std::vector<std::string>& columns() const = 0;
  // False at the end. A broken record is kInvalidArgument and skipped by the next call; other
  // errors are final.
  [[nodiscard]] virtual StatusOr<bool> Next(Row* row) = 0;
  // What stands in the file for a number, a boolean or an object of the last record: a value holds
  // a number rounded, or written otherwise. "" when the value says it all.
  virtual std::string_view Exact(size_t) const { return {}; }
  virtual uint64_t line() const = 0;   // on which the last record began
  virtual uint64_t bytes() const = 0;  // read so far
  virtual double share() const = 0;    // of the file, as InputFile::Share
};

// \t \n \r \\ \xHH undone; false for any other backslash.
[[nodiscard]] bool UnescapeField(std::string_view field, std::string* out);

}  // namespace sippar::query
