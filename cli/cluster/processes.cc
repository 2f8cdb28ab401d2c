// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster/processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "engine/base/process_descriptor.h"

namespace sippar::cli {
namespace {

constexpr size_t kLogLines = 12;
constexpr int kAnswerSeconds = 2;
constexpr int kEndingMillis = 10'000;

// A descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void Close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

sockaddr_in LoopbackAddress(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool IsPortFree(int port) {
  Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  // The servers set this option, too. Without it, an earlier process's connections that are still
  // in TIME_WAIT would block the port.
  ::setsockopt(probe.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = LoopbackAddress(port);
  return ::bind(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

std::string ReadSmallFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // A process may end between the open and the read. operator<< records that error in the stream;
  // an istreambuf_iterator would throw it.
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns an empty list if the process does not exist, or if it has ended but its parent has not
// reaped it yet.
std::vector<std::string> CommandLineOf(pid_t pid) {
  const std::string text = ReadSmallFile(fmt::format("/proc/{}/cmdline", pid));
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// True if the process is between the end of its program and its own end. It has no command line
// then, but still holds its ports: a killed Java process for 40 ms on an idle machine.
bool IsEnding(pid_t pid) {
  constexpr int kFlagsField = 6;           // counted from the state, which is 0; see proc(5)
  constexpr unsigned long kExiting = 0x4;  // PF_EXITING of the kernel
  const std::string text = ReadSmallFile(fmt::format("/proc/{}/stat", pid));
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 2));
  std::string field;
  for (int i = 0; i < kFlagsField; ++i) rest >> field;
  unsigned long flags = 0;
  return rest >> flags && (flags & kExiting) != 0;
}

// Everything that the child needs is prepared before the fork: in a program with threads, the
// forked child must not allocate memory.
struct ChildStart {
  const char* program;  // path, or a name to look up
  char* const* words;
  const char* directory;
  const char* log;
  const char* pid_file;
};

bool WritePid(const char* path) {
  char text[24];
  const auto end = fmt::format_to(text, "{}\n", static_cast<int>(::getpid()));
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const auto size = static_cast<size_t>(end - text);
  return file >= 0 && ::write(file, text, size) == static_cast<ssize_t>(size);
}

// Runs the program in the forked child. Returns only if that fails.
void BecomeChild(const ChildStart& start) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log = ::open(start.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (::setsid() < 0 || ::chdir(start.directory) != 0 || input < 0 || log < 0) return;
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(log, STDOUT_FILENO) < 0 ||
      ::dup2(log, STDERR_FILENO) < 0) {
    return;
  }
  // The program runs without the caller's locks and pipes, because it outlives the caller.
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (WritePid(start.pid_file)) ::execvp(start.program, start.words);
}

}  // namespace

pid_t ClusterProcesses::Running(const PlannedProcess& process) const {
  std::ifstream file(PathOf(PidFileOf(process.name)));
  pid_t pid = 0;
  if (!(file >> pid) || pid <= 1) return 0;
  if (IsProcess(process, CommandLineOf(pid))) return pid;
  // It serves nobody any more, but the process that is started in its place cannot have its ports
  // before it has ended.
  if (IsEnding(pid)) {
    const engine::ProcessDescriptor held(pid);
    if (held.is_open()) held.AwaitEnd(kEndingMillis);
  }
  return 0;
}

bool ClusterProcesses::AnyRuns() const {
  return std::any_of(plan_.processes.begin(), plan_.processes.end(),
                     [&](const auto& process) { return Running(process) != 0; });
}

StatusOr<pid_t> ClusterProcesses::Start(const PlannedProcess& process) const {
  for (int port : process.ports) {
    if (IsPortFree(port)) continue;
    return Unavailable(
        fmt::format("{}: port {} of 127.0.0.1 is in use by another program; end it (`ss -ltnp` "
                    "names it), or move the cluster: `sippar cluster up {} --port N`",
                    process.name, port, plan_.directory));
  }
  std::vector<char*> words;
  for (const std::string& word : process.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string log = PathOf(LogFileOf(process.name));
  const std::string pid_file = PathOf(PidFileOf(process.name));
  const bool is_java = process.kind == ProcessKind::kZooKeeper;
  // /proc/self/exe leads to this program even if its file was removed. While the file exists its
  // own path is used, because `ps` shows that name.
  const bool has_file = is_java || ::access(words[0], X_OK) == 0;
  const ChildStart start{has_file ? words[0] : "/proc/self/exe", words.data(),
                         plan_.directory.c_str(), log.c_str(), pid_file.c_str()};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Internal(fmt::format("process {}: cannot be started, as there is no pipe to it ({})",
                                process.name, std::strerror(errno)));
  }
  Descriptor heard(ends[0]), told(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) {
    BecomeChild(start);
    const int error = errno;
    [[maybe_unused]] ssize_t written = ::write(told.number(), &error, sizeof(error));
    ::_exit(1);
  }
  if (pid < 0)
    return Internal(
        fmt::format("process {}: cannot be started ({})", process.name, std::strerror(errno)));
  told.Close();
  // A successful exec closes the child's end of the pipe, so nothing is read. After a failure the
  // child sends its errno.
  int error = 0;
  ssize_t size = 0;
  do {
    size = ::read(heard.number(), &error, sizeof(error));
  } while (size < 0 && errno == EINTR);
  if (size == 0) return pid;
  ::waitpid(pid, nullptr, 0);
  return Internal(fmt::format("process {}: program {} cannot be started ({})", process.name,
                              words[0], std::strerror(error)));
}

void ClusterProcesses::Signal(const PlannedProcess& process, int number) const {
  const pid_t pid = Running(process);
  if (pid == 0) return;
  // If the process ends after the second check, the signal fails instead of reaching another
  // process that got the same id.
  const engine::ProcessDescriptor held(pid);
  if (held.is_open() && Running(process) == pid) (void)held.Signal(number);
}

void ClusterProcesses::Forget(const PlannedProcess& process) const {
  std::error_code ignored;
  std::filesystem::remove(PathOf(PidFileOf(process.name)), ignored);
}

std::string ClusterProcesses::EndOfLog(const PlannedProcess& process) const {
  const std::string text = ReadSmallFile(PathOf(LogFileOf(process.name)));
  size_t begin = text.size();
  for (size_t lines = 0; begin > 0 && lines <= kLogLines; ++lines) {
    const size_t found = text.rfind('\n', begin - 1);
    if (found == std::string::npos) return text;
    begin = found;
  }
  return begin < text.size() ? text.substr(begin + 1) : "";
}

bool MemberServes(int port) {
  Descriptor end(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval wait{kAnswerSeconds, 0};
  ::setsockopt(end.number(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  const sockaddr_in address = LoopbackAddress(port);
  if (::connect(end.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return false;
  }
  constexpr std::string_view kQuestion = "srvr";
  if (::send(end.number(), kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL) < 0) return false;
  std::string answer;
  char part[1024];
  for (ssize_t size = 0; (size = ::recv(end.number(), part, sizeof(part), 0)) > 0;) {
    answer.append(part, static_cast<size_t>(size));
  }
  return answer.find("\nMode: ") != std::string::npos;
}

}  // namespace sippar::cli
