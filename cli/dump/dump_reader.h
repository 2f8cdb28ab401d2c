// Reads a dump, which is a file or a folder, and checks it: counts and hashes every line of cells,
// and rejects a dump that lacks its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cli/dump/dump_text.h"
#include "query/execute/byte_input.h"
#include "query/session/file_access.h"

namespace sippar::cli {

struct DumpedTable {
  std::string name;
  std::string create;                          // the CREATE TABLE statement
  std::map<std::string, std::string> options;  // options that the statement cannot express
};

// Receives the contents of a dump. An error of any function ends the reading and is returned.
class DumpVisitor {
 public:
  virtual ~DumpVisitor() = default;
  // Begins a table, whose cells follow.
  [[nodiscard]] virtual Status Table(const DumpedTable& table) = 0;
  // Receives a line of cells without its newline, not yet parsed.
  [[nodiscard]] virtual Status Line(std::string_view line) = 0;
  // Ends a table. Its cells have passed the check against the dump's sum.
  [[nodiscard]] virtual Status EndTable(const DumpedTable& table, const CellSum& sum) = 0;
};

class DumpReader {
 public:
  // `path`: a file, a folder, or "-" for stdin. `files` must outlive the reader.
  DumpReader(query::FileAccess* files, const std::string& path);

  // Reads the whole dump; may be called only once. kDataLoss: the dump is cut short, or its cells
  // differ from those that were dumped; the message names the file and the problem.
  // kInvalidArgument: the input is not a dump. kFailedPrecondition: a newer program has written it.
  // kNotFound: there is no such file, or the folder has no schema.sql. Also the errors of
  // `visitor`.
  [[nodiscard]] Status Read(DumpVisitor* visitor);
  const std::string& id() const { return id_; }  // known once the first table is visited
  const std::string& path() const { return path_; }
  double share() const { return input_ == nullptr ? -1 : input_->share(); }

 private:
  [[nodiscard]] Status ReadHead();
  [[nodiscard]] Status ReadText(DumpVisitor* visitor);
  [[nodiscard]] Status Follow(const Directive& directive, DumpVisitor* visitor);
  // Calls visitor->Table for the table that the directive names, unless it was called already.
  [[nodiscard]] Status BeginTable(const Directive& directive, DumpVisitor* visitor);
  [[nodiscard]] Status ReadCells(query::ByteInput* input, bool to_end, DumpVisitor* visitor);
  [[nodiscard]] Status ReadCellsFile(const std::string& name, DumpVisitor* visitor);
  [[nodiscard]] Status End(const Directive& end, DumpVisitor* visitor);
  [[nodiscard]] Status Damaged(std::string_view what) const;

  query::FileAccess* const files_;
  std::string path_;    // path of the dump's text
  std::string folder_;  // ends with a slash; "" if the dump is one file
  std::unique_ptr<query::ByteInput> input_;
  std::string id_;
  DumpedTable table_;
  bool begun_ = false;  // visitor->Table was called for table_
  CellSum sum_;         // sum over the cells of table_ so far
  CellSum all_;
  uint64_t tables_ = 0;
  std::string last_;  // name of the last complete table
  bool done_ = false;
};

}  // namespace sippar::cli
