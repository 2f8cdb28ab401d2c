// Holds what IMPORT and EXPORT share: their options, the format and the path of the file.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "query/analyze/compile.h"
#include "query/session/query_error.h"

namespace sippar::query {

StatusOr<std::string> TransferFormat(const syntax::Identifier& format, const std::string& path,
                                     const Span& span) {
  constexpr std::array<std::string_view, 6> kFormats = {"csv",       "tsv",   "jsonl",
                                                        "jsonl-b64", "cells", "raw"};
  std::string name = format.text;
  if (format.empty()) {
    // page.csv.gz is a csv file: FileAccess compresses and decompresses by the last suffix.
    std::string plain = path;
    for (std::string_view packed : {".zst", ".gz"}) {
      if (plain.ends_with(packed)) plain.resize(plain.size() - packed.size());
    }
    name = plain.substr(std::min(plain.rfind('.') + 1, plain.size()));
  }
  // The language allows a minus in a name only in backquotes, so jsonl_b64 means jsonl-b64.
  std::replace(name.begin(), name.end(), '_', '-');
  // Upper and lower case are the same, also for a path's suffix: data.CSV is csv.
  for (std::string_view known : kFormats) {
    if (SameWord(known, name)) return std::string(known);
  }
  return ErrorAt("UNSUPPORTED", format.empty() ? span : format.span,
                 format.empty() ? fmt::format("the name '{}' does not end in a known format", path)
                                : fmt::format("files of format {} are not supported", name),
                 SameWord(name, "parquet")
                     ? "convert it with DuckDB: COPY (FROM 'f.parquet') TO 'f.csv'; FORMAT csv"
                     : "FORMAT csv, tsv, jsonl, jsonl_b64, cells or raw",
                 StatusCode::kUnimplemented);
}

namespace {

// The options that one of the two statements takes.
struct TakenOptions {
  std::string_view statement;
  std::span<const std::string_view> names;
  std::string_view hint;
};

constexpr std::array<std::string_view, 11> kImportNames = {
    "HEADER",    "ON_ERROR", "SKIP",    "SKIP_LINES", "DELIMITER", "QUOTE",
    "NULL_TEXT", "ENCODING", "DRY_RUN", "JOBS",       "BATCH"};
constexpr TakenOptions kImportOptions = {
    "IMPORT", kImportNames,
    "HEADER = TRUE or FALSE, ON_ERROR = STOP, SKIP or FILE('bad.csv'), SKIP = n records, "
    "SKIP_LINES = n, DELIMITER = ';', QUOTE = '\"', NULL_TEXT = 'NA', ENCODING = 'UTF-16', "
    "DRY_RUN = TRUE or FALSE, JOBS = 1 to 64, BATCH = n"};
constexpr std::array<std::string_view, 2> kExportNames = {"HEADER", "JOBS"};
constexpr TakenOptions kExportOptions = {"EXPORT", kExportNames,
                                         "HEADER = TRUE or FALSE, JOBS = 1 to 64"};

// True if the option has this name and a literal of this type as its value.
bool IsOption(const syntax::Option& option, std::string_view name, syntax::Literal::Type type) {
  const auto& value = option.value;
  return SameWord(option.name.text, name) && value && value->literal &&
         value->literal->type == type;
}

// Sets a delimiter or a quote character: one byte that is not part of a line end.
bool SetCharacter(const syntax::Option& option, std::string_view name, char* character) {
  if (!IsOption(option, name, syntax::Literal::kText)) return false;
  const std::string& text = option.value->literal->text;
  // A longer delimiter would need a search in place of a comparison for every byte. A line end as
  // the delimiter could not be distinguished from the end of a record.
  if (text.size() != 1 || text == "\n" || text == "\r") return false;
  *character = text[0];
  return true;
}

bool SetCount(const syntax::Option& option, std::string_view name, uint64_t* count) {
  bool is_count =
      IsOption(option, name, syntax::Literal::kInt64) && option.value->literal->integer >= 0;
  if (is_count) *count = static_cast<uint64_t>(option.value->literal->integer);
  return is_count;
}

bool SetJobs(const syntax::Option& option, size_t* jobs) {
  constexpr uint64_t kJobsMax = 64;
  uint64_t count = 0;
  if (!SetCount(option, "JOBS", &count) || count == 0 || count > kJobsMax) return false;
  *jobs = count;
  return true;
}

// Sets ON_ERROR to STOP, SKIP or FILE('bad.csv'), which may also be written FILE 'bad.csv'.
bool SetOnError(const syntax::Option& option, TransferOptions* options) {
  if (!SameWord(option.name.text, "ON_ERROR") || !option.value) return false;
  const syntax::OptionValue& value = *option.value;
  if (SameWord(value.call, "FILE")) {
    bool is_path = value.args.size() == 1 && value.args[0].literal &&
                   value.args[0].literal->type == syntax::Literal::kText &&
                   !value.args[0].literal->text.empty();
    if (is_path) options->bad_file = value.args[0].literal->text;
    options->skip_errors = is_path;
    return is_path;
  }
  if (!value.args.empty()) return false;
  options->skip_errors = SameWord(value.call, "SKIP");
  return options->skip_errors || SameWord(value.call, "STOP");
}

bool SetFlag(const syntax::Option& option, std::string_view name, bool* flag) {
  if (!IsOption(option, name, syntax::Literal::kBool)) return false;
  *flag = option.value->literal->integer != 0;
  return true;
}

bool SetOption(const syntax::Option& option, TransferOptions* options) {
  if (IsOption(option, "ENCODING", syntax::Literal::kText)) {
    options->encoding = option.value->literal->text;
    return true;
  }
  if (IsOption(option, "NULL_TEXT", syntax::Literal::kText)) {
    options->file.null_text = option.value->literal->text;
    return true;
  }
  // Each Set function returns false for an option of another name, so their order does not matter.
  // A wrong value also gives false: the caller's error lists all names with their values.
  return SetFlag(option, "HEADER", &options->file.header) ||
         SetFlag(option, "DRY_RUN", &options->dry_run) || SetOnError(option, options) ||
         SetJobs(option, &options->jobs) || SetCount(option, "SKIP", &options->skip) ||
         SetCount(option, "SKIP_LINES", &options->file.skip_lines) ||
         SetCharacter(option, "DELIMITER", &options->file.delimiter) ||
         SetCharacter(option, "QUOTE", &options->file.quote) ||
         // The option BATCH has no effect: ImportWriter chooses the size of the batches.
         SameWord(option.name.text, "BATCH");
}

StatusOr<TransferOptions> PlanOptions(const std::vector<syntax::Option>& options,
                                      const TakenOptions& taken) {
  TransferOptions result;
  for (const syntax::Option& option : options) {
    const std::string& name = option.name.text;
    const bool is_taken = std::ranges::any_of(
        taken.names, [&](std::string_view each) { return SameWord(name, each); });
    if (is_taken && SetOption(option, &result)) continue;
    return ErrorAt("UNKNOWN_OPTION", option.name.span,
                   is_taken ? fmt::format("option {} cannot have this value", name)
                            : fmt::format("{} has no option {}", taken.statement, name),
                   taken.hint);
  }
  return result;
}

}  // namespace

StatusOr<TransferOptions> PlanTransferOptions(const syntax::Import& import) {
  // Over a network more parts are faster. To a store of this process they change little: it has one
  // log, and one thread reads the file.
  constexpr size_t kJobs = 4;
  ASSIGN_OR_RETURN(TransferOptions options, PlanOptions(import.options, kImportOptions));
  if (options.jobs == 0) options.jobs = kJobs;
  return options;
}

StatusOr<TransferOptions> PlanTransferOptions(const syntax::Export& statement) {
  return PlanOptions(statement.options, kExportOptions);
}

StatusOr<std::string> TransferPath(const StatementContext& context, const syntax::Expr& expr) {
  ASSIGN_OR_RETURN(Value path, CompileConstant(context, expr));
  if (!path.is_string() || path.bytes().empty()) {
    return ErrorAt("TYPE", expr.span, "the file name must be a TEXT");
  }
  // A server that executes statements for its clients has no FileAccess: clients must not read the
  // server's files.
  if (context.session->files == nullptr) {
    return ErrorAt("UNSUPPORTED", expr.span,
                   "this session has no access to files, so IMPORT and EXPORT are refused",
                   "use sippar shell, query, import or export", StatusCode::kUnimplemented);
  }
  return path.TakeBytes();
}

}  // namespace sippar::query
