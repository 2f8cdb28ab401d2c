// Implements the file system of the machine. No other folder of the engine calls the OS for files.
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/fs/file_system.h"
#include "engine/fs/mapped_window.h"
#include "engine/fs/patch_file.h"
#include "engine/fs/posix_fence.h"

namespace sippar::engine {
namespace {

Status ErrnoStatus(int error, std::string_view operation, const std::string& path) {
  std::string text = fmt::format("{} {}: {}", operation, path, std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return NotFound(text);
    case EEXIST:
      return AlreadyExists(text);
    case ENOSPC:
    case EDQUOT:
      return DiskFull(text + "; free space or raise the quota");
    case EACCES:
    case EPERM:
    case EROFS:
      return PermissionDenied(text);
    default:
      return Unavailable(text);
  }
}

// The status of a lock that could not be tried. kUnavailable would mean that it is held.
Status LockStatus(int error, std::string_view operation, const std::string& path) {
  Status status = ErrnoStatus(error, operation, path);
  return status.code() == StatusCode::kUnavailable ? Internal(std::string(MessageOf(status)))
                                                   : status;
}

int OpenRetry(const std::string& path, int flags, mode_t mode = 0600) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// The numbers are those of statfs(2). AFS has one for each of its two clients.
std::string_view KindOf(uint32_t type) {
  switch (type) {
    case NFS_SUPER_MAGIC:
      return "nfs";
    case SMB_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
      return "smb";
    case V9FS_MAGIC:
      return "9p";
    case AFS_SUPER_MAGIC:
    case AFS_FS_MAGIC:
      return "afs";
    case CEPH_SUPER_MAGIC:
      return "ceph";
    case FUSE_SUPER_MAGIC:
      return "fuse";
    default:
      return "other";
  }
}

Status SyncPath(const std::string& path, int flags) {
  int fd = OpenRetry(path, O_RDONLY | flags);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  int result = ::fsync(fd);
  int error = errno;
  ::close(fd);
  return result == 0 ? OkStatus() : ErrnoStatus(error, "sync", path);
}

class PosixAppendFile final : public AppendFile {
 public:
  PosixAppendFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~PosixAppendFile() override { (void)Close(); }

  Status Append(std::string_view bytes) override {
    if (window_.Copy(size_, bytes)) {
      size_ += bytes.size();
      return OkStatus();
    }
    while (!bytes.empty()) {
      ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (written < 0) {
        if (errno == EINTR) continue;
        return ErrnoStatus(errno, "write", path_);
      }
      size_ += static_cast<uint64_t>(written);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return OkStatus();
  }

  Status Sync() override {
    if (::fdatasync(fd_) != 0) return ErrnoStatus(errno, "fdatasync", path_);
    return OkStatus();
  }

  void Reserve(uint64_t bytes, bool rarely_synced) override {
    window_.Unmap();
    auto start = static_cast<off_t>(size_);
    if (rarely_synced) {
      if (::fallocate(fd_, 0, start, static_cast<off_t>(bytes)) != 0) return;
      window_.Map(fd_, size_, size_ + bytes);
    } else {
      // Writes zeros instead of only allocating blocks. A later sync of the bytes that replace them
      // changes no metadata, so it does not write to the file system's journal and takes a third of
      // the time.
      std::string zeros(bytes, '\0');
      if (::pwrite(fd_, zeros.data(), bytes, start) != static_cast<ssize_t>(bytes)) return;
    }
    reserved_ = size_ + bytes;
  }

  Status Close() override {
    if (fd_ < 0) return OkStatus();
    window_.Unmap();
    // If the truncation fails, zeros stay after the content, and readers take them for the end of
    // the file. A Reserve that failed half-way may also have left zeros that reserved_ does not
    // count.
    if (reserved_ > size_ && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) reserved_ = 0;
    int result = ::close(fd_);
    fd_ = -1;
    // On Linux the descriptor is closed even after EINTR; a second close could hit a descriptor
    // that another thread has just opened.
    if (result != 0 && errno != EINTR) return ErrnoStatus(errno, "close", path_);
    return OkStatus();
  }

  uint64_t size() const override { return size_; }

 private:
  std::string path_;
  int fd_;
  uint64_t size_ = 0;
  uint64_t reserved_ = 0;  // length of the file if larger than size_, else 0
  MappedWindow window_;
};

class PosixRandomFile final : public RandomFile {
 public:
  PosixRandomFile(std::string path, int fd, uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  ~PosixRandomFile() override { ::close(fd_); }

  Status Read(uint64_t offset, size_t size, std::string* out) const override {
    if (offset > size_ || size > size_ - offset) return Short(offset, size, size_);
    out->resize(size);
    size_t done = 0;
    while (done < size) {
      ssize_t got =
          ::pread(fd_, out->data() + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0) {
        if (errno == EINTR) continue;
        return ErrnoStatus(errno, "read", path_);
      }
      if (got == 0) return Short(offset, size, offset + done);
      done += static_cast<size_t>(got);
    }
    return OkStatus();
  }

  uint64_t size() const override { return size_; }

 private:
  Status Short(uint64_t offset, size_t size, uint64_t end) const {
    return DataLoss(fmt::format("read {} @{}: expected {} bytes, the file ends at {}", path_,
                                offset, size, end));
  }

  std::string path_;
  int fd_;
  uint64_t size_;
};

class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(int fd) : fd_(fd) {}
  ~PosixFileLock() override { ::close(fd_); }

 private:
  int fd_;
};

class PosixPatchFile final : public PatchFile {
 public:
  PosixPatchFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~PosixPatchFile() override { ::close(fd_); }

