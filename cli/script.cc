// SPDX-License-Identifier: Apache-2.0
#include "cli/script.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/exit_code.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "engine/base/limits.h"

namespace sippar::cli {
namespace {

constexpr size_t kReadSize = 64 << 10;

// True for failures that end a script even with keep_going: no later statement could succeed, or
// the user has interrupted the script.
bool EndsScript(int code) {
  return code == kExitInterrupted || code == kExitClosedPipe || code == kExitNoStore;
}

// Waits for input. Returns true if Ctrl-C came first.
bool Interrupted(int descriptor) {
  pollfd waits[2] = {{descriptor, POLLIN, 0}, {InterruptPipe(), POLLIN, 0}};
  while (poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
  return (waits[1].revents & POLLIN) != 0;
}

void DropByteOrderMark(std::string* text) {
  if (text->compare(0, 3, "\xef\xbb\xbf") == 0) text->erase(0, 3);
}

}  // namespace

int Script::RunSome(std::span<const query::StatementText> statements, const ScriptPlace& place,
                    size_t* done) {
  *done = 1;
  if (EndSignal() != 0) return kExitInterrupted;
  int code =
      statements[0].meta ? meta_(statements[0].text) : runner_->RunSome(statements, place, done);
  if (code != kExitOk && failed_ == kExitOk) failed_ = code;
  return code;
}

int Script::RunBuffer(const std::string& name, bool last) {
  // The text up to the last newline can be split without knowing what follows, because a regex
  // literal never spans lines (query/parse/split.h).
  size_t end = last ? buffer_.size() : buffer_.rfind('\n') + 1;
  if (end == 0) return kExitOk;
  std::string_view text = std::string_view(buffer_).substr(0, end);
  query::SplitResult split = query::SplitStatements(text);
  ScriptPlace place{name, text, first_line_};
  std::vector<query::StatementText> statements = std::move(split.statements);
  bool rest = last && split.state != query::Completeness::kEmpty;
  if (rest) statements.push_back(split.rest);
  size_t done = 0;
  for (size_t i = 0; i < statements.size(); i += done) {
    int code = RunSome(std::span(statements).subspan(i), place, &done);
    if (code != kExitOk && (EndsScript(code) || !keep_going_)) return code;
  }
  if (last) return kExitOk;
  const size_t begin = split.rest.offset;
  first_line_ += static_cast<int>(
      std::count(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(begin), '\n'));
  buffer_.erase(0, begin);
  return kExitOk;
}

int Script::RunText(std::string_view text, const std::string& name) {
  buffer_ = std::string(text);
  first_line_ = 1;
  failed_ = kExitOk;
  DropByteOrderMark(&buffer_);
  int code = RunBuffer(name, true);
  buffer_.clear();
  return EndsScript(code) ? code : failed_;
}

int Script::RunDescriptor(int descriptor, const std::string& name) {
  buffer_.clear();
  first_line_ = 1;
  failed_ = kExitOk;
  std::string chunk(kReadSize, '\0');
  size_t tried = 0;  // size of the buffer when it last contained no complete statement
  bool first = true;
  while (true) {
    if (Interrupted(descriptor)) return kExitInterrupted;
    ssize_t got = read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      PrintMessage("sippar", fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
      return kExitUsage;
    }
    buffer_.append(chunk, 0, static_cast<size_t>(got));
    if (first) DropByteOrderMark(&buffer_);
    first = false;
    // A long statement is examined again only after the buffer has doubled, because examining it
    // after each read would take quadratic time.
    bool worth = got == 0 || buffer_.size() < kReadSize || buffer_.size() >= 2 * tried;
    if (!worth) continue;
    int code = RunBuffer(name, got == 0);
    if (code != kExitOk) return EndsScript(code) ? code : failed_;
    tried = buffer_.size();
    if (got == 0) return failed_;
    if (tried > limits::kStatementSizeMax + kReadSize) {
      ScriptPlace place{name, {}, first_line_};
      runner_->PrintError(query::ErrorAt("TOO_LARGE", {},
                                         fmt::format("a statement from line {} on has more than {} "
                                                     "bytes",
                                                     first_line_, limits::kStatementSizeMax)),
                          {}, place);
      return kExitFailed;
    }
  }
}

int Script::RunFile(const std::string& path) {
  if (path == "-") return RunDescriptor(STDIN_FILENO, "stdin");
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    PrintMessage("sippar", fmt::format("{}: {}", path, std::strerror(errno)));
    return kExitUsage;
  }
  int code = RunDescriptor(descriptor, path);
  close(descriptor);
  return code;
}

}  // namespace sippar::cli
