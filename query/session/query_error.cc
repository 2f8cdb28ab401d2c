// SPDX-License-Identifier: Apache-2.0
#include "query/session/query_error.h"

#include <absl/strings/cord.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/base/coding.h"
#include "engine/base/utf8.h"
#include "engine/program/value.h"
#include "query/session/text_width.h"

namespace sippar::query {
namespace {

// Statements are parsed and planned in the process that shows their errors, so the payload crosses
// no wire and its encoding may change.
constexpr const char* kPayloadUrl = "type.sippar/query_error";
constexpr size_t kExcerptMax = 160;  // bytes of the source line shown

void PutSpan(std::string* out, const Span& span) {
  engine::PutVarint(out, static_cast<uint64_t>(span.line));
  engine::PutVarint(out, static_cast<uint64_t>(span.column));
  engine::PutVarint(out, span.begin);
  engine::PutVarint(out, span.end);
}

Span GetSpan(engine::Reader* reader) {
  Span span;
  span.line = static_cast<int>(reader->Varint());
  span.column = static_cast<int>(reader->Varint());
  span.begin = reader->Varint();
  span.end = reader->Varint();
  return span;
}

// Returns a piece of the statement's text in printable form, so that a script cannot control the
// terminal or hide text. Adds the number of terminal columns that the result takes to *width.
std::string Shown(std::string_view text, size_t* width) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\t', ' ');
  out = engine::PrintEscaped(out);
  *width += TextWidth(out);
  return out;
}

// Returns the begin and end of the line of `text` that contains the offset `at`. A longer line is
// cut to kExcerptMax bytes around `at`, without splitting a UTF-8 character.
std::pair<size_t, size_t> LineAround(std::string_view text, size_t at) {
  size_t begin = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  size_t end = std::min(text.find('\n', at), text.size());
  // The excerpt leaves out the \r of a line end \r\n: it would be printed as an escape.
  if (end > begin && text[end - 1] == '\r') --end;
  if (end - begin > kExcerptMax) {
    begin = std::max(begin, at > kExcerptMax / 2 ? at - kExcerptMax / 2 : 0);
    end = std::min(end, begin + kExcerptMax);
    while (begin < at && engine::IsContinuation(text[begin])) ++begin;
    while (end > begin && end < text.size() && engine::IsContinuation(text[end])) --end;
  }
  return {begin, std::max(begin, end)};
}

// The source line, and below it carets under each span of the error in that line.
std::string Excerpt(std::string_view text, const QueryError& error, int first_line) {
  size_t at = std::min(error.span.begin, text.size());
  auto [begin, end] = LineAround(text, at);
  size_t width = 0;
  std::string number = fmt::format("{}", error.span.line + first_line - 1);
  std::string out =
      fmt::format("  {} | {}\n", number, Shown(text.substr(begin, end - begin), &width));
  std::string carets;
  std::vector<Span> spans = error.more;
  spans.push_back(error.span);
  for (const Span& span : spans) {
    // A span that begins in another line, or outside of the part of a long line that is shown, gets
    // no carets.
    if (span.begin < begin || span.begin > end) continue;
    size_t start = 0;
    size_t length = 0;
    Shown(text.substr(begin, span.begin - begin), &start);
    size_t stop = std::clamp(span.end, span.begin, std::max(end, span.begin));
    Shown(text.substr(span.begin, stop - span.begin), &length);
    // An empty span, such as the end of the text, still gets one caret.
    length = std::max<size_t>(length, 1);
    if (carets.size() < start + length) carets.resize(start + length, ' ');
    std::fill_n(carets.begin() + static_cast<ptrdiff_t>(start), length, '^');
  }
  out += fmt::format("  {} | {}", std::string(number.size(), ' '), carets);
  if (!error.hint.empty()) out += " " + Shown(error.hint, &width);
  return out + "\n";
}

// Returns the code word of an error that has no QueryError, such as an error of the cluster: the
// name of its status code. Every error needs a code word, since scripts compare code words.
std::string_view CodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kCancelled:
      return "CANCELLED";
    case StatusCode::kInvalidArgument:
      return "INVALID";
    case StatusCode::kDeadlineExceeded:
      return "TIMEOUT";
    case StatusCode::kNotFound:
      return "NOT_FOUND";
    case StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case StatusCode::kAborted:
      return "ABORTED";
    case StatusCode::kOutOfRange:
      return "OUT_OF_RANGE";
    case StatusCode::kUnimplemented:
      return "UNSUPPORTED";
    case StatusCode::kInternal:
      return "INTERNAL";
    case StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case StatusCode::kDataLoss:
      return "DATA_LOSS";
    default:
      return "UNKNOWN";
  }
}

