// The option --wait: how long a command waits for a directory that another process opens or closes,
// or for a lost server. Ctrl-C ends the wait; on a terminal a line reports it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/node/open_client.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sippar::cli {

// Adds the option. `patience` must outlive the parsing, which fills it in.
void AddWaitOption(CLI::App* app, cluster::Patience* patience);

// Adds an option that takes a duration such as 30s or 500ms. `micros` must outlive the parsing.
CLI::Option* AddDurationOption(CLI::App* app, const std::string& name, int64_t* micros,
                               const std::string& summary);

// Returns a function for Patience::may_wait. If stderr is a terminal, the function prints one line
// about a wait of more than a second. It ends the wait when `is_over` returns true.
std::function<bool(const std::string&)> TellOfWait(std::function<bool()> is_over);

}  // namespace sippar::cli
