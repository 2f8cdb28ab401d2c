// The files whose text is made while it is read (kGenerated): .count and .export/rows.* of a table,
// and the saved queries in .sql.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "fuse/tree/text_stream.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// True if `name` is a file of .export, such as rows.csv.
bool IsExportFile(std::string_view name);

// The file name of a saved query in parts: "top.csv" is the query "top" in the format "csv".
struct SavedFile {
  std::string_view query;
  std::string_view format;
};
std::optional<SavedFile> SplitSavedName(std::string_view name);

// Returns the function that writes the text of `file`, a kGenerated. It must not outlive `context`.
[[nodiscard]] StatusOr<TextStream::Writer> WriterOf(TreeContext* context, const Node& file);

}  // namespace sippar::fuse
