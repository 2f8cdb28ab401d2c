// The files of IMPORT and EXPORT, opened by whoever owns the terminal: query does no file I/O of
// its own. Implemented by cli. SPDX-License-Identifier: Apache-2.0
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
  // Up to `size` bytes into `buffer`; 0 at the end.
  [[nodiscard]] virtual StatusOr<size_t> Read(char* buffer, size_t size) = 0;
  // Of the file that was read, 0 to 1; below 0 when it is not known (a pipe).
  virtual double Share() const { return -1; }
};

class OutputFile {
 public:
  virtual ~OutputFile() = default;
  [[nodiscard]] virtual Status Write(std::string_view bytes) = 0;
  // The file is complete; without it the file may be left out or broken.
  [[nodiscard]] virtual Status Close() = 0;
};

class FileAccess {
 public:
  virtual ~FileAccess() = default;
  [[nodiscard]] virtual StatusOr<std::unique_ptr<InputFile>> OpenInput(const std::string& path) = 0;
  // Replaces what is there.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<OutputFile>> OpenOutput(
      const std::string& path) = 0;
};

}  // namespace sippar::query
