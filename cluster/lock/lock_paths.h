// Names all files and directories of the lock service. cluster/PROTOCOL.md says what each file
// holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/api/server_id.h"
#include "engine/base/status.h"

namespace sippar::cluster::lock_paths {

inline std::string ClusterId() { return "cluster"; }
// The counter of epochs, session ids and fencing numbers. Written by the lock service only; other
// code may read it.
inline std::string EpochCounter() { return "epoch"; }
inline std::string MasterLock() { return "master"; }
// One file for each process that may become the master, held while its session lives.
inline std::string Masters() { return "masters"; }
inline std::string Master(const std::string& name) { return Masters() + "/" + name; }
// This file says where the cluster's files are (cluster/node/store_file.h).
inline std::string Store() { return "store"; }
// Held by the administrator's program that carries a store's lock files to this service or from it.
inline std::string Carrier() { return "carrier"; }
// An administrator stops the cluster by writing this file: processes end when its version rises.
inline std::string StopMark() { return "stop"; }
inline std::string RootLocation() { return "root"; }  // the root tablet's record
inline std::string Servers() { return "servers"; }
std::string Server(const ServerId& server);
inline std::string Tables() { return "tables"; }
std::string Table(uint64_t table_id);
inline std::string Records() { return "records"; }
std::string Record(std::string_view name);
// Parses the name of a file in Tables(). For names of servers, use ServerId::Parse.
[[nodiscard]] StatusOr<uint64_t> ParseTable(std::string_view name);

// kInvalidArgument unless the path has 1 to 3 parts joined by '/' and at most 200 bytes; a part
// consists of [A-Za-z0-9._-], does not begin with a dot and does not end in ".tmp".
[[nodiscard]] Status CheckPath(std::string_view path);

}  // namespace sippar::cluster::lock_paths
