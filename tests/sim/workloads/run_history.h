// Runs one history of any workload: draws the schedule and the options from the seed, asks the
// workload at every crash point, and checks the recorded operations at the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "engine/base/crash_point.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/workload.h"

namespace sippar::sim {

// All values that are drawn before a history begins.
template <typename Knobs>
struct Drawn {
  explicit Drawn(uint64_t seed) {
    engine::Random draw(seed);
    options.seed = draw.Next();
    options.priorities = draw.OneIn(3);
    options.preempt_one_in = 1ull << draw.Uniform(8);
    knobs = Knobs::Draw(&draw);
  }
  std::string Text() const {
    return fmt::format("threads: {}, preempted 1 in {}; {}",
                       options.priorities ? "by priorities" : "all alike", options.preempt_one_in,
                       knobs.Text());
  }

  Scheduler::Options options;
  Knobs knobs;
};

template <typename Test, typename Knobs>
HistoryResult RunHistory(uint64_t seed, bool trace, int64_t time_limit_us) {
  Drawn<Knobs> drawn(seed);
  drawn.options.time_limit_us = time_limit_us;
  drawn.options.trace = trace;
  World world(drawn.options);
  Test test(&world, drawn.knobs);
  engine::CrashPoints::Arm([&](const char* name) { test.AtCrashPoint(name); });
  HistoryResult result;
  result.violation = world.scheduler()->Run([&] { test.Run(); });
  engine::CrashPoints::Arm({});
  if (result.violation.empty()) result.violation = test.histories().Check();
  result.hash = world.scheduler()->hash();
  result.operations = test.histories().operations();
  result.unknown = test.histories().unknown();
  result.kills = test.kills();
  return result;
}

}  // namespace sippar::sim
