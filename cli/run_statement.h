// Runs commands that are only another form of one statement of the language (import csv, export).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"

namespace sippar::cli {

// Opens `target`, which must exist, runs `statement`, which Ctrl-C cancels, and prints its rows, if it
// has any, on stdout and its notices and tag, or the error, on stderr. Returns the exit code.
int RunStatement(const std::string& target, const cluster::Patience& patience,
                 const std::string& statement);

// A byte count for people, such as "1.5 GiB".
std::string PrintBytes(double bytes);

}  // namespace sippar::cli
