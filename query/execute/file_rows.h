// Reads the records of an input file as rows, for IMPORT. One object reads one file, on one thread.
//   csv    RFC 4180; an empty field is NULL, "" is the empty text; there are no escapes
//   tsv    fields with the escapes \t \n \r \\ \xHH; \N is NULL
//   jsonl  one object on each line; a missing or null member is NULL (json_rows.h)
//   jsonl-b64  the same, with every text of a value in base64
//   cells  row, family:qualifier, timestamp, value, escaped as in tsv; no header
//   raw    the whole file is one record with the column `value`
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/stop_signal.h"
#include "engine/program/value.h"
#include "query/session/file_access.h"
#include "query/session/result.h"

namespace sippar::query {

struct FileRowsOptions {
  std::string format;  // one of the formats listed above
  // csv, tsv: true if the first record holds the column names. If false, the names are c1, c2 …
  bool header = true;
  // jsonl: the members to read; empty: the members of the first object.
  std::vector<std::string> wanted;
  uint64_t skip_lines = 0;  // lines to skip before the header
  char delimiter = ',';     // csv only
  char quote = '"';         // csv only
  // csv, tsv: an unquoted field with this text is NULL, too.
  std::optional<std::string> null_text;
};

class FileRows {
 public:
  // Skips `skip_lines` lines (`stop` can end this early) and reads the header. kInvalidArgument for
  // an unknown format.
  [[nodiscard]] static StatusOr<std::unique_ptr<FileRows>> Open(std::unique_ptr<InputFile> file,
                                                                const FileRowsOptions& options,
                                                                const engine::StopSignal& stop);
  virtual ~FileRows() = default;
  virtual const std::vector<std::string>& columns() const = 0;
  // Reads the next record; false at the end of the file. For a broken record it returns
  // kInvalidArgument, and the next call reads the record after it; other errors are final.
  [[nodiscard]] virtual StatusOr<bool> Next(Row* row) = 0;
  // Returns how the file writes the value of one column of the last record, if the value in the row
  // may be rounded or may print differently, as a number or a boolean may. Returns "" if the value
  // in the row is exact, as that of a string or an object is.
  virtual std::string_view Exact(size_t) const { return {}; }
  // The last record as it is in the file, without its line end; "" for raw.
  virtual std::string text() const = 0;
  virtual uint64_t line() const = 0;   // line on which the last record began
  virtual uint64_t bytes() const = 0;  // bytes read so far
  virtual double share() const = 0;    // share of the file read so far, see InputFile::Share
};

}  // namespace sippar::query
