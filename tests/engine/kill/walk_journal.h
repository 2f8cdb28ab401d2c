// What a life of the kill walk asked for and what was answered, written before and after each call
// to a file beside the store. One write(2) a line: what was written survives the process.
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

  // Reads what earlier lives left; further lines are appended.
  [[nodiscard]] Status Open();
  uint64_t seed() const { return seed_; }
  // All that is settled.
  WalkModel* model() { return &model_; }
  // Calls that were not answered, by thread.
  const std::map<uint64_t, WalkCall>& pending() const { return pending_; }
  // Says which atoms of a pending call are there.
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
