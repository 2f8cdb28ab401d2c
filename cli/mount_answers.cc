// SPDX-License-Identifier: Apache-2.0
#include "cli/mount_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <variant>

#include "query/format/format.h"
#include "query/parse/parse.h"
#include "query/query.h"
#include "query/session/query_error.h"
#include "query/session/statement_reporter.h"
#include "query/syntax/ast_print.h"

namespace sippar::cli {
namespace {

constexpr std::string_view kQuerySuffix = ".sql";
// Number of bytes of text that TextSink gathers before it passes them to its ByteSink.
constexpr size_t kPartBytes = 64 << 10;

// Formats rows and passes their text to a ByteSink.
class TextSink final : public query::ResultSink {
 public:
  TextSink(query::ResultFormatter* formatter, const fuse::ByteSink& sink)
      : formatter_(formatter), sink_(sink) {}

  void Begin(const std::vector<query::ResultColumn>& columns) override {
    std::vector<std::string> names;
    for (const query::ResultColumn& column : columns) names.push_back(column.name);
    status_ = formatter_->Begin(names, &text_);
    has_begun_ = true;
  }
  bool Rows(std::vector<query::Row> rows) override {
    for (const query::Row& row : rows) {
      if (!status_.ok() || !goes_on_) break;
      formatter_->Add(row, &text_);
      if (text_.size() >= kPartBytes) Pass();
    }
    // The text of each batch is passed on at once, so that the reader of a slow statement sees the
    // first rows early.
    Pass();
    return status_.ok() && goes_on_;
  }
  Status End() {
    RETURN_IF_ERROR(status_);
    if (has_begun_ && goes_on_) formatter_->End({}, &text_);
    Pass();
    return OkStatus();
  }

 private:
  void Pass() {
    if (!text_.empty() && goes_on_) goes_on_ = sink_(text_);
    text_.clear();
  }

  query::ResultFormatter* const formatter_;
  const fuse::ByteSink& sink_;
  std::string text_;
  Status status_;
  bool has_begun_ = false;
  bool goes_on_ = true;
};

// Collects the single value of each row.
class ValueSink final : public query::ResultSink {
 public:
  void Begin(const std::vector<query::ResultColumn>&) override {}
  bool Rows(std::vector<query::Row> rows) override {
    for (query::Row& row : rows) values.push_back(std::move(row.at(0)));
    return true;
  }
  std::vector<query::Value> values;
};

struct SelectText {
  std::string text;
  size_t test_begin = 0;  // offset of the last test in `text`
};

// Builds SELECT `items` for the rows of a question. Each test has its own lines, so that a comment
// at its end does not hide what follows.
SelectText SelectOf(std::string_view items, const fuse::RowQuestion& question) {
  SelectText select;
  select.text = fmt::format("SELECT {} FROM {}", items, query::QuoteName(question.table));
  if (question.as_of.has_value()) select.text += fmt::format(" AS OF {}", *question.as_of);
  std::string_view word = " WHERE ";
  auto add = [&](std::string_view before, std::string_view test, std::string_view after) {
    select.text += word;
    select.text += before;
    select.test_begin = select.text.size();
    select.text += test;
    select.text += after;
    word = " AND ";
  };
  const engine::RowRange& range = question.range;
  if (!range.start.empty()) add("", "row >= " + query::QuoteBytes(range.start), "");
  if (!range.limit.empty()) add("", "row < " + query::QuoteBytes(range.limit), "");
  for (const std::string& test : question.tests) add("(\n", test, "\n)");
  if (question.rows_max > 0) select.text += fmt::format(" LIMIT {}", question.rows_max);
  return select;
}

// Puts an error of the query language into one line, with its offset in the user's text, which
// starts at byte `begin` of the statement. Keeps status codes that say why a call failed, such as
// kUnavailable. All other errors become kInvalidArgument, because they lie in the user's text.
Status ErrorOf(std::string_view what, const Status& status, size_t begin) {
  query::QueryError error = query::QueryErrorOf(status);
  std::string place;
  if (error.span.line > 0 && error.span.begin >= begin) {
    place = fmt::format(" at byte {}", error.span.begin - begin + 1);
  }
  std::string text = fmt::format("{}: {}{}: {}", what, error.code, place, error.message);
  if (!error.hint.empty()) text += fmt::format("; {}", error.hint);
  switch (status.code()) {
    case StatusCode::kCancelled:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kUnavailable:
    case StatusCode::kResourceExhausted:
    case StatusCode::kPermissionDenied:
    case StatusCode::kUnauthenticated:
    case StatusCode::kDataLoss:
    case StatusCode::kInternal:
      return Status(status.code(), text);
    default:
      return InvalidArgument(text);
  }
}

bool OnlyReads(const query::syntax::Statement& statement) {
  if (const auto* explain = std::get_if<query::syntax::Explain>(&statement.node)) {
    return OnlyReads(*explain->statement);  // EXPLAIN ANALYZE runs its statement
  }
  return std::holds_alternative<query::syntax::Select>(statement.node) ||
         std::holds_alternative<query::syntax::Show>(statement.node) ||
         std::holds_alternative<query::syntax::Describe>(statement.node);
}

class LanguageAnswers final : public fuse::Answers {
 public:
  LanguageAnswers(cluster::Client* client, const std::string& queries)
      : client_(client), queries_(queries) {}

