// SPDX-License-Identifier: Apache-2.0
#include "cli/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace sippar::cli {
namespace {

std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& defaults) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) lines.emplace_back(*line);
  for (const auto& [name, value] : defaults) {
    if (std::getenv(name.c_str()) == nullptr) lines.push_back(name + "=" + value);
  }
  return lines;
}

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> out;
  for (std::string& text : *texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Restores the default action of these signals: a new program inherits ignored signals, and this
// process ignores SIGPIPE.
void ResetSignals(posix_spawnattr_t* attributes) {
  sigset_t all;
  sigset_t none;
  sigemptyset(&none);
  sigemptyset(&all);
  for (int number : {SIGINT, SIGPIPE, SIGTERM, SIGALRM, SIGWINCH}) sigaddset(&all, number);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setflags(attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
}

}  // namespace

StatusOr<ChildProcess> StartChild(const std::vector<std::string>& words,
                                  const ChildOptions& options) {
  int ends[2] = {-1, -1};
  if (options.has_input && pipe2(ends, O_CLOEXEC) != 0) {
    return Internal(fmt::format("{}: cannot start: {}", words[0], std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (options.has_input) posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  if (options.is_silent) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  ResetSignals(&attributes);
  std::vector<std::string> arguments = words;
  std::vector<std::string> environment = EnvironmentWith(options.defaults);
  ChildProcess child;
  int problem = posix_spawnp(&child.pid, words[0].c_str(), &actions, &attributes,
                             Pointers(&arguments).data(), Pointers(&environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (options.has_input) close(ends[0]);
  child.input = ends[1];
  if (problem == 0) return child;
  if (options.has_input) close(ends[1]);
  return Internal(fmt::format("{}: cannot start: {}", words[0], std::strerror(problem)));
}

int WaitForChild(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildHasEnded(pid_t pid) {
  int status = 0;
  return waitpid(pid, &status, WNOHANG) == pid;
}

std::string WordForSh(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '-' ||
           c == '_';
  });
  if (is_plain) return text;
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace sippar::cli
