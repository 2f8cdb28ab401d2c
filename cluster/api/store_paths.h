// Makes and parses the paths in the directory that the servers share (cluster/PROTOCOL.md, "The
// shared directory"), except STORE (engine/store/store_files.h), sippar.sock (net/unix_socket.h),
// and the names of files that the engine makes in sst/, wal/ and changes/. Pure.
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
// The embedded lock service's files, where one process is the whole cluster.
inline std::string Locks(const std::string& directory) { return directory + "/lock"; }
inline std::string ClusterId(const std::string& directory) { return directory + "/CLUSTER"; }
// A file that names the cluster of many processes to which the directory belongs
// (cluster/node/target_file.h).
inline std::string TargetFile(const std::string& directory) { return directory + "/TARGET"; }
// The new name of the directory Locks after its files were copied to another lock service. The
// directory keeps this name until it is removed.
inline std::string CarriedLocks(const std::string& directory) {
  return directory + "/lock.carried";
}
inline std::string Sstables(const std::string& directory) { return directory + "/sst"; }
// Holds one directory for each table with a change stream. The master makes it before it gives the
// table the stream, so that a server which logs changes never finds it missing.
inline std::string Changes(const std::string& directory) { return directory + "/changes"; }
inline std::string ChangesOf(const std::string& directory, uint64_t table_id) {
  return Changes(directory) + "/" + std::to_string(table_id);
}
// A file of zeros that is removed when the disk is full, so that there is space to drop a table.
// Not every cluster keeps one.
inline std::string Reserve(const std::string& directory) { return directory + "/RESERVE"; }
inline std::string Backups(const std::string& directory) { return directory + "/backups"; }
// The upper half of a backup's number is the epoch of the master that made the backup.
inline std::string Backup(const std::string& directory, uint64_t number) {
  return fmt::format("{}/{:016x}.backup", Backups(directory), number);
}
// nullopt: `name` is not the name of a backup's manifest.
inline std::optional<uint64_t> ParseBackup(std::string_view name) {
  uint64_t number = 0;
  auto parsed = std::from_chars(name.data(), name.data() + name.size(), number, 16);
  bool whole = parsed.ec == std::errc() && name == fmt::format("{:016x}.backup", number);
  return whole ? std::optional(number) : std::nullopt;
}
// The log directory of one process of a server, which makes it when it starts. The master fences a
// dead server by renaming the directory: from then on the server acknowledges no write
// (cluster/PROTOCOL.md, step W3).
inline std::string Log(const std::string& directory, const ServerId& server) {
  return Logs(directory) + "/" + server.ToString();
}
// The name that the master gives to the log directory of a dead server (step F2).
inline std::string SealedLog(const std::string& directory, const ServerId& server) {
  return Log(directory, server) + ".sealed";
}
struct LogName {
  ServerId server;
  bool sealed = false;
};
// nullopt: `name` does not name a log, for example because the log was moved to the trash.
inline std::optional<LogName> ParseLog(std::string_view name) {
  bool sealed = name.ends_with(".sealed");
  auto server = ServerId::Parse(name.substr(0, name.size() - (sealed ? 7 : 0)));
  return server.ok() ? std::optional(LogName{*std::move(server), sealed}) : std::nullopt;
}
// A removed file stays in its directory under its name with this mark and the time of the removal,
// because a rename within one directory is atomic on every file system. To restore a file, rename
// it to the part before the mark.
inline constexpr std::string_view kTrashMark = ".trash-";
// A file in the log directory on which the server's process holds a flock. The kernel frees the
// flock when the process is gone, which proves to the master that the writer has stopped
// (cluster/PROTOCOL.md, step F1).
inline std::string LogOwner(const std::string& log_directory) { return log_directory + "/OWNER"; }
// A file in the log directory in which the server's process notes that it crashes (crash_note.h).
inline std::string CrashNote(const std::string& log_directory) { return log_directory + "/CRASH"; }

}  // namespace sippar::cluster::store_paths
