// The simulator: runs histories by seed. Each history runs in its own process, because a killed
// machine leaves its memory behind, and a crash or a hang counts as a violation like any other.
//   sippar_sim --seeds FROM-TO [--bug NAME] [--workload NAME] [--drawn TEXT]
//              [--jobs N] [--hashes] [--trace]
//   sippar_sim --list-bugs
// Without --workload each seed selects a workload; --drawn "scene: sweeps" runs only the seeds
// whose options contain that text. Prints each failing seed with its options and the command that
// replays it. The last line is "N histories, M violations"; the exit status is 1 if M > 0.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <deque>
#include <iterator>
#include <optional>
#include <string>

#include "engine/base/check.h"
#include "engine/base/seeded_bug.h"
#include "engine/base/thread.h"
#include "tests/sim/workload.h"

namespace sippar::sim {
namespace {

using engine::kSeededBugs;

// Limit of CPU time, so that a busy machine causes no violation. A history usually takes some 10
// ms.
constexpr rlim_t kHistorySecondsMax = 60;

struct Arguments {
  std::string program;
  uint64_t first = 0;
  uint64_t last = 0;
  std::string bug;
  const Workload* workload = nullptr;  // null: the seed selects the workload
  std::string drawn;                   // runs only seeds whose options contain this text
  uint64_t jobs = engine::HardwareThreads();
  bool list_bugs = false;
  bool hashes = false;
  bool trace = false;

  const Workload& WorkloadOf(uint64_t seed) const {
    return workload != nullptr ? *workload : kWorkloads[seed % std::size(kWorkloads)];
  }
  bool Runs(uint64_t seed) const {
    return drawn.empty() || WorkloadOf(seed).drawn(seed).find(drawn) != std::string::npos;
  }
  std::string Replay(uint64_t seed) const {
    return fmt::format("{} --seeds {}-{}{} --workload {} --trace", program, seed, seed,
                       bug.empty() ? "" : " --bug " + bug, WorkloadOf(seed).name);
  }
};

struct Totals {
  uint64_t histories = 0;
  uint64_t violations = 0;
  uint64_t operations = 0;
  uint64_t unknown = 0;
  uint64_t kills = 0;
};

// A history that a child process runs.
struct Running {
  uint64_t seed = 0;
  pid_t child = -1;
  int pipe = -1;
};

bool ParseNumber(std::string_view text, uint64_t* number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseSeeds(std::string_view text, Arguments* arguments) {
  size_t dash = text.find('-');
  return dash != std::string_view::npos && ParseNumber(text.substr(0, dash), &arguments->first) &&
         ParseNumber(text.substr(dash + 1), &arguments->last) &&
         arguments->first <= arguments->last;
}

bool ParseOption(std::string_view name, std::string_view value, Arguments* arguments) {
  if (name == "--seeds") return ParseSeeds(value, arguments);
  if (name == "--drawn") {
    arguments->drawn = value;
    return true;
  }
  if (name == "--jobs") return ParseNumber(value, &arguments->jobs) && arguments->jobs > 0;
  if (name == "--bug") {
    arguments->bug = value;
    int bug = engine::SeededBugs::Find(value);
    engine::SeededBugs::SwitchOn(bug);
    return bug >= 0;
  }
  if (name == "--workload") {
    for (const Workload& workload : kWorkloads) {
      if (value == workload.name) {
        arguments->workload = &workload;
        return true;
      }
    }
  }
  return false;
}

// Returns nullopt if the command line is not understood.
std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  arguments.program = argv[0];
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--list-bugs") {
      arguments.list_bugs = true;
    } else if (name == "--hashes") {
      arguments.hashes = true;
    } else if (name == "--trace") {
      arguments.trace = true;
    } else if (++i == argc || !ParseOption(name, argv[i], &arguments)) {
      return std::nullopt;
    }
  }
  if (!arguments.list_bugs && arguments.last == 0) return std::nullopt;
  return arguments;
}

