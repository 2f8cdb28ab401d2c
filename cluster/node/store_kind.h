// On which kinds of file systems a store may lie. A cluster needs one where a machine sees at once
// what another one has written and renamed (PROTOCOL.md, S1 and S2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// kFailedPrecondition: `directory`, which may not exist yet while its parent does, lies on a mount
// that answers from caches: nfs, smb, 9p or afs. A FUSE mount is accepted, because what is behind
// it cannot be told.
[[nodiscard]] Status RefuseCachingMount(engine::FileSystem* fs, const std::string& directory);

// Returns a warning for people if the store of one process lies on such a mount; "" if it does not,
// or if that cannot be told. `target` may be any target.
std::string CachingMountWarning(const std::string& target);

}  // namespace sippar::cluster
