// Prints the source of a SELECT: the table, SELECT or list that it reads.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "query/syntax/ast_print.h"

namespace sippar::query {

namespace {

std::string PrintTable(const syntax::Source& source) {
  std::string out = QuoteName(source.table.text);
  if (source.kind == syntax::Source::kCells) {
    for (const syntax::PatternNode& pattern : source.patterns) out += ", " + Print(pattern);
    return fmt::format("CELLS({})", out);
  }
  if (source.named_args.empty()) return out;
  std::string args;
  for (const syntax::NamedArg& arg : source.named_args) {
    if (!args.empty()) args += ", ";
    args += fmt::format("{} => {}", QuoteName(arg.name.text), Print(arg.value));
  }
  return fmt::format("{}({})", out, args);
}

}  // namespace

// Prints no alias of the table or SELECT, since the tree has none: the parser replaces alias.name
// by name.
std::string Print(const syntax::Source& source) {
  switch (source.kind) {
    case syntax::Source::kSelect:
      return fmt::format("({})", Print(*source.select));
    case syntax::Source::kUnpack:
      return fmt::format("UNPACK({})", Print(*source.select));
    case syntax::Source::kUnnest: {
      std::string out = fmt::format("UNNEST({})", Print(source.list));
      if (!source.item.empty()) out += " AS " + QuoteName(source.item.text);
      if (!source.offset.empty()) out += " WITH OFFSET AS " + QuoteName(source.offset.text);
      return out;
    }
    case syntax::Source::kTable:
    case syntax::Source::kCells:
      break;
  }
  return PrintTable(source);
}

}  // namespace sippar::query
