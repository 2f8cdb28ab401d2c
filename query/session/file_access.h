// The files of IMPORT and EXPORT. The owner of the session implements these interfaces (cli does),
// because query does no file I/O of its own: a server must not open files that a statement names.
// Each object is used by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::query {

class InputFile {
 public:
  virtual ~InputFile() = default;
  // Reads up to `size` bytes into `buffer` and returns how many; 0 at the end of the file.
  [[nodiscard]] virtual StatusOr<size_t> Read(char* buffer, size_t size) = 0;
  // The share of the file that was read, 0 to 1; below 0 if it is not known (a pipe).
  virtual double Share() const { return -1; }
};

class OutputFile {
 public:
  virtual ~OutputFile() = default;
  // Appends `bytes`.
  [[nodiscard]] virtual Status Write(std::string_view bytes) = 0;
  // Completes the file. Without this call the file may be missing or broken.
  [[nodiscard]] virtual Status Close() = 0;
};

class FileAccess {
 public:
  virtual ~FileAccess() = default;
  // Opens a file for reading; decompresses it by its suffix.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<InputFile>> OpenInput(const std::string& path) = 0;
  // Opens a file for writing; a file that exists is replaced.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<OutputFile>> OpenOutput(
      const std::string& path) = 0;
};

}  // namespace sippar::query