  Status Write(uint64_t offset, std::string_view bytes) override {
    ssize_t written = 0;
    do {
      written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    } while (written < 0 && errno == EINTR);
    if (written == static_cast<ssize_t>(bytes.size())) return OkStatus();
    return ErrnoStatus(written < 0 ? errno : ENOSPC, "write", path_);
  }
  Status Sync() override {
    return ::fdatasync(fd_) == 0 ? OkStatus() : ErrnoStatus(errno, "fdatasync", path_);
  }

 private:
  const std::string path_;
  const int fd_;
};

class PosixFileSystem final : public FileSystem, public PatchFileMaker {
 public:
  StatusOr<std::unique_ptr<PatchFile>> OpenPatch(const std::string& path) override {
    int fd = OpenRetry(path, O_RDWR | O_CREAT);
    if (fd < 0) return ErrnoStatus(errno, "open", path);
    return std::unique_ptr<PatchFile>(new PosixPatchFile(path, fd));
  }

  StatusOr<std::unique_ptr<AppendFile>> Create(const std::string& path) override {
    int fd = OpenRetry(path, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0) return ErrnoStatus(errno, "create", path);
    return std::unique_ptr<AppendFile>(new PosixAppendFile(path, fd));
  }

  StatusOr<std::unique_ptr<RandomFile>> OpenRandom(const std::string& path) override {
    int fd = OpenRetry(path, O_RDONLY);
    if (fd < 0) return ErrnoStatus(errno, "open", path);
    struct stat info {};
    const int error = ::fstat(fd, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EISDIR;
    if (error != 0) {
      ::close(fd);
      return ErrnoStatus(error, "open", path);
    }
    return std::unique_ptr<RandomFile>(
        new PosixRandomFile(path, fd, static_cast<uint64_t>(info.st_size)));
  }

  Status Rename(const std::string& source, const std::string& target) override {
    if (::rename(source.c_str(), target.c_str()) == 0) return OkStatus();
    return ErrnoStatus(errno, "rename", source + " to " + target);
  }

  Status RenameNew(const std::string& source, const std::string& target) override {
    // Does not use rename(2), which would replace `target`. A crash between the two calls leaves
    // the file under both names; a later sweep removes temporary names.
    RETURN_IF_ERROR(Link(source, target));
    return Remove(source);
  }

  Status Link(const std::string& source, const std::string& target) override {
    if (::link(source.c_str(), target.c_str()) == 0) return OkStatus();
    return ErrnoStatus(errno, "link", source + " to " + target);
  }

  Status Remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return OkStatus();
    return ErrnoStatus(errno, "remove", path);
  }

  Status RemoveDir(const std::string& path) override {
    if (::rmdir(path.c_str()) == 0) return OkStatus();
    return ErrnoStatus(errno, "remove directory", path);
  }

  Status CreateDir(const std::string& path) override {
    if (::mkdir(path.c_str(), 0700) == 0) return OkStatus();
    int error = errno;
    struct stat info {};
    if (error == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      return OkStatus();
    }
    return ErrnoStatus(error, "create directory", path);
  }

  Status SyncDir(const std::string& path) override { return SyncPath(path, O_DIRECTORY); }
  Status SyncFile(const std::string& path) override { return SyncPath(path, 0); }

  StatusOr<std::vector<std::string>> List(const std::string& path) override {
    DIR* directory = ::opendir(path.c_str());
    if (directory == nullptr) return ErrnoStatus(errno, "list", path);
    std::vector<std::string> names;
    errno = 0;
    while (dirent* entry = ::readdir(directory)) {
      std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    int error = errno;
    ::closedir(directory);
    if (error != 0) return ErrnoStatus(error, "list", path);
    std::sort(names.begin(), names.end());
    return names;
  }

  StatusOr<bool> Exists(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) return true;
    if (errno == ENOENT) return false;
    return ErrnoStatus(errno, "stat", path);
  }

  StatusOr<uint64_t> FileSize(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "stat", path);
    return static_cast<uint64_t>(info.st_size);
  }

  StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path,
                                           const std::string& note) override {
    int fd = OpenRetry(path, O_RDWR | O_CREAT);
    // On a read-only file system, a read-only descriptor is enough to hold the lock.
    if (fd < 0 && errno == EROFS) fd = OpenRetry(path, O_RDONLY);
    if (fd < 0) return LockStatus(errno, "open", path);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      int error = errno;
      char holder[128] = {};
      ssize_t size = ::pread(fd, holder, sizeof(holder) - 1, 0);
      ::close(fd);
      if (error != EWOULDBLOCK) return LockStatus(error, "lock", path);
      return Unavailable(
          fmt::format("{} is held by another process ({})", path, size > 0 ? holder : "unknown"));
    }
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, note.data(), note.size(), 0) != static_cast<ssize_t>(note.size())) {
      // The error is ignored: the note only informs people, and a full disk must not keep the store
      // from opening.
    }
    return std::unique_ptr<FileLock>(new PosixFileLock(fd));
  }

  std::string Identity() override { return ProcessIdentity(); }

  Status Fence(const std::string& identity, const std::string& lock_path) override {
    return FenceProcess(identity, lock_path);
  }

  StatusOr<std::string> Kind(const std::string& path) override {
    struct statfs info {};
    if (::statfs(path.c_str(), &info) != 0) return ErrnoStatus(errno, "statfs", path);
    return std::string(KindOf(static_cast<uint32_t>(info.f_type)));
  }
};

}  // namespace

std::unique_ptr<FileSystem> NewPosixFileSystem() { return std::make_unique<PosixFileSystem>(); }

}  // namespace sippar::engine
