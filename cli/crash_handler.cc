// SPDX-License-Identifier: Apache-2.0
#include "cli/crash_handler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "cli/message.h"
#include "cluster/api/crash_note.h"
#include "engine/base/tablet_scope.h"

namespace sippar::cli {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// A process that has crashed must end although the disk hangs.
constexpr unsigned kSecondsMax = 1;

std::array<struct sigaction, kSignals.size()> before;
// Opened before the crash: in a crash there may be no descriptor left, and the directory of the
// file may have been renamed.
std::atomic<int> note_file{-1};
std::atomic<bool> is_crashing{false};
// An allocation has failed in this process. A crash after it is blamed on no tablet.
std::atomic<bool> lacks_memory{false};

// Blames the tablet on which the thread worked. A thread that works on none (the code of a gateway,
// of a master, a connection) leaves no note, for then no tablet is to blame. The note is not
// synced: it survives the end of the process, and to lose it in a loss of power does no harm.
void Note(int signal, uint64_t tablet_id) {
  std::array<char, cluster::kCrashNoteSizeMax> room;
  const std::string_view note = cluster::EncodeCrashNote({signal, tablet_id}, &room);
  ::alarm(kSecondsMax);
  [[maybe_unused]] const ssize_t written = ::write(note_file.load(), note.data(), note.size());
  ::alarm(0);
}

// Calls only functions that POSIX allows in a signal handler.
void OnCrash(int signal) {
  // The first thread that crashes ends the process; the others wait here.
  if (is_crashing.exchange(true)) {
    for (;;) ::pause();
  }
  const uint64_t tablet_id = engine::TabletAtWork();
  if (tablet_id != 0 && !lacks_memory) Note(signal, tablet_id);
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
  // The signal is blocked until this function returns. Then it arrives where the thread crashed, so
  // that the core dump shows that place.
  ::raise(signal);
}

void InstallHandlers() {
  struct sigaction action = {};
  action.sa_handler = OnCrash;
  // A thread whose stack has overflowed has only its second stack (engine/base/signal_stack.h).
  action.sa_flags = SA_ONSTACK;
  // A crash in the handler itself ends the process at once.
  for (int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before[i]);
  std::set_new_handler([] {
    lacks_memory = true;
    std::set_new_handler(nullptr);  // the request fails
  });
}

}  // namespace

void NoteCrashesIn(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    PrintMessage("sippar serve", fmt::format("warning: {}: a crash will not be noted ({})", path,
                                             std::strerror(errno)));
  }
  const int old = note_file.exchange(file);
  if (old >= 0) ::close(old);
  static const bool is_installed = (InstallHandlers(), true);
  static_cast<void>(is_installed);
}

}  // namespace sippar::cli
