// One statement as a command. SPDX-License-Identifier: Apache-2.0
#include "cli/run_statement.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/exit_code.h"
#include "cli/signals.h"
#include "cli/store.h"
#include "query/query_error.h"

namespace sippar::cli {

int RunStatement(const std::string& target, bool create, const std::string& statement) {
  Store store(target);
  Status opened = store.Open(create);
  if (!opened.ok()) {
    fmt::print(stderr, "sippar: {}\n", MessageOf(opened));
    return kExitNoStore;
  }
  InstallSignalHandlers();
  bool interrupted = false;
  query::ResultTable rows;
  StatusOr<query::ResultSummary> summary = [&] {
    CancelScope cancel(store.session(), 0);
    auto result = store.session()->Execute(statement, &rows);
    interrupted = cancel.interrupted();
    return result;
  }();
  if (!summary.ok()) {
    fmt::print(stderr, "{}", query::RenderError(statement, query::QueryErrorOf(summary.status())));
    return interrupted ? kExitInterrupted : kExitFailed;
  }
  for (const std::string& notice : summary->notices) fmt::print(stderr, "{}\n", notice);
  if (!summary->tag.empty()) fmt::print(stderr, "{}\n", summary->tag);
  Status closed = store.Close();
  if (closed.ok()) return kExitOk;
  fmt::print(stderr, "sippar: {}\n", MessageOf(closed));
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
