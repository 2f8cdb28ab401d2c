// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/packed_file.h"

namespace sippar::cli {
namespace {

Status WriteAll(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path, "write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return OkStatus();
}

class StdoutFile : public query::OutputFile {
 public:
  Status Write(std::string_view bytes) override { return WriteAll(STDOUT_FILENO, "stdout", bytes); }
  Status Close() override { return OkStatus(); }
};

class PlainFile : public query::OutputFile {
 public:
  PlainFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~PlainFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Status Write(std::string_view bytes) override { return WriteAll(descriptor_, path_, bytes); }
  Status Close() override {
    int descriptor = std::exchange(descriptor_, -1);
    return ::close(descriptor) == 0 ? OkStatus() : FileError(path_, "write");
  }

 protected:
  std::string path_;
  int descriptor_;
};

// A file that is replaced as a whole. Until Close() it has no name (O_TMPFILE), so a process that
// is killed leaves no file. On a file system without O_TMPFILE it has a temporary name, and a
// process that is killed leaves the temporary file.
class WholeFile : public PlainFile {
 public:
  WholeFile(std::string path, std::string temporary, int descriptor, bool named)
      : PlainFile(std::move(path), descriptor), temporary_(std::move(temporary)), named_(named) {}
  ~WholeFile() override {
    if (named_) ::unlink(temporary_.c_str());
  }
  Status Close() override {
    // The file is synced before the rename. Otherwise its name could lead to an empty file after a
    // crash.
    if (::fsync(descriptor_) != 0) return FileError(path_, "write");
    if (!named_) {
      std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
      // A killed process with the same process id may have left a file of this name.
      ::unlink(temporary_.c_str());
      // linkat cannot replace an existing name, so the file gets a temporary name first and is then
      // renamed.
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        return FileError(temporary_, "create");
      }
      named_ = true;
    }
    RETURN_IF_ERROR(PlainFile::Close());
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) return FileError(path_, "replace");
    named_ = false;
    return SyncFolder(FolderOf(path_));
  }

 private:
  std::string temporary_;
  bool named_;
};

StatusOr<std::unique_ptr<query::OutputFile>> OpenWhole(const std::string& path,
                                                       const struct stat* present) {
  std::string folder = FolderOf(path);
  // The temporary file is in the same directory, because rename works only within one file system.
  std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  // Errors that mean O_TMPFILE is not supported; EISDIR and ENOENT come from kernels and file
  // systems that do not know the flag.
  bool named = descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT);
  if (named) {
    descriptor = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) return FileError(path, "create");
  auto file = std::make_unique<WholeFile>(path, temporary, descriptor, named);
  // The new file gets the permissions of the file that it replaces, which overwriting that file
  // would also keep.
  bool kept = present == nullptr || ::fchmod(descriptor, present->st_mode & 07777) == 0;
  if (!kept) return FileError(path, "give its permissions to the new file");
  return file;
}

StatusOr<std::unique_ptr<query::OutputFile>> OpenPlain(const std::string& path) {
  int descriptor = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor < 0) return FileError(path, "open for writing");
  return std::make_unique<PlainFile>(path, descriptor);
}

// True for paths such as /dev/fd/3, whose file another program may have open. If a new file were
// renamed to such a path, that program would not get the data.
bool LeadsElsewhere(const std::string& path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

StatusOr<std::unique_ptr<query::OutputFile>> OpenUnpacked(const std::string& path,
                                                          Appearance appearance) {
  if (path == "-") return std::make_unique<StdoutFile>();
  struct stat info = {};
  bool present = ::stat(path.c_str(), &info) == 0;
  bool replaceable = !LeadsElsewhere(path) && (!present || S_ISREG(info.st_mode));
  if (appearance == Appearance::kAtOnce || !replaceable) return OpenPlain(path);
  // If `path` is a symbolic link, its target is replaced and the link stays.
  std::unique_ptr<char, decltype(&std::free)> real(
      present ? ::realpath(path.c_str(), nullptr) : nullptr, &std::free);
  return OpenWhole(real == nullptr ? path : real.get(), present ? &info : nullptr);
}

}  // namespace

Status SyncFolder(const std::string& path) {
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return FileError(path, "open");
  bool synced = ::fsync(folder) == 0;
  Status status = synced ? OkStatus() : FileError(path, "write");
  ::close(folder);
  return status;
}

std::string FolderOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Status FileError(const std::string& path, std::string_view what) {
  std::string text = fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno));
  return errno == ENOENT ? NotFound(text) : Status(StatusCode::kUnavailable, text);
}

StatusOr<std::unique_ptr<query::OutputFile>> OpenOutputFile(const std::string& path,
                                                            Appearance appearance) {
  ASSIGN_OR_RETURN(auto file, OpenUnpacked(path, appearance));
  return PackByName(path, std::move(file));
}

}  // namespace sippar::cli
