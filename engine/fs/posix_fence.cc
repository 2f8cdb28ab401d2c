// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/posix_fence.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/printable.h"
#include "engine/base/process_descriptor.h"

namespace sippar::engine {
namespace {

constexpr int64_t kOwnEndUs = 2'000'000;
constexpr int64_t kKilledUs = 2'000'000;
constexpr int64_t kStepUs = 5'000;

// Returns at most the first 4 KiB; "" if the file cannot be read.
std::string Beginning(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text(4096, '\0');
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  ::close(fd);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

// What the kernel tells of a living process; nullopt: there is no such process, or it is hidden.
struct ProcessFacts {
  char state = 0;     // 'T' or 't': stopped
  std::string start;  // ticks since the boot, decimal
};

std::optional<ProcessFacts> FactsOf(pid_t pid) {
  constexpr int kStartField = 19;  // counted from the state, which is 0
  const std::string text = Beginning(fmt::format("/proc/{}/stat", pid));
  // The name of the program stands in parentheses before the state, and may contain any byte.
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(name_end + 2);
  ProcessFacts facts;
  facts.state = rest.empty() ? '\0' : rest.front();
  for (int i = 0; i < kStartField; ++i) {
    const size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  facts.start = rest.substr(0, rest.find(' '));
  return facts;
}

// What is the same for all processes that can see each other's pids. Containers of one machine have
// the same boot id and pids of their own.
std::string PlaceOfThisProcess() {
  std::string boot = Beginning("/proc/sys/kernel/random/boot_id");
  boot.resize(std::min(boot.size(), boot.find('\n')));
  struct stat pids {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &pids) != 0) return "";
  return fmt::format("posix:{}/{}", boot, pids.st_ino);
}

std::string IdentityText(const std::string& place, pid_t pid, const std::string& start) {
  return fmt::format("{}:{}:{}", place, pid, start);
}

// The pid in the identity; nullopt: the identity is not one of `place`.
std::optional<pid_t> PidIn(std::string_view identity, const std::string& place) {
  if (place.empty() || !identity.starts_with(place + ":")) return std::nullopt;
  const std::string_view rest = identity.substr(place.size() + 1);
  pid_t pid = 0;
  auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), pid);
  return parsed.ec == std::errc() && pid > 0 ? std::optional<pid_t>(pid) : std::nullopt;
}

Status NotFenced(const std::string& identity, std::string_view why) {
  return Unavailable(fmt::format("process {}: it cannot be ended from here ({}); wait for its end",
                                 PrintableBytes(identity), why));
}

// OK: this function held the flock for a moment, so the process that had it has ended.
// kUnavailable: another process holds it. Other errors do not tell.
Status TryFlock(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const int error = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (fd >= 0) ::close(fd);
  if (error == 0) return OkStatus();
  if (error == ENOENT) return NotFound(fmt::format("lock {}: no such file", path));
  const std::string problem = fmt::format("lock {}: {}", path, std::strerror(error));
  return error == EWOULDBLOCK ? Unavailable(problem) : Internal(problem);
}

Status AwaitFlock(const std::string& path, int64_t limit_us) {
  for (int64_t waited_us = 0;; waited_us += kStepUs) {
    Status tried = TryFlock(path);
    if (tried.ok() || waited_us >= limit_us) return tried;
    Clock::System()->SleepMicros(kStepUs);
  }
}

}  // namespace

std::string ProcessIdentity() {
  const std::string place = PlaceOfThisProcess();
  const std::optional<ProcessFacts> facts = FactsOf(::getpid());
  return place.empty() || !facts ? "" : IdentityText(place, ::getpid(), facts->start);
}

Status FenceProcess(const std::string& identity, const std::string& lock_path) {
  Status tried = TryFlock(lock_path);
  if (tried.code() != StatusCode::kUnavailable) return tried;
  const std::string place = PlaceOfThisProcess();
  const std::optional<pid_t> pid = PidIn(identity, place);
  if (!pid) return NotFenced(identity, "it runs on another machine or in another container");
  if (*pid == ::getpid()) return NotFenced(identity, "it is the process that asks");
  if (Beginning(lock_path).find(identity) == std::string::npos) {
    return NotFenced(identity, lock_path + " does not name it as the holder of the lock");
  }
  // The facts are read after the descriptor was opened. If they fit, the process of `identity`
  // lives now, so it lived and had this pid when the descriptor was opened.
  const ProcessDescriptor process(*pid);
  if (!process.is_open()) return NotFenced(identity, std::strerror(errno));
  const std::optional<ProcessFacts> facts = FactsOf(*pid);
  if (!facts || IdentityText(place, *pid, facts->start) != identity) {
    return NotFenced(identity, "another process has its pid");
  }
  // A process that runs ends by itself at its next heartbeat, and says why.
  const bool is_stopped = facts->state == 'T' || facts->state == 't';
  if (!is_stopped && AwaitFlock(lock_path, kOwnEndUs).ok()) return OkStatus();
  if (!process.Signal(SIGKILL)) return NotFenced(identity, std::strerror(errno));
  return AwaitFlock(lock_path, kKilledUs);
}

}  // namespace sippar::engine
