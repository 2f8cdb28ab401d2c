// Runs statements one after another on a store: parses them, opens the store when it is needed,
// executes them with Ctrl-C and a timeout, and prints rows, errors and the footer. Used by `sippar
// query` and the shell. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/output.h"
#include "cli/store.h"
#include "query/parse/split.h"
#include "query/session/query_error.h"

namespace sippar::cli {

struct RunSettings {
  bool interactive = false;
  bool echo = false;
  bool quiet = false;  // omits messages such as "1 row written"
  bool fail_on_empty = false;
  bool fail_on_unapplied = false;
  int64_t timeout_us = 0;
};

// The part of a script that contains a statement, for messages.
struct ScriptPlace {
  std::string name;       // file name; "" for -e and the prompt
  std::string_view text;  // the part of the script in memory
  int first_line = 1;     // line number of `text` in the script
};

class StatementRunner {
 public:
  StatementRunner(Store* store, OutputSettings* output_settings, RunSettings run_settings)
      : store_(store), output_settings_(output_settings), settings_(run_settings) {}

  // Runs the statement and returns its exit code; kExitOk if it succeeded. The statement becomes
  // the last statement.
  int Run(const query::StatementText& statement, const ScriptPlace& place);
  // Runs the first statement. If it is an INSERT whose answer need not be shown separately, also
  // runs the INSERTs of this kind that follow it, and after them an INSERT of another kind. Those
  // of this kind share one sync of the log, and an error still names the statement that failed.
  // Sets *done to the number of statements that were run; the last of them becomes the last
  // statement.
  int RunSome(std::span<const query::StatementText> statements, const ScriptPlace& place,
              size_t* done);
  // Runs a statement that a shell command has built. It does not become the last statement.
  int RunForCommand(const std::string& text);
  // The text of the last statement; "" if none has run.
  const std::string& last() const { return last_; }
  // Prints `status` as an error; in JSON if the format of rows is json or jsonl.
  void PrintError(const Status& status, const query::StatementText& statement,
                  const ScriptPlace& place);
  void PrintError(const Status& status);
  [[nodiscard]] Status SetParameter(const std::string& definition);
  void RemoveParameter(const std::string& name);

  Output* output() { return &output_; }
  Store* store() { return store_; }
  RunSettings* settings() { return &settings_; }
  OutputSettings* output_settings() { return output_settings_; }

 private:
  struct ParsedText {
    StatusOr<query::syntax::Statement> tree;
    bool timed_out = false;
  };
  ParsedText Parse(const query::StatementText& statement);
  int RunParsed(const ParsedText& parsed, const query::StatementText& statement,
                const ScriptPlace& place);
  // True if adjacent INSERTs may run together: no setting needs the answer of each statement
  // separately, and no row transaction is open.
  bool MayRunTogether() const;
  int RunInserts(const std::vector<query::syntax::Statement>& inserts,
                 std::span<const query::StatementText> statements, const ScriptPlace& place,
                 size_t* done);
  int Execute(const query::syntax::Statement& parsed, const query::StatementText& statement,
              const ScriptPlace& place);
  int ExitCodeOf(const Status& status, bool interrupted, bool timed_out) const;
  std::string Foot(const query::ResultSummary& summary, const RowPrinter& printer,
                   int64_t elapsed_us) const;
  // Shows the footer in the pager, if one runs, and waits until the user leaves it. Returns the
  // part of the footer that the user has not seen.
  std::string EndPager(std::string foot);
  void PrintFoot(const std::string& foot) const;
  int RunText(const query::StatementText& statement, const ScriptPlace& place);
  void PrintWarnings(const query::ResultSummary& summary, const query::StatementText& statement,
                     const ScriptPlace& place);
  Status OpenFor(const query::syntax::Statement& parsed);

  Store* store_;
  OutputSettings* output_settings_;
  RunSettings settings_;
  Output output_;
  std::map<std::string, query::Value> parameters_;
  std::string last_;
};

}  // namespace sippar::cli
