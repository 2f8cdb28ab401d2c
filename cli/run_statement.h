// Runs commands that are another form of a single statement of the language (import csv, export).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"

namespace sippar::cli {

// Opens `target`, which must exist, and runs `statement`. Ctrl-C cancels it. Prints rows to stdout,
// and notices and the tag, or the error, to stderr. Returns the exit code.
int RunStatement(const std::string& target, const cluster::Patience& patience,
                 const std::string& statement);

// A byte count for people, such as "1.5 GiB".
std::string PrintBytes(double bytes);

}  // namespace sippar::cli
