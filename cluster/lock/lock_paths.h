// The only maker of paths in the lock service; what each file holds is in cluster/PROTOCOL.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/server_id.h"
#include "engine/base/status.h"

namespace sippar::cluster::lock_paths {

inline std::string ClusterId() { return "cluster"; }
// Read only for everybody but the lock service itself (LockSession::NextEpoch).
inline std::string EpochCounter() { return "epoch"; }
inline std::string MasterLock() { return "master"; }
inline std::string RootLocation() { return "root"; }  // of the root tablet
inline std::string Servers() { return "servers"; }
std::string Server(const ServerId& server);
inline std::string Tables() { return "tables"; }
std::string Table(uint64_t table_id);
inline std::string Records() { return "records"; }
std::string Record(std::string_view name);
// Back from a name that List(Tables()) gave; of servers: ServerId::Parse.
[[nodiscard]] StatusOr<uint64_t> ParseTable(std::string_view name);

// 1 to 3 parts joined by '/', 200 bytes in all; a part is of [A-Za-z0-9._-], begins with no dot and
// does not end in ".tmp". kInvalidArgument.
[[nodiscard]] Status CheckPath(std::string_view path);

}  // namespace sippar::cluster::lock_paths
