// Process of a mount. SPDX-License-Identifier: Apache-2.0
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

constexpr char kReadyByte = '+';  // first byte in the pipe: the mount answers; else it is an error

// Blocks the signals that end us in this thread and so in every thread it starts: only the signal
// thread takes them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// First SIGTERM, SIGINT or SIGHUP: stop. Second: end at once. SIGUSR1: counters to stderr, or the
// end of this thread when `is_done` is set.
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
    if (written <= 0) return;  // nobody listens any more
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
  ::setsid();
  std::atomic<bool> is_ready{false};
  options.mount.on_ready = [&] {
    RedirectOutput(options.log_path);
    is_ready = true;
    WriteAll(pipe_fd, {&kReadyByte, 1});
    ::close(pipe_fd);
  };
  Status status = ::chdir("/") == 0 ? ServeWithSignals(options)
                                    : Internal(fmt::format("chdir /: {}", std::strerror(errno)));
  // Before the mount answered the parent prints the reason, afterwards the log has it.
  if (!status.ok() && is_ready) fmt::print(stderr, "sippar mount: {}\n", MessageOf(status));
  if (!status.ok() && !is_ready) WriteAll(pipe_fd, MessageOf(status));
  _exit(status.ok() ? 0 : 1);
}

Status StartDaemon(const ServeOptions& options) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return Internal(fmt::format("pipe: {}", std::strerror(errno)));
  pid_t child = ::fork();
  if (child < 0) return Internal(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(fds[0]);
    RunChild(options, fds[1]);
  }
  ::close(fds[1]);
  std::string answer = ReadAll(fds[0]);
  ::close(fds[0]);
  if (answer.empty() || answer.front() != kReadyByte) {
    return FailedPrecondition(answer.empty() ? "the background process ended" : answer);
  }
  struct stat root {};
  if (::stat(options.mount.mount_point.c_str(), &root) == 0) return OkStatus();
  return Internal(
      fmt::format("mount point {}: {}", options.mount.mount_point, std::strerror(errno)));
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
