// The only maker of paths in the directory that servers share (PROTOCOL.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/server_id.h"

namespace sippar::cluster::store_paths {

inline std::string Logs(const std::string& directory) { return directory + "/wal"; }
inline std::string Locks(const std::string& directory) { return directory + "/lock"; }  // embedded
inline std::string ClusterId(const std::string& directory) { return directory + "/CLUSTER"; }
inline std::string Sstables(const std::string& directory) { return directory + "/sst"; }
// A directory for each table that has a change stream, made by the master before it has.
inline std::string Changes(const std::string& directory) { return directory + "/changes"; }
inline std::string ChangesOf(const std::string& directory, uint64_t table_id) {
  return Changes(directory) + "/" + std::to_string(table_id);
}
// Room that is given up when the disk is full; not every cluster keeps some.
inline std::string Reserve(const std::string& directory) { return directory + "/RESERVE"; }
inline std::string Backups(const std::string& directory) { return directory + "/backups"; }
// What a store had before it became a cluster: a directory.
inline std::string BackupOfStore(const std::string& directory, uint64_t number) {
  return fmt::format("{}/{:016x}", Backups(directory), number);
}
inline std::string Backup(const std::string& directory, uint64_t number) {
  return BackupOfStore(directory, number) + ".backup";
}
// nullopt: a name of something else.
inline std::optional<uint64_t> ParseBackupOfStore(std::string_view name) {
  uint64_t number = 0;
  auto parsed = std::from_chars(name.data(), name.data() + name.size(), number, 16);
  bool whole = parsed.ec == std::errc() && parsed.ptr == name.data() + name.size();
  return whole && name == fmt::format("{:016x}", number) ? std::optional(number) : std::nullopt;
}
inline std::optional<uint64_t> ParseBackup(std::string_view name) {
  if (!name.ends_with(".backup")) return std::nullopt;
  return ParseBackupOfStore(name.substr(0, name.size() - 7));
}
// Made once, by the server at its start; once the name is gone nothing is acknowledged from it.
inline std::string Log(const std::string& directory, const ServerId& server) {
  return Logs(directory) + "/" + server.ToString();
}
// What the master renames it to when the server is dead.
inline std::string SealedLog(const std::string& directory, const ServerId& server) {
  return Log(directory, server) + ".sealed";
}
struct LogName {
  ServerId server;
  bool sealed = false;
};
// nullopt: a name of something else, as in the trash.
inline std::optional<LogName> ParseLog(std::string_view name) {
  bool sealed = name.ends_with(".sealed");
  auto server = ServerId::Parse(name.substr(0, name.size() - (sealed ? 7 : 0)));
  return server.ok() ? std::optional(LogName{*std::move(server), sealed}) : std::nullopt;
}
// The trash lies beside what was thrown away: a rename within a directory is atomic everywhere.
// The time behind it says since when; to bring a file back, take the end off its name.
inline constexpr std::string_view kTrashMark = ".trash-";
// In the log directory: held by flock as long as the server's process lives.
inline std::string LogOwner(const std::string& log_directory) { return log_directory + "/OWNER"; }

}  // namespace sippar::cluster::store_paths
