// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/mapped_window.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <cstring>

namespace sippar::engine {
namespace {

constexpr uint64_t kPageSize = 4096;
constexpr int64_t kXfsMagic = 0x58465342;

// True if writing to an allocated block cannot fail for lack of space. On other file systems, such
// as those that copy on write, a store to a mapped page could raise SIGBUS.
bool KeepsPromises(int fd) {
  struct statfs about {};
  if (::fstatfs(fd, &about) != 0) return false;
  auto type = static_cast<int64_t>(about.f_type);
  return type == EXT4_SUPER_MAGIC || type == kXfsMagic || type == TMPFS_MAGIC;
}

}  // namespace

void MappedWindow::Map(int fd, uint64_t offset, uint64_t limit) {
  Unmap();
  if (!KeepsPromises(fd)) return;
  uint64_t begin = offset / kPageSize * kPageSize;
  void* memory = ::mmap(nullptr, limit - begin, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        static_cast<off_t>(begin));
  if (memory == MAP_FAILED) return;
  fd_ = fd;
  memory_ = static_cast<char*>(memory);
  begin_ = begin;
  limit_ = limit;
  end_ = offset;
}

void MappedWindow::Unmap() {
  if (memory_ == nullptr) return;
  ::munmap(memory_, limit_ - begin_);
  memory_ = nullptr;
  // Starts write-back. An error need not be handled here: the next sync reports it too. Leaves out
  // the last page, since the next window begins in it, and a store to a page that is being written
  // back may have to wait for the disk.
  uint64_t whole = end_ / kPageSize * kPageSize - begin_;
  if (whole > 0) {
    ::sync_file_range(fd_, static_cast<off_t>(begin_), static_cast<off_t>(whole),
                      SYNC_FILE_RANGE_WRITE);
  }
}

bool MappedWindow::Copy(uint64_t offset, std::string_view bytes) {
  if (memory_ == nullptr || offset < begin_ || offset + bytes.size() > limit_) return false;
  std::memcpy(memory_ + (offset - begin_), bytes.data(), bytes.size());
  end_ = offset + bytes.size();
  return true;
}

}  // namespace sippar::engine
