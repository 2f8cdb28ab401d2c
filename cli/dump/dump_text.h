// The text of a dump, which `sippar dump` writes and `sippar restore` reads:
//
//   -- sippar dump 1 0006a1b2c3d4e5f6
//   CREATE TABLE web (...);
//   --\option web NAME BASE64      an option that the language cannot write
//   --\cells web                   lines of the format "cells" follow, in any order
//   com.cnn.www<TAB>contents:<TAB>6<TAB>...
//   --\end web 17 1f2e3d4c5b6a7988   their number, and the sum of the hashes of these lines
//   --\done 1 17                   the numbers of tables and cells; the last line
//
// Lines with -- are comments of the language, so a dump without cells is a script that creates the
// tables. In a folder this text is the file schema.sql. Instead of cells it has lines "--\file web
// web.cells.zst", which name the files with the cells. A line of cells may begin with --\, too, but
// its next character is then that of an escape; none of the words above begins with such a
// character. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sippar::cli {

inline constexpr std::string_view kDumpHead = "-- sippar dump 1 ";
inline constexpr std::string_view kSchemaFile = "schema.sql";  // the text of a dump in a folder

// An order-independent checksum of many lines of cells: a lost, repeated or changed line changes
// it.
struct CellSum {
  uint64_t cells = 0;
  uint64_t hash = 0;
  void Add(std::string_view line);  // `line` without its newline
  void Add(const CellSum& other) {
    cells += other.cells;
    hash += other.hash;
  }
  bool operator==(const CellSum&) const = default;
};

// A line that begins with --\ : its first word, and the rest split at blanks.
struct Directive {
  std::string word;
  std::vector<std::string> arguments;
};

std::string PrintDirective(const Directive& directive);  // the line with its newline
std::string PrintEnd(const std::string& table, const CellSum& sum);
std::string PrintDone(uint64_t tables, uint64_t cells);
// Returns false if `line` is not a directive.
bool ParseDirective(std::string_view line, Directive* directive);
// nullopt: the arguments of \end or \done are not in the form that PrintEnd or PrintDone writes.
std::optional<CellSum> SumOfEnd(const Directive& end);
std::optional<uint64_t> TablesOfDone(const Directive& done);

// The name of the file with the cells of piece `piece` (of `pieces`) of a table. A slash in the
// table's name becomes %2F.
std::string CellsFileName(const std::string& table, size_t piece, size_t pieces);

}  // namespace sippar::cli
