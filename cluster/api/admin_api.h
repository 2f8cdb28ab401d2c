// The interface for administrators, which the master of a cluster implements. Each call is a struct
// with its contract in admin_calls.h or backup_calls.h. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/api/admin_calls.h"
#include "cluster/api/backup_calls.h"

namespace sippar::cluster {

class AdminApi : public Port<decltype(Join(calls::AdminCalls(), calls::BackupCalls()))> {};

}  // namespace sippar::cluster
