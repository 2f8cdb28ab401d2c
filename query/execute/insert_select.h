// INSERT … SELECT writes while its SELECT is still being read, in batches, with bounded memory. If
// it reads the table that it writes, it reads every row as it was before the statement: a write to
// a row ahead of the reader waits until the reader has passed that row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// `schema` is the schema of the table to write. An error says how many rows were written and, if
// the order of the SELECT allows it, how to continue.
[[nodiscard]] Status InsertFromSelect(const StatementContext& context,
                                      const engine::TableSchema& schema,
                                      const syntax::Insert& insert);

}  // namespace sippar::query
