// Removes what earlier lives of the server (../README.md) left in the directory of a cluster of
// one: logs, and SSTables that neither a record nor a backup names. The master's own sweep takes
// longer than a short run lasts, so it would never remove them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "cluster/api/server_id.h"
#include "cluster/node/picture_proof.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// To be called before the first read, with the result of ProvePicture. `lives`: those that the
// master knows, alive or being recovered; all others have ended. A file that cannot be removed
// remains and does no harm.
[[nodiscard]] Status SweepEndedLives(engine::FileSystem* fs, const std::string& directory,
                                     const std::set<ServerId>& lives, const StorePicture& picture);

}  // namespace sippar::cluster
