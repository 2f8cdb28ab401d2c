// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/dispatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuse/kernel/request.h"

namespace sippar::fuse {
namespace {

// Time for which the kernel may cache the attributes of a file or a symlink. Those of a version, of
// a control file's node and of a symlink never change.
constexpr double kForEverSeconds = 365.0 * 86'400;
constexpr blksize_t kFileBlockSize = 4'096;
// libc sizes its getdents buffer by st_blksize, so a large value lets one call list megabytes of a
// table.
constexpr blksize_t kTableBlockSize = 1 << 20;

timespec TimeOf(int64_t micros) {
  int64_t seconds = micros / 1'000'000;
  int64_t rest = micros % 1'000'000;
  if (rest < 0) --seconds, rest += 1'000'000;  // POSIX wants nanoseconds >= 0 before 1970, too
  return {seconds, rest * 1000};
}

}  // namespace

Dispatch::Dispatch(TreeView* tree, engine::Clock* clock, const DispatchOptions& options)
    : tree_(tree),
      clock_(clock),
      options_(options),
      inodes_(tree->Root()),
      log_(tree, clock),
      trimmer_(&inodes_, options.nodes_max),
      notifier_(tree->follower(), tree->follower_cancel(), &inodes_) {}

Dispatch::~Dispatch() {
  for (OpenFile* file : files_) delete file;
  for (OpenDir* dir : dirs_) delete dir;
}

void Dispatch::FillOperations(fuse_lowlevel_ops* operations) {
  FillLookupOperations(operations);
  FillDirectoryOperations(operations);
  FillFileOperations(operations);
  FillWriteOperations(operations);
}

void Dispatch::FillStat(const Node& node, const Attributes& attributes, uint64_t inode_number,
                        struct stat* out) const {
  *out = {};
  out->st_ino = inode_number;
  switch (TypeOf(node)) {
    case FileType::kDirectory:
      out->st_mode = S_IFDIR | (0555 & ~options_.mode_mask);
      break;
    case FileType::kRegular:
      out->st_mode = S_IFREG | (0444 & ~options_.mode_mask);
      break;
    case FileType::kSymlink:
      out->st_mode = S_IFLNK | 0777;
      break;
  }
  // The value 1 tells programs that the directory does not count its subdirectories. From any other
  // value, find would conclude which entries are no directories and skip their stat.
  out->st_nlink = 1;
  out->st_uid = options_.uid;
  out->st_gid = options_.gid;
  out->st_size = static_cast<off_t>(attributes.size_bytes);
  out->st_blocks = static_cast<blkcnt_t>((attributes.size_bytes + 511) / 512);
  out->st_blksize = node.kind == NodeKind::kTable ? kTableBlockSize : kFileBlockSize;
  out->st_mtim = TimeOf(attributes.changed_at_us);
  out->st_ctim = out->st_mtim;
  out->st_atim = out->st_mtim;
}

double Dispatch::NameSeconds(const Entry& entry, int64_t elapsed_us) const {
  if (entry.is_volatile) return 0;
  // The entry may come from a cache of the mount, and its lookup may have been slow. Both times are
  // subtracted from the time that the kernel may keep it.
  int64_t left_us = options_.name_age_us_max - entry.age_us - elapsed_us;
  return static_cast<double>(std::max<int64_t>(left_us, 0)) / 1e6;
}

double Dispatch::FollowedNameSeconds(const Node& directory, const Entry& entry,
                                     int64_t elapsed_us) const {
  // With --entry-timeout 0 every lookup must see the writes before it, so nothing is kept.
  if (tree_->follower() == nullptr || entry.is_volatile || options_.name_age_us_max == 0) {
    return NameSeconds(entry, elapsed_us);
  }
  const int64_t read_at_ns = clock_->MonotonicNanos() - (elapsed_us + entry.age_us) * 1'000;
  if (!tree_->follower()->IsCurrent(directory, entry.node, read_at_ns)) {
    return NameSeconds(entry, elapsed_us);
  }
  return static_cast<double>(std::max(kFollowedNameUs, options_.name_age_us_max)) / 1e6;
}

double Dispatch::AttributeSeconds(const Node& node) const {
  return node.IsDirectory() ? static_cast<double>(options_.name_age_us_max) / 1e6 : kForEverSeconds;
}

uint64_t Dispatch::AddFile(OpenFile file) {
  auto* added = new OpenFile(std::move(file));
  engine::MutexLock lock(&mutex_);
  files_.insert(added);
  return reinterpret_cast<uint64_t>(added);
}

uint64_t Dispatch::AddDir(uint64_t node_id, const Node& node) {
  auto* dir = new OpenDir;
  dir->node = node;
  dir->node_id = node_id;
  dir->lookups_before = LookupsIn(node_id);
  engine::MutexLock lock(&mutex_);
  dirs_.insert(dir);
  return reinterpret_cast<uint64_t>(dir);
}

OpenFile* Dispatch::FileOf(uint64_t handle) {
  engine::MutexLock lock(&mutex_);
  return reinterpret_cast<OpenFile*>(handle);
}

OpenDir* Dispatch::DirOf(uint64_t handle) {
  engine::MutexLock lock(&mutex_);
  return reinterpret_cast<OpenDir*>(handle);
}

void Dispatch::Release(OpenFile* file) {
  {
    engine::MutexLock lock(&mutex_);
    files_.erase(file);
  }
  delete file;
}

void Dispatch::Release(OpenDir* dir) {
  {
    engine::MutexLock lock(&mutex_);
    dirs_.erase(dir);
  }
  delete dir;
}

std::string Dispatch::Counters() {
  size_t files = 0, dirs = 0;
  {
    engine::MutexLock lock(&mutex_);
    files = files_.size();
    dirs = dirs_.size();
  }
  uint64_t lookups = 0;
  for (const auto& count : lookups_) lookups += count.load();
  return fmt::format(
      "nodes {}\nlookups {}\nopen_files {}\nopen_dirs {}\nvalue_bytes {}\nrow_reads {}\n",
      inodes_.size(), lookups, files, dirs, tree_->value_bytes(), tree_->row_reads());
}

}  // namespace sippar::fuse
