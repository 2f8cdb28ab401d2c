// Reads a dump, a file or a folder, and checks it: every line of cells is counted and hashed, and a
// dump without its end is refused. SPDX-License-Identifier: Apache-2.0
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
  std::string create;                          // the statement CREATE TABLE
  std::map<std::string, std::string> options;  // those that the statement does not have
};

// Receives what a dump holds. An error of any function ends the reading and is returned.
class DumpVisitor {
 public:
  virtual ~DumpVisitor() = default;
  // The cells of the table follow.
  [[nodiscard]] virtual Status Table(const DumpedTable& table) = 0;
  // A line of cells without its newline, not yet parsed.
  [[nodiscard]] virtual Status Line(std::string_view line) = 0;
  // The table is complete; its cells are those that were dumped.
  [[nodiscard]] virtual Status EndTable(const DumpedTable& table, const CellSum& sum) = 0;
};

class DumpReader {
 public:
  // `path`: a file, a folder, or "-" for stdin. `files` outlives the reader.
  DumpReader(query::FileAccess* files, const std::string& path);

  // Reads the whole dump. kDataLoss names the file and what is wrong with it: it is cut short, or
  // holds other cells than were dumped. kInvalidArgument: it is no dump. To be called once.
  [[nodiscard]] Status Read(DumpVisitor* visitor);
  const std::string& id() const { return id_; }  // known from the first table on
  const std::string& path() const { return path_; }
  double share() const { return input_ == nullptr ? -1 : input_->share(); }

 private:
  [[nodiscard]] Status ReadHead();
  [[nodiscard]] Status ReadText(DumpVisitor* visitor);
  [[nodiscard]] Status Follow(const Directive& directive, DumpVisitor* visitor);
  // Tells the visitor of the table that the directive names, unless it knows of it.
  [[nodiscard]] Status BeginTable(const Directive& directive, DumpVisitor* visitor);
  [[nodiscard]] Status ReadCells(query::ByteInput* input, bool to_end, DumpVisitor* visitor);
  [[nodiscard]] Status ReadCellsFile(const std::string& name, DumpVisitor* visitor);
  [[nodiscard]] Status End(const Directive& end, DumpVisitor* visitor);
  [[nodiscard]] Status Damaged(std::string_view what) const;

  query::FileAccess* const files_;
  std::string path_;    // of the dump's text
  std::string folder_;  // with a slash; "" if the dump is one file
  std::unique_ptr<query::ByteInput> input_;
  std::string id_;
  DumpedTable table_;
  bool begun_ = false;  // the visitor knows of table_
  CellSum sum_;         // of the cells of table_
  CellSum all_;
  uint64_t tables_ = 0;
  std::string last_;  // the last complete table
  bool done_ = false;
};

}  // namespace sippar::cli
