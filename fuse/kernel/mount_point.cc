// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/mount_point.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "engine/base/clock.h"

namespace sippar::fuse {
namespace {

// Greatest number of dead mounts that DetachDead detaches from one mount point: several mounts may
// be stacked there.
constexpr int kDeadMountsMax = 16;
// Number of times that DetachDead waits for the unmount helper, which may still run after the mount
// process was killed.
constexpr int kHelperWaits = 20;
constexpr int64_t kHelperWaitUs = 50'000;

// Undoes the escapes of mountinfo: the kernel writes a blank as \040.
std::string UnescapeOctal(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_escape = text[i] == '\\' && i + 3 < text.size();
    if (!is_escape) {
      out.push_back(text[i]);
      continue;
    }
    int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
    out.push_back(static_cast<char>(value));
    i += 3;
  }
  return out;
}

std::vector<MountEntry> ReadMountInfo() {
  std::ifstream file("/proc/self/mountinfo");
  std::stringstream text;
  text << file.rdbuf();
  return ParseMountInfo(text.str());
}

std::optional<MountEntry> FindMount(const std::string& path) {
  std::optional<MountEntry> found;
  for (MountEntry& entry : ReadMountInfo()) {
    if (entry.mount_point == path) found = std::move(entry);  // the last entry is the topmost mount
  }
  return found;
}

StatusOr<std::string> RealPath(const std::string& path) {
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) != nullptr) return std::string(resolved);
  return NotFound(fmt::format("path {}: cannot be resolved ({})", path, std::strerror(errno)));
}

// Resolves only the parent and keeps the last component as it is, because realpath fails on a dead
// mount.
StatusOr<std::string> RealParent(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  size_t slash = path.rfind('/');
  std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  ASSIGN_OR_RETURN(std::string real, RealPath(parent));
  if (real != "/") real.push_back('/');
  return real + (slash == std::string::npos ? path : path.substr(slash + 1));
}

bool IsOurs(const MountEntry& entry) { return entry.type == fmt::format("fuse.{}", kMountSubtype); }

// Uses statfs because the kernel may answer stat from its cache even when the mount is dead.
bool IsDead(const std::string& path) {
  struct statvfs usage {};
  return ::statvfs(path.c_str(), &usage) != 0 && errno == ENOTCONN;
}

// Waits for the unmount helper of the killed process (auto_unmount) before it detaches anything: a
// helper that runs later could unmount the new mount instead of the dead one.
Status DetachDead(const std::string& path) {
  for (int i = 0; i < kHelperWaits && IsDead(path); ++i) {
    engine::Clock::System()->SleepMicros(kHelperWaitUs);
  }
  for (int i = 0; i < kDeadMountsMax; ++i) {
    if (!IsDead(path)) return OkStatus();
    std::optional<MountEntry> entry = FindMount(path);
    if (!entry.has_value() || !IsOurs(*entry)) {
      return FailedPrecondition(
          fmt::format("mount point {} is a dead mount of another file system ({}); unmount it "
                      "first: umount -l {}",
                      path, entry.has_value() ? entry->type : "unknown", path));
    }
    if (::umount2(path.c_str(), MNT_DETACH) == 0) continue;
    // umount2 needs root; the set-user-id fusermount3 also unmounts mounts of the calling user. A
    // path with a quote is not passed to the shell.
    std::string command = fmt::format("fusermount3 -uz -- '{}' 2>/dev/null", path);
    bool is_plain = path.find('\'') == std::string::npos;
    if (!is_plain || std::system(command.c_str()) != 0) {
      return PermissionDenied(fmt::format(
          "mount point {}: a killed sippar mount is still there and cannot be detached; "
          "as root: umount -l {}",
          path, path));
    }
  }
  return FailedPrecondition(
      fmt::format("mount point {}: {} mounts of killed processes were detached, perhaps more are "
                  "left; try again",
                  path, kDeadMountsMax));
}

bool IsInside(const std::string& inner, const std::string& outer) {
  return inner == outer || inner.starts_with(outer == "/" ? "/" : outer + "/");
}

}  // namespace

std::vector<MountEntry> ParseMountInfo(std::string_view text) {
  std::vector<MountEntry> entries;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    // id parent major:minor root MOUNT_POINT options [optional...] - TYPE SOURCE superoptions
    std::istringstream words(line);
    std::vector<std::string> fields;
    for (std::string word; words >> word;) fields.push_back(word);
    size_t dash = 0;
    // Any number of optional fields may come after the sixth field; a field "-" ends them.
    for (size_t i = 6; i < fields.size() && dash == 0; ++i) {
      if (fields[i] == "-") dash = i;
    }
    if (dash == 0 || dash + 2 >= fields.size()) continue;
    entries.push_back(
        {fields[2], UnescapeOctal(fields[4]), fields[dash + 1], UnescapeOctal(fields[dash + 2])});
  }
  return entries;
}

std::string DeviceAt(const std::string& path) {
  std::optional<MountEntry> entry = FindMount(path);
  return entry.has_value() ? entry->device : std::string();
}

void DetachElsewhere(const std::string& device, const std::string& path) {
  for (const MountEntry& entry : ReadMountInfo()) {
    bool is_elsewhere = entry.device == device && entry.mount_point != path;
    if (is_elsewhere) (void)::umount2(entry.mount_point.c_str(), MNT_DETACH);
  }
}

void AbortMount(const std::string& device) {
  // The kernel names a connection by the minor number of its device. The file belongs to the user
  // who has mounted, but need not be there; MNT_FORCE does the same and needs root.
  std::ofstream abort("/sys/fs/fuse/connections/" + device.substr(device.find(':') + 1) + "/abort");
  abort << "1" << std::flush;
  for (const MountEntry& entry : ReadMountInfo()) {
    if (entry.device == device) (void)::umount2(entry.mount_point.c_str(), MNT_FORCE | MNT_DETACH);
  }
}

StatusOr<std::string> PrepareMountPoint(const std::string& mount_point, const std::string& target) {
  if (mount_point.empty()) return InvalidArgument("mount point is empty; name a directory");
  // The calls below fail on a dead mount, so this check comes first.
  if (IsDead(mount_point)) {
    ASSIGN_OR_RETURN(std::string dead, RealParent(mount_point));
    RETURN_IF_ERROR(DetachDead(dead));
    return PrepareMountPoint(dead, target);
  }
  struct stat found {};
  if (::stat(mount_point.c_str(), &found) != 0) {
    if (errno == ENOENT) {
      return NotFound(fmt::format("mount point {} does not exist; make it first: mkdir -p {}",
                                  mount_point, mount_point));
    }
    return FailedPrecondition(fmt::format("mount point {}: {}", mount_point, std::strerror(errno)));
  }
  if (!S_ISDIR(found.st_mode)) {
    return FailedPrecondition(fmt::format("mount point {} is not a directory", mount_point));
  }
  ASSIGN_OR_RETURN(std::string path, RealPath(mount_point));
  std::optional<MountEntry> entry = FindMount(path);
  if (entry.has_value() && IsOurs(*entry)) {
    return AlreadyExists(
        fmt::format("mount point {} is busy: {} is mounted there; unmount it first: umount {}",
                    path, entry->source, path));
  }
  auto store = RealPath(target);
  if (store.ok() && (IsInside(path, *store) || IsInside(*store, path))) {
    return InvalidArgument(fmt::format(
        "mount point {} and store {}: one lies inside the other; name a directory elsewhere", path,
        *store));
  }
  return path;
}

}  // namespace sippar::fuse
