// INSERT … SELECT writes while its SELECT is still being read, in batches, with bounded memory. Of
// a table that it also writes it reads every row as it was before the statement: a row that lies
// ahead of the reader is written when the reader has passed it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// `schema` is that of the table to write. An error tells how many rows are in and, where the order
// of the SELECT allows it, how to go on.
[[nodiscard]] Status InsertFromSelect(const StatementContext& context,
                                      const engine::TableSchema& schema,
                                      const syntax::Insert& insert);

}  // namespace sippar::query
