// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster/home.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "cluster/node/target.h"
#include "engine/fs/file_system.h"

namespace sippar::cli {
namespace {

namespace fs = std::filesystem;

Status CannotUse(const std::string& path, const std::error_code& error) {
  return Unavailable(fmt::format("directory {}: it cannot be used ({})", path, error.message()));
}

Status MakeDirectories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? CannotUse(path, error) : OkStatus();
}

// Replaces the file atomically: a crash or a power failure leaves either the old file or the new
// one.
Status WriteWhole(const std::string& path, const std::string& text) {
  const std::unique_ptr<engine::FileSystem> disk = cluster::FileSystemOf(path);
  const Status written = engine::ReplaceFile(disk.get(), path, text);
  if (written.ok()) return written;
  return Unavailable(
      fmt::format("file {}: it cannot be written ({}); check the free space of its disk and your "
                  "right to write there",
                  path, MessageOf(written)));
}

}  // namespace

StatusOr<std::unique_ptr<ClusterHome>> ClusterHome::Open(const std::string& directory,
                                                         bool may_make) {
  if (may_make) RETURN_IF_ERROR(MakeDirectories(directory));
  std::error_code error;
  const fs::path path = fs::canonical(directory, error);
  if (error == std::errc::no_such_file_or_directory) {
    return NotFound(fmt::format("directory {}: not found", directory));
  }
  if (error) return CannotUse(directory, error);
  std::unique_ptr<ClusterHome> home(new ClusterHome(path.string()));
  RETURN_IF_ERROR(home->Lock());
  RETURN_IF_ERROR(home->ReadSettings(may_make));
  return home;
}

ClusterHome::~ClusterHome() {
  if (lock_ >= 0) ::close(lock_);
}

Status ClusterHome::Lock() {
  lock_ = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return CannotUse(directory_, {errno, std::generic_category()});
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return OkStatus();
  return Unavailable(fmt::format(
      "directory {}: another `sippar cluster` works on it; try again when that one has ended",
      directory_));
}

Status ClusterHome::ReadSettings(bool may_make) {
  std::error_code error;
  std::ifstream file(directory_ + "/" + kSettingsFile, std::ios::binary);
  if (file) {
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    auto settings = ClusterSettings::Decode(text);
    RETURN_IF_ERROR(
        Annotate(settings.status(), fmt::format("file {}/{}", directory_, kSettingsFile)));
    settings_ = *settings;
    return OkStatus();
  }
  if (!may_make) {
    return NotFound(fmt::format("directory {}: it holds no cluster ({} is missing)", directory_,
                                kSettingsFile));
  }
  const bool is_empty = fs::is_empty(directory_, error);
  if (error) return CannotUse(directory_, error);
  if (is_empty) return OkStatus();
  return FailedPrecondition(
      fmt::format("directory {}: it holds other things than a cluster ({} is missing); name an "
                  "empty directory, or a new one",
                  directory_, kSettingsFile));
}

Status ClusterHome::Keep(const ClusterSettings& settings) {
  RETURN_IF_ERROR(WriteWhole(directory_ + "/" + kSettingsFile, settings.Encode()));
  settings_ = settings;
  return OkStatus();
}

Status ClusterHome::Prepare(const ClusterPlan& plan) const {
  for (const char* folder : {"log", "pids"}) {
    RETURN_IF_ERROR(MakeDirectories(directory_ + "/" + folder));
  }
  for (const ZooKeeperFiles& member : plan.members) {
    RETURN_IF_ERROR(MakeDirectories(directory_ + "/" + member.data));
    RETURN_IF_ERROR(WriteWhole(directory_ + "/" + member.id_file, member.id));
    RETURN_IF_ERROR(WriteWhole(directory_ + "/" + member.configuration, member.text));
  }
  return OkStatus();
}

}  // namespace sippar::cli
