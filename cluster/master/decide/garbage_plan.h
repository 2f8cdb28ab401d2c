// Which files may go (paper section 5.2: the master's mark and sweep; PROTOCOL.md). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

// Lives that may still name what they have written: serving ones, and dead ones not yet recovered.
struct Creator {
  ServerId server;
  uint64_t first_unpublished_file = 0;
};

// A file's name begins with the epoch of the life that made it. Files of `creators` below their
// first unpublished one, files of all other epochs, and logs of lives that are over; in order.
FileListing Collectable(const FileListing& listed, const std::vector<Creator>& creators);

// What of `candidates` is not in `named`, which is a whole scan of the backups and then of
// METADATA. An unnamed file stays unnamed for ever: a name can only be copied from a name, and who
// copies one is done before the second scan. `named` sorted.
FileListing Unnamed(const FileListing& candidates, const FileListing& named);

}  // namespace sippar::cluster::master
