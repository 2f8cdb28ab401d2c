// Decides which files may be removed (paper section 5.2: the master's mark and sweep; PROTOCOL.md,
// "Files that no row names"). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "cluster/api/server_id.h"
#include "cluster/master/decide/master_event.h"

namespace sippar::cluster::master {

// One life of a server that may still add names of its files to METADATA, because it serves or
// because it is dead and not yet recovered.
struct Creator {
  ServerId server;
  uint64_t first_unpublished_file = 0;
};

// Returns the files and logs that may be removed if they are unnamed: files of `creators` below
// their first unpublished file, files of all other servers, and logs of servers that have ended.
// The result is sorted.
FileListing Collectable(const FileListing& listed, const std::vector<Creator>& creators);

// Returns the part of `candidates` that is not in `named`, the result of a complete scan of the
// backups and then METADATA. A file that is unnamed in both scans of a sweep stays unnamed for
// ever: a name can only be copied from a place that has it, and a process that copies a name
// finishes before the second scan. `named` is sorted.
FileListing Unnamed(const FileListing& candidates, const FileListing& named);

}  // namespace sippar::cluster::master
