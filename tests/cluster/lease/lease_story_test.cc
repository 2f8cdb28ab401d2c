// Runs the *.story files, which describe how a server handles its lease. A line has a time in
// milliseconds and an event, and after "->" the state that follows and the next action of the
// driver:
//   MS start TIMEOUT      the first heartbeat was sent at MS and answered
//   MS tick|sent|no-answer|over|gone
//   MS alive SENT         the answer to the heartbeat sent at SENT
// With SIPPAR_REWRITE=1 the test rewrites the files.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cluster/tabletserver/lease_step.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kMilli = 1'000'000;

class Story {
 public:
  std::string Line(const std::string& text) {
    std::string asked = text.substr(0, text.find("->"));
    while (asked.ends_with(' ')) asked.pop_back();
    if (asked.empty() || asked.starts_with('#')) return text;
    std::istringstream words(asked);
    int64_t ms = 0;
    int64_t argument = 0;
    std::string what;
    words >> ms >> what >> argument;
    int64_t now_nanos = ms * kMilli;
    if (what == "start") {
      state_ = StartLease(argument * kMilli, (ms + argument) * kMilli);
    } else {
      state_ = StepLease(state_, Event(what, argument), now_nanos);
    }
    return fmt::format("{:<18} -> {}", asked, Print(now_nanos));
  }

 private:
  LeaseEvent Event(const std::string& what, int64_t sent_ms) const {
    if (what == "tick") return {LeaseEvent::kTick};
    if (what == "sent") return {LeaseEvent::kSent};
    if (what == "no-answer") return {LeaseEvent::kNoAnswer};
    if (what == "over") return {LeaseEvent::kOver};
    if (what == "gone") return {LeaseEvent::kFileGone};
    EXPECT_EQ(what, "alive") << "unknown word in a story";
    return {LeaseEvent::kAlive, sent_ms * kMilli + state_.timeout_nanos};
  }
  std::string Print(int64_t now_nanos) const {
    std::string text = PhaseName(state_.phase);
    bool serves = now_nanos < state_.serve_until_nanos;
    text += serves ? fmt::format(", serves until {}", state_.serve_until_nanos / kMilli)
                   : std::string(", does not serve");
    if (state_.confirm_by_nanos != INT64_MAX) {
      text += fmt::format(", confirms by {}", state_.confirm_by_nanos / kMilli);
    }
    switch (NextAction(state_, now_nanos)) {
      case LeaseAction::kWait:
        return text + fmt::format("; wait until {}", WakeAt(state_) / kMilli);
      case LeaseAction::kAsk:
        return text + "; ask";
      case LeaseAction::kRegain:
        return text + "; regain";
      case LeaseAction::kEnd:
        return text + "; end";
    }
    return text;
  }

  LeaseState state_;
};

TEST(LeaseStories, GoAsWritten) {
  int stories = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SIPPAR_LEASE_STORIES)) {
    if (entry.path().extension() != ".story") continue;
    ++stories;
    std::ifstream in(entry.path());
    std::string expected;
    std::string actual;
    Story story;
    for (std::string line; std::getline(in, line);) {
      expected += line + "\n";
      actual += story.Line(line) + "\n";
    }
    if (std::getenv("SIPPAR_REWRITE") != nullptr) {
      std::ofstream(entry.path()) << actual;
    } else {
      EXPECT_EQ(actual, expected) << entry.path();
    }
  }
  EXPECT_GT(stories, 0);
}

}  // namespace
}  // namespace sippar::cluster
