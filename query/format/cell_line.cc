// SPDX-License-Identifier: Apache-2.0
#include "query/format/cell_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/escape.h"
#include "engine/base/hex.h"

namespace sippar::query {
namespace {

Status BadEscape() {
  return InvalidArgument(
      "a backslash must be followed by t, n, r, xHH or another backslash in a line of cells");
}

}  // namespace

// Most fields are plain ASCII. They are copied as they are, which is ten times faster than looking
// for UTF-8 sequences.
void AppendField(std::string_view bytes, bool terminal, std::string* out) {
  bool plain = std::all_of(bytes.begin(), bytes.end(),
                           [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
  if (plain) {
    out->append(bytes);
    return;
  }
  using engine::EscapeRules;
  *out += engine::EscapeBytes(bytes, {.kept = terminal ? EscapeRules::kVisible : EscapeRules::kUtf8,
                                      .letters = "\tt\nn\rr\\\\"});
}

// An unknown escape is refused: guessing would store other bytes than the file's writer meant.
bool UnescapeField(std::string_view field, std::string* out) {
  out->clear();
  for (;;) {
    size_t plain = std::min(field.find('\\'), field.size());
    out->append(field.substr(0, plain));
    field.remove_prefix(plain);
    if (field.empty()) return true;
    if (field.size() == 1) return false;
    constexpr std::string_view kLetters = "tnr\\";
    constexpr std::string_view kBytes = "\t\n\r\\";
    size_t letter = kLetters.find(field[1]);
    int byte = field[1] == 'x' ? engine::HexByte(field, 2) : -1;
    if (letter != std::string_view::npos) {
      out->push_back(kBytes[letter]);
      field.remove_prefix(2);
    } else if (byte >= 0) {
      out->push_back(static_cast<char>(byte));
      field.remove_prefix(4);
    } else {
      return false;
    }
  }
}

void AppendCellLine(const engine::CellView& cell, bool terminal, std::string* out) {
  AppendField(cell.row, terminal, out);
  out->push_back('\t');
  // A family's name has no character that needs an escape.
  out->append(cell.family).push_back(':');
  AppendField(cell.qualifier, terminal, out);
  fmt::format_to(std::back_inserter(*out), "\t{}\t", cell.timestamp_us);
  AppendField(cell.value, terminal, out);
  out->push_back('\n');
}

Status ParseCellLine(std::string_view line, engine::Cell* cell) {
  std::array<std::string_view, 4> fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    size_t end = i + 1 < fields.size() ? line.find('\t') : line.size();
    if (end == std::string_view::npos) {
      return InvalidArgument(fmt::format("{} fields where 4 are expected", i + 1));
    }
    fields[i] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  // The first colon ends the family: a family's name has no colon, but a qualifier may have one.
  size_t colon = fields[1].find(':');
  if (colon == std::string_view::npos) return InvalidArgument("the column is not family:qualifier");
  cell->family = fields[1].substr(0, colon);
  const char* limit = fields[2].data() + fields[2].size();
  auto time = std::from_chars(fields[2].data(), limit, cell->timestamp_us);
  if (time.ec != std::errc() || time.ptr != limit) {
    return InvalidArgument("the timestamp is not a number of microseconds");
  }
  bool fine = UnescapeField(fields[0], &cell->row) &&
              UnescapeField(fields[1].substr(colon + 1), &cell->qualifier) &&
              UnescapeField(fields[3], &cell->value);
  return fine ? OkStatus() : BadEscape();
}

}  // namespace sippar::query
