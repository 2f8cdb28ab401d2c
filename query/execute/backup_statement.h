// Statements on backups, over the backup calls of the cluster (cluster/api/backup_calls.h): the
// same backups that clients of the Cloud Bigtable API see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "query/session/session.h"
#include "query/syntax/ast.h"

namespace sippar::query {

// The expiry of a backup that is kept until it is dropped: the end of the year 9999, the last time
// that the Cloud Bigtable API can show.
inline constexpr int64_t kNeverExpiresUs = int64_t{253'402'300'799} * 1'000'000;

[[nodiscard]] Status ExecuteBackup(const StatementContext& context, const syntax::Backup& backup);
[[nodiscard]] Status ExecuteRestore(const StatementContext& context,
                                    const syntax::Restore& restore);
[[nodiscard]] Status ExecuteAlterBackup(const StatementContext& context,
                                        const syntax::AlterBackup& alter);
[[nodiscard]] Status ExecuteDropBackup(const StatementContext& context,
                                       const syntax::DropBackup& drop);

}  // namespace sippar::query
