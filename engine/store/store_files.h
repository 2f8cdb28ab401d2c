// The identity of a store's directory, and the room that it reserves for a full disk. The other
// files in the directory belong to the cluster (cluster/PROTOCOL.md "The shared directory").
//   STORE      "sippar store", format version: tells a store from a foreign directory
//   RESERVE    zeros, so that there is room for small files on a full disk
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/fs/file_system.h"

namespace sippar::engine {

// The directory format that this program writes and opens, as it is written in the file STORE.
// Format 1, a store without a master, is refused: see RefusedFormat1.
inline constexpr int kStoreFormat = 2;

// Returns true if the directory holds a store, false if a new store may be made in it; a missing
// directory is then created. Without `create_if_missing` the result is kNotFound instead of false.
// kFailedPrecondition: a foreign directory, or another format. kDataLoss: STORE is damaged or lost.
// Does not change a directory that exists.
[[nodiscard]] StatusOr<bool> FindStore(FileSystem* fs, const std::string& directory,
                                       bool create_if_missing);
// Writes STORE. Called last: a directory with that file is a complete store.
[[nodiscard]] Status WriteStoreFormat(FileSystem* fs, const std::string& directory);
// The error for a directory of format 1; it names the program that converts such a directory.
[[nodiscard]] Status RefusedFormat1(const std::string& directory);

// Keeps `bytes` of the disk in a file of zeros at `path`. GiveUpReserve removes it when the disk is
// full, so that a table can be dropped to make more room (tests/FAULTS.md D6). Best effort.
void KeepReserve(FileSystem* fs, const std::string& path, uint64_t bytes);
bool GiveUpReserve(FileSystem* fs, const std::string& path);  // false: no file was removed

}  // namespace sippar::engine
