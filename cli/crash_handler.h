// Notes in a file that this process crashes (cluster/api/crash_note.h), for the master of its
// cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sippar::cli {

// Makes the file, which stays empty unless this process dies of SIGSEGV, SIGBUS, SIGFPE, SIGILL or
// SIGABRT (a failed CHECK, std::terminate) in a thread that works on a tablet: then it gets a
// CrashNote first. The process ends by the same signal, with a core dump if it would have made one.
// A later call takes the place of an earlier one. If the file cannot be made, a warning is printed,
// and a crash leaves no note. To be called by one thread at a time.
void NoteCrashesIn(const std::string& path);

}  // namespace sippar::cli
