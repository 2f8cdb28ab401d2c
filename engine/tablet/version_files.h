// Facts about a version that come from its files: sizes, where to split it, and whether the files
// are undamaged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/tablet/file_registry.h"
#include "engine/tablet/group_stats.h"
#include "engine/tablet/tablet_version.h"

namespace sippar::engine {

std::vector<GroupStats> StatsOf(const TabletVersion& version);
uint64_t StoredBytesOf(const TabletVersion& version);
// The first row of the right half, at about the middle of the stored bytes. nullopt: the version
// has fewer than two rows, or too few bytes for its block indexes to separate rows.
[[nodiscard]] StatusOr<std::optional<std::string>> MiddleRowOf(const TabletVersion& version);
// Returns the stored bytes of the file's rows that are in `rows`, by the index of the file. If the
// file cannot be opened, returns half of the stored bytes of all its rows in the tablet.
uint64_t StoredBytesIn(FileRegistry* files, const FileRef& file, const RowRange& rows);
// Reads every block of every file and compares the checksums.
[[nodiscard]] Status VerifyFilesOf(const TabletVersion& version);

}  // namespace sippar::engine
