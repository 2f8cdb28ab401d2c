// SPDX-License-Identifier: Apache-2.0
#include "cli/wait_option.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/parameter.h"
#include "cli/signals.h"

namespace sippar::cli {
namespace {

// A wait is reported only after this time, because most waits are shorter.
constexpr int64_t kQuietNanos = 1'000'000'000;
// If more time passes between two calls of TellOfWait's function, the second call begins a new
// wait.
constexpr int64_t kNewWaitNanos = 1'000'000'000;

// True if Ctrl-C or SIGTERM has arrived: a handler has seen it, or it is pending in a command that
// blocks its signals.
bool IsEnding() {
  sigset_t pending;
  sigpending(&pending);
  bool is_blocked = sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
  return is_blocked || InterruptSeen();
}

}  // namespace

std::function<bool(const std::string&)> TellOfWait(std::function<bool()> is_over) {
  struct Wait {
    int64_t since = 0;
    int64_t last = 0;
    bool is_told = false;
  };
  auto wait = std::make_shared<Wait>();
  return [wait, is_over = std::move(is_over)](const std::string& what) {
    const int64_t now = engine::Clock::System()->MonotonicNanos();
    // After a second without a call, the last wait is over and a new one begins.
    if (now - wait->last > kNewWaitNanos) *wait = {now, now, false};
    wait->last = now;
    if (!wait->is_told && now - wait->since > kQuietNanos && isatty(STDERR_FILENO) == 1) {
      wait->is_told = true;
      fmt::print(stderr, "waiting to {}\n", what);
    }
    return !is_over();
  };
}

CLI::Option* AddDurationOption(CLI::App* app, const std::string& name, int64_t* micros,
                               const std::string& summary) {
  return app->add_option_function<std::string>(
      name,
      [name, micros](const std::string& text) {
        auto value = ParseParameter("wait:DURATION=" + text);
        if (!value.ok() || value->second.integer() < 0) {
          throw CLI::ValidationError(name, "write a time of 0 or more such as 30s or 500ms");
        }
        *micros = value->second.integer();
      },
      summary);
}

void AddWaitOption(CLI::App* app, cluster::Patience* patience) {
  patience->may_wait = TellOfWait(IsEnding);
  AddDurationOption(
      app, "--wait", &patience->wait_us,
      "how long to wait for a directory that another process opens or closes, or for a lost server")
      ->default_str("30s");
}

}  // namespace sippar::cli
