// Runs commands, such as `import csv` and `export`, that stand for one statement of the language.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cluster/node/open_client.h"

namespace sippar::cli {

// Opens `target`, which must exist, and runs `statement`. Ctrl-C cancels it. Prints rows to stdout,
// and the notices and tag of the statement's result, or its error, to stderr. Returns the exit
// code.
int RunStatement(const std::string& target, const cluster::Patience& patience,
                 const std::string& statement);

// A byte count for people, such as "1.5 GiB".
std::string PrintBytes(double bytes);

}  // namespace sippar::cli
