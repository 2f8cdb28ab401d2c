// Files of the user, see local_files.h. An output file appears under its name only when complete.
// SPDX-License-Identifier: Apache-2.0
#include "cli/local_files.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sippar::cli {
namespace {

Status FileError(const std::string& path, std::string_view what) {
  std::string text = fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno));
  return errno == ENOENT ? NotFound(text) : Status(StatusCode::kUnavailable, text);
}

class LocalInput : public query::InputFile {
 public:
  LocalInput(std::string path, FILE* file) : path_(std::move(path)), file_(file) {}
  ~LocalInput() override {
    if (file_ != stdin) std::fclose(file_);
  }
  StatusOr<size_t> Read(char* buffer, size_t size) override {
    size_t got = std::fread(buffer, 1, size, file_);
    if (got == 0 && std::ferror(file_) != 0) return FileError(path_, "read");
    return got;
  }

 private:
  std::string path_;
  FILE* file_;
};

class LocalOutput : public query::OutputFile {
 public:
  LocalOutput(std::string path, std::string temporary, FILE* file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}
  ~LocalOutput() override {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    if (!temporary_.empty()) std::remove(temporary_.c_str());
  }
  Status Write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return OkStatus();
    return FileError(path_, "write");
  }
  Status Close() override {
    FILE* file = file_;
    if (file == stdout) return std::fflush(file) == 0 ? OkStatus() : FileError(path_, "write");
    file_ = nullptr;
    bool written = std::fflush(file) == 0 && (temporary_.empty() || ::fsync(::fileno(file)) == 0);
    Status status = written ? OkStatus() : FileError(path_, "write");
    if (std::fclose(file) != 0 && status.ok()) status = FileError(path_, "write");
    if (temporary_.empty()) return status;
    if (!status.ok()) {
      std::remove(temporary_.c_str());
      return status;
    }
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return FileError(path_, "replace");
    return OkStatus();
  }

 private:
  std::string path_;
  std::string temporary_;
  FILE* file_;
};

// Devices and pipes are written, not replaced.
StatusOr<std::unique_ptr<query::OutputFile>> OpenInPlace(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return FileError(path, "open");
  return std::make_unique<LocalOutput>(path, "", file);
}

class LocalFiles : public query::FileAccess {
 public:
  StatusOr<std::unique_ptr<query::InputFile>> OpenInput(const std::string& path) override {
    FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (file == nullptr) return FileError(path, "open");
    return std::make_unique<LocalInput>(path, file);
  }
  StatusOr<std::unique_ptr<query::OutputFile>> OpenOutput(const std::string& path) override {
    if (path == "-") return std::make_unique<LocalOutput>(path, "", stdout);
    std::string target = path;
    struct stat info = {};
    if (::stat(path.c_str(), &info) == 0) {
      if (!S_ISREG(info.st_mode)) return OpenInPlace(path);
      // Of a link, the file it leads to is replaced, and the link stays.
      std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                       &std::free);
      if (real != nullptr) target = real.get();
    }
    std::string temporary = fmt::format("{}.{}.part", target, ::getpid());
    FILE* file = std::fopen(temporary.c_str(), "wbx");
    if (file == nullptr) return FileError(temporary, "create");
    return std::make_unique<LocalOutput>(target, temporary, file);
  }
};

}  // namespace

std::unique_ptr<query::FileAccess> NewLocalFiles() { return std::make_unique<LocalFiles>(); }

}  // namespace sippar::cli
