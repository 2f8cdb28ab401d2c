// The calls of each life of the kill walk and their answers, written before and after each call to
// a file next to the store. Each line is one write(2), so written lines survive the process.
//   L life                       begins
//   b life thread number kind    asked; the kind as in WalkCall
//   a thread atoms               acknowledged, with how many atoms
//   s thread 011                 the next life found the second and third of its last call's atoms
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/base/status.h"
#include "tests/engine/kill/walk_model.h"

namespace sippar::engine {

class WalkJournal {
 public:
  WalkJournal(uint64_t seed, std::string path) : seed_(seed), path_(std::move(path)) {}
  ~WalkJournal();
  WalkJournal(const WalkJournal&) = delete;
  WalkJournal& operator=(const WalkJournal&) = delete;

  // Reads the lines of earlier lives; new lines are appended.
  [[nodiscard]] Status Open();
  uint64_t seed() const { return seed_; }
  // The effect of all calls whose outcome is known.
  WalkModel* model() { return &model_; }
  // The unanswered calls, by thread.
  const std::map<uint64_t, WalkCall>& pending() const { return pending_; }
  // Records which atoms of a pending call took effect.
  void Settle(uint64_t thread, const std::string& found);

  // Thread safe from here on.
  void BeginLife(uint64_t life) const;
  void Begin(const WalkCall& call) const;
  void Acknowledge(uint64_t thread, size_t atoms) const;

 private:
  Status Replay(const std::string& text);
  void Take(uint64_t thread, const std::string& found);
  void Append(const std::string& line) const;

  const uint64_t seed_;
  const std::string path_;
  int fd_ = -1;
  WalkModel model_{seed_};
  std::map<uint64_t, WalkCall> pending_;
};

}  // namespace sippar::engine
