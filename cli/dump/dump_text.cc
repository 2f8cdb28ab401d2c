// SPDX-License-Identifier: Apache-2.0
#include "cli/dump/dump_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/checksum.h"

namespace sippar::cli {
namespace {

constexpr std::string_view kMark = "--\\";

bool ReadNumber(const std::string& text, int base, uint64_t* number) {
  const char* limit = text.data() + text.size();
  auto read = std::from_chars(text.data(), limit, *number, base);
  return read.ec == std::errc() && read.ptr == limit;
}

}  // namespace

void CellSum::Add(std::string_view line) {
  ++cells;
  hash += engine::Hash(line);
}

std::string PrintDirective(const Directive& directive) {
  std::string text = std::string(kMark) + directive.word;
  for (const std::string& argument : directive.arguments) text += " " + argument;
  return text + "\n";
}

std::string PrintEnd(const std::string& table, const CellSum& sum) {
  return PrintDirective(
      {"end", {table, fmt::format("{}", sum.cells), fmt::format("{:016x}", sum.hash)}});
}

std::string PrintDone(uint64_t tables, uint64_t cells) {
  return PrintDirective({"done", {fmt::format("{}", tables), fmt::format("{}", cells)}});
}

bool ParseDirective(std::string_view line, Directive* directive) {
  // A line of cells whose row key begins with "--" and an escaped byte is not a directive.
  constexpr std::string_view kEscapes = "tnrx\\";
  if (!line.starts_with(kMark) || line.size() == kMark.size()) return false;
  if (kEscapes.find(line[kMark.size()]) != std::string_view::npos) return false;
  line.remove_prefix(kMark.size());
  directive->arguments.clear();
  size_t end = std::min(line.find(' '), line.size());
  directive->word = line.substr(0, end);
  while (end < line.size()) {
    line.remove_prefix(end + 1);
    end = std::min(line.find(' '), line.size());
    directive->arguments.emplace_back(line.substr(0, end));
  }
  return true;
}

std::optional<CellSum> SumOfEnd(const Directive& end) {
  CellSum sum;
  bool fine = end.arguments.size() == 3 && ReadNumber(end.arguments[1], 10, &sum.cells) &&
              ReadNumber(end.arguments[2], 16, &sum.hash);
  if (!fine) return std::nullopt;
  return sum;
}

std::optional<uint64_t> TablesOfDone(const Directive& done) {
  uint64_t tables = 0;
  if (done.arguments.size() == 2 && ReadNumber(done.arguments[0], 10, &tables)) return tables;
  return std::nullopt;
}

std::string CellsFileName(const std::string& table, size_t piece, size_t pieces) {
  std::string name;
  for (char c : table) name += c == '/' ? "%2F" : std::string(1, c);
  // Table names contain no plus, so the file of a piece of table `t` cannot clash with that of
  // another table.
  return pieces == 1 ? name + ".cells.zst" : fmt::format("{}+{}.cells.zst", name, piece + 1);
}

}  // namespace sippar::cli