// Runs in the child: writes the figures on the first line and the violation on the rest.
[[noreturn]] void RunChild(const Arguments& arguments, uint64_t seed, int pipe) {
  rlimit limit = {kHistorySecondsMax, kHistorySecondsMax + 1};
  CHECK(setrlimit(RLIMIT_CPU, &limit) == 0);
  HistoryResult result = arguments.WorkloadOf(seed).run(seed, arguments.trace);
  std::fflush(stdout);
  std::string text = fmt::format("{} {} {} {}\n{}", result.hash, result.operations, result.unknown,
                                 result.kills, result.violation);
  for (size_t sent = 0; sent < text.size();) {
    ssize_t written = write(pipe, text.data() + sent, text.size() - sent);
    if (written <= 0) _exit(3);
    sent += static_cast<size_t>(written);
  }
  _exit(0);
}

Running StartChild(const Arguments& arguments, uint64_t seed) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  std::fflush(stdout);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(ends[0]);
    RunChild(arguments, seed, ends[1]);
  }
  close(ends[1]);
  return {seed, child, ends[0]};
}

std::string HowItEnded(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("its process ended with {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGXCPU) {
    return fmt::format("it took more than {} s of CPU time", kHistorySecondsMax);
  }
  return fmt::format("its process was ended by signal {}", WTERMSIG(status));
}

void Settle(const Arguments& arguments, const Running& running, Totals* totals) {
  int status = 0;
  std::string text;
  char buffer[4096];
  // A violation's text may not fit into a pipe, so the parent reads to the end before it waits for
  // the child.
  for (ssize_t size = 0; (size = read(running.pipe, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(size));
  }
  close(running.pipe);
  CHECK(waitpid(running.child, &status, 0) == running.child);
  HistoryResult result;
  if (status != 0) {
    result.violation = HowItEnded(status);
  } else {
    size_t line = text.find('\n');
    CHECK(std::sscanf(text.c_str(), "%lu %lu %lu %lu", &result.hash, &result.operations,
                      &result.unknown, &result.kills) == 4);
    result.violation = text.substr(line + 1);
  }
  ++totals->histories;
  totals->operations += result.operations;
  totals->unknown += result.unknown;
  totals->kills += result.kills;
  if (arguments.hashes) fmt::print("seed {} hash {:016x}\n", running.seed, result.hash);
  if (result.violation.empty()) return;
  ++totals->violations;
  fmt::print("seed {}: {}\n  drawn: {}\n  replay: {}\n", running.seed, result.violation,
             arguments.WorkloadOf(running.seed).drawn(running.seed),
             arguments.Replay(running.seed));
}

int RunAll(const Arguments& arguments) {
  Totals totals;
  // Results are handled in the order of their seeds, so that two runs print the same.
  std::deque<Running> queue;
  for (uint64_t seed = arguments.first; seed <= arguments.last || !queue.empty();) {
    for (; seed <= arguments.last && queue.size() < arguments.jobs; ++seed) {
      if (arguments.Runs(seed)) queue.push_back(StartChild(arguments, seed));
    }
    if (queue.empty()) continue;
    Settle(arguments, queue.front(), &totals);
    queue.pop_front();
  }
  fmt::print("{} operations, {} of unknown outcome, {} kills\n", totals.operations, totals.unknown,
             totals.kills);
  fmt::print("{} histories, {} violations\n", totals.histories, totals.violations);
  return totals.violations > 0 ? 1 : 0;
}

int Main(int argc, char** argv) {
  std::optional<Arguments> arguments = Parse(argc, argv);
  if (!arguments.has_value()) {
    fmt::print(stderr,
               "usage: sippar_sim --seeds FROM-TO [--bug NAME] [--workload NAME] [--drawn TEXT] "
               "[--jobs N] [--hashes] [--trace] | --list-bugs\n");
    return 2;
  }
  if (arguments->list_bugs) {
    for (const engine::SeededBug& bug : kSeededBugs) fmt::print("{:<30} {}\n", bug.name, bug.what);
    return 0;
  }
  return RunAll(*arguments);
}

}  // namespace
}  // namespace sippar::sim

int main(int argc, char** argv) { return sippar::sim::Main(argc, argv); }
