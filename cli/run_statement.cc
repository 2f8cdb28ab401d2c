// SPDX-License-Identifier: Apache-2.0
#include "cli/run_statement.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/store.h"
#include "query/session/query_error.h"

namespace sippar::cli {
int RunStatement(const std::string& target, const cluster::Patience& patience,
                 const std::string& statement) {
  Store store(target, patience);
  // IMPORT and EXPORT need a table, so a missing directory is more likely a typing error than a
  // store to create.
  Status opened = store.Open(/*create=*/false);
  if (!opened.ok()) {
    PrintMessage("sippar", MessageOf(opened));
    return kExitNoStore;
  }
  InstallSignalHandlers();
  bool interrupted = false;
  // IMPORT and EXPORT return rows only in a dry run; the printer also shows the progress.
  OutputSettings settings;
  Output output;
  RowPrinter printer(settings, "", &output);
  StatusOr<query::ResultSummary> summary = [&] {
    CancelScope cancel(store.session(), 0);
    auto result = store.session()->Execute(statement, &printer);
    interrupted = cancel.interrupted();
    return result;
  }();
  // The printer ends before messages are printed, because End also wipes the progress line.
  Status printed = printer.End("", summary.ok());
  if (!summary.ok()) {
    fmt::print(stderr, "{}", query::RenderError(statement, query::QueryErrorOf(summary.status())));
    return interrupted ? kExitInterrupted : kExitFailed;
  }
  for (const std::string& notice : summary->notices) PrintMessage(notice);
  if (!summary->tag.empty()) PrintMessage(summary->tag);
  Status closed = store.Close();
  if (!printed.ok()) closed = printed;
  if (closed.ok()) return kExitOk;
  PrintMessage("sippar", MessageOf(closed));
  return kExitFailed;
}

std::string PrintBytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

}  // namespace sippar::cli
