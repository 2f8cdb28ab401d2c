// Any text through lexer, parser, printer, splitter, completion and the error form: no crash,
// errors inside the text, and what was printed parses to the same tree.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "query/parse/complete.h"
#include "query/parse/parse.h"
#include "query/parse/split.h"
#include "query/session/query_error.h"
#include "query/syntax/ast_print.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckStatement(std::string_view text) {
  auto first = sippar::query::ParseStatement(text);
  if (!first.ok()) {
    sippar::query::QueryError error = sippar::query::QueryErrorOf(first.status());
    Require(error.span.begin <= text.size() && error.span.end <= text.size());
    Require(!sippar::query::RenderError(text, error).empty());
    return;
  }
  std::string printed = sippar::query::Print(*first);
  auto second = sippar::query::ParseStatement(printed);
  Require(second.ok());
  Require(*first == *second);
  Require(sippar::query::Print(*second) == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  sippar::query::SplitResult split = sippar::query::SplitStatements(text);
  for (const auto& statement : split.statements) {
    if (!statement.meta) CheckStatement(statement.text);
  }
  CheckStatement(text);
  (void)sippar::query::CompleteAt(text, size / 2);
  return 0;
}
