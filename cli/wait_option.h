// --wait: how long a command waits for a directory that another process opens or closes. Ctrl-C
// ends the wait; on a terminal a line tells of it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/node/open_client.h"

namespace CLI {
class App;
}

namespace sippar::cli {

// `patience` outlives the parsing, and is complete after it.
void AddWaitOption(CLI::App* app, cluster::Patience* patience);

// What Patience::may_wait is then: tells a terminal once, after a moment. `is_over`: no more.
std::function<bool(const std::string&)> TellOfWait(std::function<bool()> is_over);

}  // namespace sippar::cli
