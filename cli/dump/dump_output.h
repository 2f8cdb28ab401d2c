// The destination of a dump: one file, which is complete or absent, or a folder, which is written
// under a temporary name and then renamed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/dump/dump_text.h"
#include "engine/base/status.h"

namespace sippar::cli {

// One thread passes the parts of the text in order. Between BeginCells and EndCells, several
// threads pass the cells of the table's pieces.
class DumpOutput {
 public:
  virtual ~DumpOutput() = default;
  [[nodiscard]] virtual Status Text(std::string_view text) = 0;
  // `pieces` is the number of pieces into which the cells of `table` are divided.
  [[nodiscard]] virtual Status BeginCells(const std::string& table, size_t pieces) = 0;
  // Appends whole lines of a piece. Thread safe, but one thread at a time for each piece.
  [[nodiscard]] virtual Status Cells(size_t piece, std::string_view lines) = 0;
  // Ends a piece: no more of its cells follow. Thread safe.
  [[nodiscard]] virtual Status EndPiece(size_t piece) = 0;
  [[nodiscard]] virtual Status EndCells(const CellSum& sum) = 0;
  // Completes the dump. Without this call, nothing appears under the dump's name.
  [[nodiscard]] virtual Status Close() = 0;
};

// `path`: "-" is stdout; a path that ends in a slash or is a directory means a folder; any other
// path means a file, compressed according to its suffix. An existing file is replaced.
// kAlreadyExists: the folder exists and is not empty.
[[nodiscard]] StatusOr<std::unique_ptr<DumpOutput>> OpenDumpOutput(const std::string& path);

}  // namespace sippar::cli
