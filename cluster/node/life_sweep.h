// What the lives before have left in the directory of a cluster of one: logs, and SSTables that
// nobody names. The master's sweep would take longer than a short life lasts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "cluster/api/server_id.h"
#include "cluster/node/picture_proof.h"
#include "engine/fs/file_system.h"

namespace sippar::cluster {

// Before anybody reads, of a picture that is proved. `lives`: that the master knows, alive or being
// recovered; all others are over. What cannot be removed stays, in nobody's way.
[[nodiscard]] Status SweepEndedLives(engine::FileSystem* fs, const std::string& directory,
                                     const std::set<ServerId>& lives, const StorePicture& picture);

}  // namespace sippar::cluster
