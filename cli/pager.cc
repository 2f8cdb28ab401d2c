// SPDX-License-Identifier: Apache-2.0
#include "cli/pager.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "cli/child_process.h"
#include "cli/signals.h"
#include "query/session/text_width.h"

namespace sippar::cli {
namespace {

constexpr size_t kPipeRoom = 4096;  // PIPE_BUF: room of a pipe that poll() reports as writable
constexpr int kLookEveryMs = 50;    // time between checks for Ctrl-C while the pipe is full
constexpr size_t kLinesBelow = 3;   // lines reserved for two footer lines and the prompt

bool IsInPath(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    size_t end = std::min(folders.find(':'), folders.size());
    std::string file = std::string(folders.substr(0, end)) + "/" + std::string(program);
    if (access(file.c_str(), X_OK) == 0) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

}  // namespace

std::string DefaultPager() {
  for (const char* name : {"SIPPAR_PAGER", "PAGER"}) {
    const char* chosen = std::getenv(name);
    if (chosen != nullptr) return std::string(chosen) == "off" ? "" : chosen;
  }
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string(terminal) == "dumb";
  return !is_dumb && IsInPath("less") ? "less" : "";
}

bool FitsScreen(std::string_view text, const ScreenSize& screen, bool folds) {
  if (screen.columns == 0) return true;
  size_t lines = kLinesBelow;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    size_t width = query::TextWidth(text.substr(0, end));
    // The colour codes of NULL, and of the dots that stand for omitted rows, would count as width,
    // so lines with such codes are not measured. The frame of the box is as wide and is measured.
    const bool has_codes = text.substr(0, end).find('\x1b') != std::string_view::npos;
    if (!has_codes && !folds && width > screen.columns) return false;
    lines += has_codes || !folds ? 1 : 1 + (std::max<size_t>(width, 1) - 1) / screen.columns;
    if (lines > screen.lines) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

StatusOr<std::unique_ptr<Pager>> Pager::Start(const std::string& command, bool folds) {
  ChildOptions options;
  options.has_input = true;
  // The options that git uses: F quits if the text fits the screen, R passes colours through, X
  // leaves the text on the screen. S cuts long lines, which the arrow keys then scroll.
  options.defaults = {{"LESS", folds ? "FRX" : "FRSX"}, {"LESSCHARSET", "utf-8"}};
  ASSIGN_OR_RETURN(ChildProcess child, StartChild({"sh", "-c", command}, options));
  fcntl(child.input, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Pager>(new Pager(child.pid, child.input));
}

Pager::~Pager() {
  close(input_);
  if (!ended_) WaitForChild(pid_);
}

bool Pager::Write(std::string_view text) {
  while (!text.empty()) {
    if (HasEnded() || InterruptSeen()) return false;
    pollfd out = {input_, POLLOUT, 0};
    if (poll(&out, 1, kLookEveryMs) <= 0) continue;
    ssize_t written = write(input_, text.data(), std::min(text.size(), kPipeRoom));
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      closed_ = true;
      return false;
    }
  }
  return true;
}

bool Pager::HasEnded() {
  if (!ended_) ended_ = ChildHasEnded(pid_);
  return ended_ || closed_;
}

}  // namespace sippar::cli
