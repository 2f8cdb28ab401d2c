// The interface for administrators, which the master of a cluster implements. Each call is a struct
// with its contract in admin_calls.h, backup_calls.h or statement_calls.h. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/admin_calls.h"
#include "cluster/api/backup_calls.h"
#include "cluster/api/statement_calls.h"

namespace sippar::cluster {

class AdminApi : public Port<decltype(Join(Join(calls::AdminCalls(), calls::BackupCalls()),
                                           calls::StatementCalls()))> {};

}  // namespace sippar::cluster
