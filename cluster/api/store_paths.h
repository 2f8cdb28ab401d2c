// The only maker of paths in the directory that servers share (reliability.md 3.4).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/api/server_id.h"

namespace sippar::cluster::store_paths {

inline std::string Logs(const std::string& directory) { return directory + "/wal"; }
inline std::string Sstables(const std::string& directory) { return directory + "/sst"; }
// A directory for each table that has a change stream, made by the master before it has.
inline std::string Changes(const std::string& directory) { return directory + "/changes"; }
inline std::string ChangesOf(const std::string& directory, uint64_t table_id) {
  return Changes(directory) + "/" + std::to_string(table_id);
}
inline std::string Backups(const std::string& directory) { return directory + "/backups"; }
// Made once, by the server at its start; once the name is gone nothing is acknowledged from it.
inline std::string Log(const std::string& directory, const ServerId& server) {
  return Logs(directory) + "/" + server.ToString();
}
// What the master renames it to when the server is dead.
inline std::string SealedLog(const std::string& directory, const ServerId& server) {
  return Log(directory, server) + ".sealed";
}
// In the log directory: held by flock as long as the server's process lives.
inline std::string LogOwner(const std::string& log_directory) { return log_directory + "/OWNER"; }

}  // namespace sippar::cluster::store_paths
