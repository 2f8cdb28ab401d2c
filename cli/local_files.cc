// SPDX-License-Identifier: Apache-2.0
#include "cli/local_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "cli/output_file.h"
#include "cli/packed_file.h"

namespace sippar::cli {
namespace {

class LocalInput : public query::InputFile {
 public:
  LocalInput(std::string path, FILE* file) : path_(std::move(path)), file_(file) {
    struct stat info = {};
    // st_size is the number of readable bytes only for a regular file; for a pipe or a device it is
    // 0 or wrong.
    bool known = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
    size_ = known ? static_cast<double>(info.st_size) : 0;
  }
  ~LocalInput() override {
    if (file_ != stdin) std::fclose(file_);
  }
  StatusOr<size_t> Read(char* buffer, size_t size) override {
    size_t got = std::fread(buffer, 1, size, file_);
    // If an error follows after some bytes, this call returns these valid bytes. The next call
    // reads no bytes and reports the error.
    if (got == 0 && std::ferror(file_) != 0) return FileError(path_, "read");
    read_ += static_cast<double>(got);
    return got;
  }
  double Share() const override { return size_ > 0 ? std::min(read_ / size_, 1.0) : -1; }

 private:
  std::string path_;
  FILE* file_;
  double size_ = 0;  // 0: unknown, as for a pipe
  double read_ = 0;
};

class LocalFiles : public query::FileAccess {
 public:
  StatusOr<std::unique_ptr<query::InputFile>> OpenInput(const std::string& path) override {
    FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (file == nullptr) return FileError(path, "open");
    return UnpackByName(path, std::make_unique<LocalInput>(path, file));
  }
  StatusOr<std::unique_ptr<query::OutputFile>> OpenOutput(const std::string& path) override {
    // kWhole: an export that fails must not replace the file of an earlier export.
    return OpenOutputFile(path, Appearance::kWhole);
  }
};

}  // namespace

std::unique_ptr<query::FileAccess> NewLocalFiles() { return std::make_unique<LocalFiles>(); }

}  // namespace sippar::cli
