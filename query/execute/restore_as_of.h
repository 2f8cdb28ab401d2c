// RESTORE TABLE … FROM b AS OF time: the table of the backup, with the changes that its source had
// from then up to the time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "cluster/api/backup_calls.h"
#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The hint after an interrupted call of RestoreTable.
inline constexpr std::string_view kRestoreMayGoOn =
    "the restore may go on; SHOW TABLES has the table when it is done";

// Creates the table restore.table, which appears with all changes or not at all, and returns how
// many changes were added to the backup. The work is done in a table of another name, which is
// dropped at the end, also after a failure or Ctrl-C; only a kill, or a cluster that does not
// answer, leaves it. Errors: TYPE (AS OF is not a time), RANGE (the time is before the end of the
// backup or in the future), NO_CHANGE_STREAM (the source does not keep all its changes since the
// backup), UNKNOWN_TABLE, SCHEMA_CHANGED, UNSUPPORTED; kAlreadyExists if the table exists.
[[nodiscard]] StatusOr<uint64_t> RestoreAsOf(const StatementContext& context,
                                             const syntax::Restore& restore,
                                             const cluster::BackupInfo& backup);

}  // namespace sippar::query
