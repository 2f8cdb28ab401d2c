// Commands that are one statement of the language in other words (import csv, export): runs it and
// tells its summary on stderr. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"

namespace sippar::cli {

// Opens `target`, which is there, runs `statement` with Ctrl-C cancelling it, prints notices
// and tag, or the error. Gives the exit code.
int RunStatement(const std::string& target, const cluster::Patience& patience,
                 const std::string& statement);

// "1.5 GiB", "87 MB/s" and the like, for people.
std::string PrintBytes(double bytes);

}  // namespace sippar::cli
