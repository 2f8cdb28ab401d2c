// SPDX-License-Identifier: Apache-2.0
#include "cli/line_colors.h"

#include <algorithm>

#include "cli/typed_text.h"
#include "engine/base/utf8.h"

namespace sippar::cli {
namespace {

// Longer text has no colours: all of it would be read again at each key press.
constexpr size_t kColoredBytesMax = 64 << 10;

constexpr std::string_view kSaveCursor = "\0337";
constexpr std::string_view kRestoreCursor = "\0338";
constexpr std::string_view kPlain = "\x1b[0m";

std::string_view CodeOf(query::TokenKind kind) {
  switch (kind) {
    case query::TokenKind::kKeyword:
      return "\x1b[1m";  // bold
    case query::TokenKind::kQuoted:
      return "\x1b[32m";  // green
    case query::TokenKind::kComment:
      return "\x1b[90m";  // grey
    case query::TokenKind::kOpen:
      break;
  }
  return "\x1b[33m";  // yellow
}

bool IsCommand(std::string_view before, std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  const bool has_backslash = first != std::string_view::npos && line[first] == '\\';
  return has_backslash && !EndsInLiteral(before);
}

// Adds the columns of `text` to *used. Returns false if they are not known.
bool AddWidth(std::string_view text, CharacterWidth width, size_t* used) {
  while (!text.empty()) {
    const engine::Utf8Character next = engine::FirstCharacter(text);
    // readline shows a control character as ^X, and its own width is then wrong.
    const int columns = next.size == 0 || next.code < ' ' ? -1 : width(next.code);
    if (columns < 0) return false;
    *used += static_cast<size_t>(columns);
    text.remove_prefix(next.size);
  }
  return true;
}

}  // namespace

std::vector<query::TokenSpan> SpansOfLine(std::string_view before, std::string_view line) {
  if (before.size() + line.size() > kColoredBytesMax || IsCommand(before, line)) return {};
  const std::string all = std::string(before) + std::string(line);
  std::vector<query::TokenSpan> spans;
  for (query::TokenSpan span : query::FindTokenKinds(all)) {
    if (span.end <= before.size()) continue;
    span.begin = std::max(span.begin, before.size()) - before.size();
    span.end -= before.size();
    spans.push_back(span);
  }
  return spans;
}

bool FitsOneLine(std::string_view prompt, std::string_view text, size_t columns,
                 CharacterWidth width) {
  size_t used = 0;
  return AddWidth(prompt, width, &used) && AddWidth(text, width, &used) && used < columns;
}

std::string PaintOver(std::string_view prompt, std::string_view text,
                      const std::vector<query::TokenSpan>& spans) {
  std::string bytes(kSaveCursor);
  bytes += '\r';
  bytes += kPlain;
  bytes += prompt;
  size_t at = 0;
  for (const query::TokenSpan& span : spans) {
    bytes += text.substr(at, span.begin - at);
    bytes += CodeOf(span.kind);
    bytes += text.substr(span.begin, span.end - span.begin);
    bytes += kPlain;
    at = span.end;
  }
  bytes += text.substr(at);
  // The cursor is restored and not moved to a column: if the terminal and readline disagree about
  // the width of a character, readline's next step is still the one that it would take without
  // colours.
  bytes += kRestoreCursor;
  return bytes;
}

}  // namespace sippar::cli
