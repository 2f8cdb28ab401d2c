// SPDX-License-Identifier: Apache-2.0
#include "query/format/format.h"

#include <fmt/format.h>

#include <array>

#include "query/format/formatters.h"
#include "query/session/query_error.h"

namespace sippar::query {
namespace {

using Maker = std::unique_ptr<ResultFormatter> (*)(const FormatOptions&);

struct FormatEntry {
  std::string_view name;
  Maker maker;
};

// An error lists the formats in this order: formats for people come first.
constexpr std::array<FormatEntry, 13> kFormats = {{{"box", NewBoxFormatter},
                                                   {"line", NewLineFormatter},
                                                   {"plain", NewPlainFormatter},
                                                   {"markdown", NewMarkdownFormatter},
                                                   {"csv", NewCsvFormatter},
                                                   {"tsv", NewTsvFormatter},
                                                   {"json", NewJsonFormatter},
                                                   {"jsonl", NewJsonLinesFormatter},
                                                   {"jsonl-b64", NewJsonBase64Formatter},
                                                   {"raw", NewRawFormatter},
                                                   {"cells", NewCellsFormatter},
                                                   {"insert", NewInsertFormatter},
                                                   {"null", NewNullFormatter}}};

}  // namespace

// The shell leaves out the middle of a long result in formats for people. Box prints a row of dots
// instead of this line; line also counts the rows that are left out.
void ResultFormatter::AddGap(uint64_t rows, std::string* out) {
  *out += fmt::format("-- {} rows are not shown --\n", rows);
}

const std::vector<std::string>& FormatNames() {
  // Never freed, so that it can be used while static objects are destroyed.
  static const auto& names = *new std::vector<std::string>([] {
    std::vector<std::string> all;
    for (const FormatEntry& entry : kFormats) all.emplace_back(entry.name);
    return all;
  }());
  return names;
}

StatusOr<std::unique_ptr<ResultFormatter>> NewFormatter(std::string_view name,
                                                        const FormatOptions& options) {
  for (const FormatEntry& entry : kFormats) {
    if (entry.name == name) return entry.maker(options);
  }
  std::string near = NearestWord(name, FormatNames());
  std::string all;
  for (const std::string& known : FormatNames()) all += (all.empty() ? "" : " ") + known;
  return InvalidArgument(
      fmt::format("unknown format '{}'{}; formats: {}", engine::PrintEscaped(name),
                  near.empty() ? "" : fmt::format(", did you mean {}?", near), all));
}

}  // namespace sippar::query
