// Writes and replays the journal of the kill walk.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "engine/base/check.h"
#include "engine/fs/file_system.h"

namespace sippar::engine {

WalkJournal::~WalkJournal() {
  if (fd_ >= 0) ::close(fd_);
}

Status WalkJournal::Open() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  CHECK(fd_ >= 0);
  ASSIGN_OR_RETURN(std::string text, ReadFile(NewPosixFileSystem().get(), path_, UINT64_MAX));
  // A line that the kill cut off belongs to a call that had not begun, or had not been answered.
  text.resize(text.rfind('\n') + 1);
  CHECK(::ftruncate(fd_, static_cast<off_t>(text.size())) == 0);
  return Replay(text);
}

Status WalkJournal::Replay(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(1));
    WalkCall call;
    std::string found;
    bool read = true;
    if (line[0] == 'b') {
      read = static_cast<bool>(words >> call.life >> call.thread >> call.number >> call.kind);
      pending_[call.thread] = call;
    } else if (line[0] == 'a') {
      size_t atoms = 0;
      read = static_cast<bool>(words >> call.thread >> atoms);
      Take(call.thread, std::string(atoms, '1'));
    } else if (line[0] == 's') {
      read = static_cast<bool>(words >> call.thread >> found);
      Take(call.thread, found);
    }
    if (!read) return DataLoss(fmt::format("{}: what is '{}'?", path_, line));
  }
  return OkStatus();
}

void WalkJournal::Take(uint64_t thread, const std::string& found) {
  std::vector<WalkAtom> atoms = AtomsOf(seed_, pending_.at(thread));
  pending_.erase(thread);
  CHECK(found.size() == atoms.size());
  for (size_t i = 0; i < atoms.size(); ++i) {
    if (found[i] == '1') model_.Apply(atoms[i]);
  }
}

void WalkJournal::Settle(uint64_t thread, const std::string& found) {
  Take(thread, found);
  Append(fmt::format("s {} {}\n", thread, found));
}

void WalkJournal::BeginLife(uint64_t life) const { Append(fmt::format("L {}\n", life)); }

void WalkJournal::Begin(const WalkCall& call) const {
  Append(fmt::format("b {} {} {} {}\n", call.life, call.thread, call.number, call.kind));
}

void WalkJournal::Acknowledge(uint64_t thread, size_t atoms) const {
  Append(fmt::format("a {} {}\n", thread, atoms));
}

void WalkJournal::Append(const std::string& line) const {
  CHECK(::write(fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

}  // namespace sippar::engine