// The number of edits (insert, delete, replace, swap of neighbours) between two words, case
// ignored. A swap counts as one edit, since it is the most frequent typing error (FORM for FROM).
// NearestWord bounds the lengths, on which the cost depends.
size_t EditDistance(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        cost[i][k] = i + k;
        continue;
      }
      bool same = lower(a[i - 1]) == lower(b[k - 1]);
      cost[i][k] =
          std::min({cost[i - 1][k] + 1, cost[i][k - 1] + 1, cost[i - 1][k - 1] + (same ? 0U : 1U)});
      if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) &&
          lower(a[i - 2]) == lower(b[k - 1])) {
        cost[i][k] = std::min(cost[i][k], cost[i - 2][k - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

Status ToStatus(const QueryError& error, StatusCode status_code) {
  // The message alone must make sense, too: logs and callers that know no QueryError print nothing
  // else.
  Status status(status_code, fmt::format("{}: {}", error.code, error.message));
  std::string payload;
  engine::PutBytes(&payload, error.code);
  engine::PutBytes(&payload, error.message);
  engine::PutBytes(&payload, error.hint);
  PutSpan(&payload, error.span);
  engine::PutVarint(&payload, error.more.size());
  for (const Span& span : error.more) PutSpan(&payload, span);
  status.SetPayload(kPayloadUrl, absl::Cord(payload));
  return status;
}

Status ErrorAt(std::string_view code, const Span& span, std::string_view message,
               std::string_view hint, StatusCode status_code) {
  QueryError error;
  error.code = std::string(code);
  error.message = std::string(message);
  error.span = span;
  error.hint = std::string(hint);
  return ToStatus(error, status_code);
}

QueryError QueryErrorOf(const Status& status) {
  QueryError error;
  auto payload = status.GetPayload(kPayloadUrl);
  if (payload) {
    std::string bytes(*payload);
    engine::Reader reader(bytes);
    error.code = std::string(reader.Bytes());
    error.message = std::string(reader.Bytes());
    error.hint = std::string(reader.Bytes());
    error.span = GetSpan(&reader);
    size_t more = reader.Count();
    for (size_t i = 0; i < more && reader.ok(); ++i) error.more.push_back(GetSpan(&reader));
    // If the payload cannot be decoded, the code and the message of the Status itself are used.
    if (reader.ok()) return error;
    error = {};
  }
  error.code = std::string(CodeName(status.code()));
  error.message = std::string(MessageOf(status));
  return error;
}

Status HintIfInterrupted(const Status& status, const std::string& hint) {
  if (status.code() != StatusCode::kCancelled && status.code() != StatusCode::kDeadlineExceeded) {
    return status;
  }
  QueryError error = QueryErrorOf(status);
  error.hint = hint;
  return ToStatus(error, status.code());
}

Status LineIn(std::string_view text, const Status& status) {
  if (status.ok() || !status.GetPayload(kPayloadUrl)) return status;
  QueryError error = QueryErrorOf(status);
  // An error of a compiled expression has only offsets. Each expression that a program sends to the
  // tablets contains a TextPlace, so a TextPlace has no line and column; they are computed here,
  // after an error.
  bool offsets_only = error.span.line == 0 && error.span.end > 0 && error.span.end <= text.size();
  if (!offsets_only) return status;
  std::string_view before = text.substr(0, error.span.begin);
  size_t line_begin = before.rfind('\n') + 1;  // 0 if there is no newline
  error.span.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  error.span.column = 1 + static_cast<int>(std::count_if(
                              before.begin() + static_cast<ptrdiff_t>(line_begin), before.end(),
                              [](char c) { return !engine::IsContinuation(c); }));
  return ToStatus(error, status.code());
}

namespace {

std::string Render(std::string_view kind, std::string_view text, const QueryError& error,
                   std::string_view script_name, int first_line) {
  std::string out = fmt::format("{} {}: ", kind, error.code);
  size_t width = 0;
  if (!script_name.empty()) out += Shown(script_name, &width) + ":";
  if (error.span.line > 0) {
    out += fmt::format("{}:{}: ", error.span.line + first_line - 1, error.span.column);
  } else if (!script_name.empty()) {
    out += " ";
  }
  out += Shown(error.message, &width) + "\n";
  // If the place is known, Excerpt prints the hint after the carets, so that the hint can refer to
  // the marked text.
  if (error.span.line > 0) return out + Excerpt(text, error, first_line);
  if (!error.hint.empty()) out += fmt::format("  hint: {}\n", Shown(error.hint, &width));
  return out;
}

}  // namespace

std::string RenderError(std::string_view text, const QueryError& error,
                        std::string_view script_name, int first_line) {
  return Render("error", text, error, script_name, first_line);
}

std::string RenderWarning(std::string_view text, const QueryError& warning,
                          std::string_view script_name, int first_line) {
  return Render("warning", text, warning, script_name, first_line);
}

std::string NearestWord(std::string_view word, const std::vector<std::string>& words) {
  // A longer word is probably not a mistyped keyword, and a comparison costs the product of both
  // lengths.
  constexpr size_t kWordMax = 64;
  if (word.size() > kWordMax) return "";
  std::string best;
  // The distance of a suggestion must be below best_distance. Its first value is low for a short
  // word, because otherwise almost any word would be near enough.
  size_t best_distance = word.size() <= 2 ? 1 : word.size() <= 4 ? 2 : word.size() <= 8 ? 3 : 4;
  for (const std::string& candidate : words) {
    if (candidate.size() > kWordMax) continue;
    size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace sippar::query
