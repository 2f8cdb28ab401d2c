// What IMPORT and EXPORT share: options, formats by name. SPDX-License-Identifier: Apache-2.0
#include "query/execute/transfer.h"

#include <fmt/format.h>

#include <array>

#include "query/analyze/compile.h"
#include "query/query_error.h"

namespace sippar::query {

StatusOr<std::string> TransferFormat(const syntax::Identifier& format, const std::string& path,
                                     const Span& span) {
  constexpr std::array<std::string_view, 4> kFormats = {"csv", "tsv", "jsonl", "cells"};
  std::string name = format.text;
  if (format.empty()) name = path.substr(std::min(path.rfind('.') + 1, path.size()));
  for (std::string_view known : kFormats) {
    if (SameWord(known, name)) return std::string(known);
  }
  return ErrorAt("UNSUPPORTED", format.empty() ? span : format.span,
                 format.empty() ? fmt::format("no format is known by the end of '{}'", path)
                                : fmt::format("format {} is not there yet", name),
                 "FORMAT csv, tsv, jsonl or cells", StatusCode::kUnimplemented);
}

StatusOr<TransferOptions> PlanTransferOptions(const std::vector<syntax::Option>& options) {
  TransferOptions result;
  for (const syntax::Option& option : options) {
    const auto& value = option.value;
    bool is_bool = value && value->literal && value->literal->type == syntax::Literal::kBool;
    if (SameWord(option.name.text, "HEADER") && is_bool) {
      result.header = value->literal->integer != 0;
    } else if (SameWord(option.name.text, "ON_ERROR") && value && SameWord(value->call, "SKIP")) {
      result.skip_errors = true;
    } else if (SameWord(option.name.text, "ON_ERROR") && value && SameWord(value->call, "STOP")) {
      result.skip_errors = false;
    } else if (!SameWord(option.name.text, "BATCH")) {  // batches are sized by their bytes
      return ErrorAt("UNKNOWN_OPTION", option.name.span,
                     fmt::format("option {} is not known here", option.name.text),
                     "HEADER = TRUE or FALSE, ON_ERROR = STOP or SKIP, BATCH");
    }
  }
  return result;
}

StatusOr<std::string> TransferPath(const StatementContext& context, const syntax::Expr& expr) {
  ASSIGN_OR_RETURN(Value path, CompileConstant(context, expr));
  if (!path.is_string() || path.bytes().empty()) {
    return ErrorAt("TYPE", expr.span, "a file is named by a text");
  }
  if (context.session->files == nullptr) {
    return ErrorAt("UNSUPPORTED", expr.span, "files cannot be opened from here", {},
                   StatusCode::kUnimplemented);
  }
  return path.TakeBytes();
}

}  // namespace sippar::query
