// Plans SELECT CELLS … WITH DELETES, which shows what is stored.
// SPDX-License-Identifier: Apache-2.0
#include "query/plan/select_planner.h"
#include "query/session/query_error.h"

namespace sippar::query {

Status SelectPlanner::PlanDeletes(const TableArgs& args) {
  const syntax::ReadOptions& options = select.read;
  if (cell_scope == nullptr) {
    return ErrorAt("NOT_CELLS", options.span,
                   "WITH DELETES shows stored versions and deletes, which only the cell view has",
                   "SELECT CELLS … WITH DELETES, or FROM CELLS(t, …) WITH DELETES");
  }
  // Each of these chooses among the cells that a read shows. with_history takes all, as VERSIONS
  // ALL does.
  const bool chooses = options.as_of || args.has_as_of || options.versions || args.has_latest ||
                       options.cells_per_row || options.cells_per_family ||
                       options.cells_per_column ||
                       (options.sample && options.sample_unit == syntax::ReadOptions::kRows);
  if (chooses) {
    return ErrorAt("BAD_OPTION", options.span,
                   "WITH DELETES shows every stored version, so it takes no AS OF, VERSIONS n, "
                   "CELLS PER or SAMPLE n ROWS",
                   "TIME FROM a TO b, WHERE and LIMIT make the answer smaller");
  }
  plan.program.source = engine::Program::kEntries;
  plan.program.read.versions_per_column = 0;
  return OkStatus();
}

}  // namespace sippar::query
