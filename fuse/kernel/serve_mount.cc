// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/serve_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "engine/base/thread.h"
#include "fuse/kernel/mount_point.h"

namespace sippar::fuse {
namespace {

// First byte that the background process sends through the pipe when the mount answers. Any other
// first byte begins an error message.
constexpr char kReadyByte = '+';

// Blocks the signals that end the mount, and SIGUSR1, in this thread and thereby in every thread
// that it starts, so that only the signal thread receives them. Ignores SIGPIPE.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// The first SIGTERM, SIGINT or SIGHUP stops the mount, a second one ends the process at once.
// SIGUSR1 prints the counters to stderr, or ends this thread if `is_done` is set.
void WaitForSignals(const sigset_t& signals, Mount* mount, std::atomic<bool>* is_done) {
  engine::Thread stopper;
  bool is_stopping = false;
  while (true) {
    int number = 0;
    if (sigwait(&signals, &number) != 0) continue;
    if (is_done->load()) return;
    if (number == SIGUSR1) {
      fmt::print(stderr, "{}", mount->Counters());
      continue;
    }
    if (is_stopping) _exit(128 + number);
    is_stopping = true;
    // Stop waits until Serve has left its loop. On this thread it would delay the second signal,
    // which must end the process even if Stop hangs.
    stopper = engine::Thread("fuse-stop", [mount] { mount->Stop(); });
  }
}

Status ServeWithSignals(const ServeOptions& options) {
  sigset_t signals = BlockSignals();
  ASSIGN_OR_RETURN(std::unique_ptr<cluster::Client> client,
                   cluster::OpenClient(options.target, {}, options.patience));
  ASSIGN_OR_RETURN(std::unique_ptr<Mount> mount, Mount::Attach(client.get(), options.mount));
  std::atomic<bool> is_done{false};
  pthread_t waiter{};
  engine::Mutex mutex;
  engine::CondVar started;
  bool is_started = false;
  engine::Thread thread("fuse-signals", [&] {
    {
      engine::MutexLock lock(&mutex);
      waiter = pthread_self();
      is_started = true;
    }
    started.NotifyAll();
    WaitForSignals(signals, mount.get(), &is_done);
  });
  {
    engine::MutexLock lock(&mutex);
    while (!is_started) started.Wait(&mutex);
  }
  Status status = mount->Serve();
  // The mount may have ended without a signal, so the signal thread may still wait for one. SIGUSR1
  // wakes that thread, which returns because is_done is set.
  is_done = true;
  pthread_kill(waiter, SIGUSR1);
  thread.Join();
  mount.reset();
  Status closed = client->Close();
  return status.ok() ? closed : status;
}

// --- Background process ---

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the reader has closed its end
    text.remove_prefix(static_cast<size_t>(written));
  }
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

void RedirectOutput(const std::string& log_path) {
  int null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int log_fd = log_path.empty()
                   ? null_fd
                   : ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_fd < 0) log_fd = null_fd;
  ::dup2(null_fd, STDIN_FILENO);
  ::dup2(log_fd, STDOUT_FILENO);
  ::dup2(log_fd, STDERR_FILENO);
}

[[noreturn]] void RunChild(ServeOptions options, int pipe_fd) {
  // The child gets its own session, so that closing the caller's terminal does not end the mount.
  ::setsid();
  std::atomic<bool> is_ready{false};
  options.mount.on_ready = [&] {
    // Output is redirected only now: until the mount answers, the child prints its messages on the
    // caller's terminal.
    RedirectOutput(options.log_path);
    is_ready = true;
    WriteAll(pipe_fd, {&kReadyByte, 1});
    ::close(pipe_fd);
  };
  // Leaves the working directory, because a process keeps the file system of its working directory
  // busy, and because the mount point may lie below it. All paths were made absolute before the
  // fork.
  Status status = ::chdir("/") == 0
                      ? ServeWithSignals(options)
                      : Internal(fmt::format("cannot change the working directory to /: {}",
                                             std::strerror(errno)));
  // If the mount has not answered yet, the parent process prints the error; otherwise the child
  // prints the error to the log.
  if (!status.ok() && is_ready) fmt::print(stderr, "sippar mount: {}\n", MessageOf(status));
  if (!status.ok() && !is_ready) WriteAll(pipe_fd, MessageOf(status));
  _exit(status.ok() ? 0 : 1);
}

Status StartDaemon(const ServeOptions& options) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return Internal(
        fmt::format("background process: cannot be started, as there is no pipe to it ({})",
                    std::strerror(errno)));
  pid_t child = ::fork();
  if (child < 0)
    return Internal(
        fmt::format("background process: cannot be started ({})", std::strerror(errno)));
  if (child == 0) {
    ::close(fds[0]);
    RunChild(options, fds[1]);
  }
  // The parent must hold no write end, or ReadAll would not see the end of the pipe when the child
  // dies.
  ::close(fds[1]);
  std::string answer = ReadAll(fds[0]);
  ::close(fds[0]);
  if (answer.empty() || answer.front() != kReadyByte) {
    return FailedPrecondition(
        answer.empty() ? "the mount's background process ended before the mount answered; "
                         "mount without --daemon to see why"
                       : answer);
  }
  // The ready byte is sent while the kernel's first request is handled. This stat waits until the
  // mount really answers.
  struct stat root {};
  if (::stat(options.mount.mount_point.c_str(), &root) == 0) return OkStatus();
  return Internal(fmt::format(
      "mount point {}: the new mount does not answer ({}); mount without --daemon to see why",
      options.mount.mount_point, std::strerror(errno)));
}

}  // namespace

Status ServeMount(const ServeOptions& options) {
  ServeOptions checked = options;
  ASSIGN_OR_RETURN(checked.mount.mount_point,
                   PrepareMountPoint(options.mount.mount_point, options.target));
  char absolute[PATH_MAX];
  if (::realpath(options.target.c_str(), absolute) != nullptr) checked.target = absolute;
  if (!options.log_path.empty() && options.log_path.front() != '/' &&
      ::realpath(".", absolute) != nullptr) {
    checked.log_path = std::string(absolute) + "/" + options.log_path;
  }
  checked.mount.source = checked.target;
  return options.is_daemon ? StartDaemon(checked) : ServeWithSignals(checked);
}

}  // namespace sippar::fuse
