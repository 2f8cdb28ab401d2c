// IMPORT and EXPORT. SPDX-License-Identifier: Apache-2.0
#include "query/execute/transfer.h"

#include "query/query_error.h"

namespace sippar::query {

Status ExecuteImport(const StatementContext&, const syntax::Import&) {
  return ErrorAt("UNSUPPORTED", {}, "IMPORT is understood but not there yet", {},
                 StatusCode::kUnimplemented);
}

Status ExecuteExport(const StatementContext&, const syntax::Export&) {
  return ErrorAt("UNSUPPORTED", {}, "EXPORT is understood but not there yet", {},
                 StatusCode::kUnimplemented);
}

}  // namespace sippar::query
