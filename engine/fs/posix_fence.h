// Names processes of this machine, and ends one that holds the flock of a file:
// FileSystem::Identity and Fence of the posix file system. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"

namespace sippar::engine {

// "posix:<boot id of the machine>/<pid namespace>:<pid>:<start time in ticks since the boot>". No
// two processes have the same one: a pid that is used again has another start time. "": /proc
// cannot be read.
std::string ProcessIdentity();

// See FileSystem::Fence. Kills (SIGKILL) only a process of this boot of this machine and of this
// pid namespace, if its start time is that of `identity` and the note in the file `lock_path`
// contains `identity`. The kernel lets it kill processes of the same user, or any with CAP_KILL. A
// process that is not stopped (SIGSTOP) first gets 2 s to end by itself; the flock of a killed
// process is awaited for 2 s.
[[nodiscard]] Status FenceProcess(const std::string& identity, const std::string& lock_path);

}  // namespace sippar::engine