  Status Check(const fuse::RowQuestion& question, const cluster::CallOptions& call) override {
    const std::string& test = question.tests.back();
    // The test is first parsed alone: a text like "a) OR (b" would be accepted inside the
    // parentheses that SelectOf adds.
    auto parsed = query::ParseExpression(test);
    if (!parsed.ok()) return ErrorOf(WhatOf(question), parsed.status(), 0);
    SelectText select = SelectOf("row", question);
    constexpr std::string_view kExplain = "EXPLAIN ";
    ValueSink plan;
    auto done = NewSession(call)->Execute(std::string(kExplain) + select.text, &plan);
    if (done.ok()) return OkStatus();
    return ErrorOf(WhatOf(question), done.status(), select.test_begin + kExplain.size());
  }

  StatusOr<std::vector<std::string>> Keys(const fuse::RowQuestion& question,
                                          const cluster::CallOptions& call) override {
    ValueSink rows;
    RETURN_IF_ERROR(Ask("row", question, call, &rows));
    std::vector<std::string> keys;
    for (const query::Value& value : rows.values) keys.push_back(value.bytes());
    return keys;
  }

  StatusOr<uint64_t> Count(const fuse::RowQuestion& question,
                           const cluster::CallOptions& call) override {
    ValueSink counts;
    RETURN_IF_ERROR(Ask("COUNT(*)", question, call, &counts));
    if (counts.values.size() != 1) return Internal("the count of rows has no single value");
    return static_cast<uint64_t>(counts.values.front().integer());
  }

  Status Print(const fuse::RowQuestion& question, std::string_view format,
               const cluster::CallOptions& call, const fuse::ByteSink& sink) override {
    ASSIGN_OR_RETURN(auto formatter, query::NewFormatter(format, {}));
    TextSink text(formatter.get(), sink);
    RETURN_IF_ERROR(Ask("*", question, call, &text));
    return text.End();
  }

  StatusOr<std::vector<std::string>> SavedNames() override {
    std::vector<std::string> names;
    if (queries_.empty()) return names;
    std::error_code error;
    std::filesystem::directory_iterator files(queries_, error);
    for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) {
      std::string name = files->path().filename();
      if (name.starts_with('.') || !name.ends_with(kQuerySuffix)) continue;
      names.push_back(name.substr(0, name.size() - kQuerySuffix.size()));
    }
    if (error) {
      return Internal(
          fmt::format("folder {}: it cannot be listed ({})", queries_, error.message()));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  StatusOr<std::string> SavedText(std::string_view name) override {
    // A name without '/' cannot lead out of the folder.
    bool is_name = !name.empty() && !name.starts_with('.') && name.find('/') == name.npos;
    std::ifstream file;
    if (is_name && !queries_.empty()) {
      file.open(std::filesystem::path(queries_) / (std::string(name) + std::string(kQuerySuffix)));
    }
    if (!file.is_open()) return NotFound(fmt::format("saved query {} not found", name));
    std::ostringstream text;
    text << file.rdbuf();
    if (file.bad()) return Internal(fmt::format("saved query {}: it cannot be read", name));
    return text.str();
  }

  Status PrintStatement(std::string_view statement, std::string_view format,
                        const cluster::CallOptions& call, const fuse::ByteSink& sink) override {
    constexpr std::string_view kWhat = "its statement";
    auto parsed = query::ParseStatement(statement);
    if (!parsed.ok()) return ErrorOf(kWhat, parsed.status(), 0);
    if (!OnlyReads(*parsed)) {
      return InvalidArgument(
          "its statement would write, and the mount is read-only; use SELECT, SHOW, DESCRIBE or "
          "EXPLAIN");
    }
    ASSIGN_OR_RETURN(auto formatter, query::NewFormatter(format, {}));
    TextSink text(formatter.get(), sink);
    auto done = NewSession(call)->Execute(*parsed, statement, &text);
    if (!done.ok()) return ErrorOf(kWhat, done.status(), 0);
    return text.End();
  }

 private:
  std::unique_ptr<query::Session> NewSession(const cluster::CallOptions& call) {
    query::SessionOptions options;
    options.cancel = call.cancel;
    options.timeout_us = call.timeout_us;
    options.reporter = &reporter_;
    return query::Session::New(client_, options);
  }

  static std::string WhatOf(const fuse::RowQuestion& question) {
    if (question.tests.empty()) return fmt::format("table {}", question.table);
    return fmt::format("table {}: .where/{}", question.table, question.tests.back());
  }

  Status Ask(std::string_view items, const fuse::RowQuestion& question,
             const cluster::CallOptions& call, query::ResultSink* sink) {
    SelectText select = SelectOf(items, question);
    auto done = NewSession(call)->Execute(select.text, sink);
    if (done.ok()) return OkStatus();
    return ErrorOf(WhatOf(question), done.status(), select.test_begin);
  }

  cluster::Client* const client_;
  query::StatementReporter reporter_{client_};
  const std::string queries_;
};

}  // namespace

std::unique_ptr<fuse::Answers> NewMountAnswers(cluster::Client* client,
                                               const std::string& queries) {
  return std::make_unique<LanguageAnswers>(client, queries);
}

}  // namespace sippar::cli
