// Makes the entries that lookups and listings return.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "fuse/tree/attributes.h"

namespace sippar::fuse {

// The node of a child of `directory`: the directory's fields with another kind. A kCell drops the
// fields that say how it was reached (.as-of, row form, query directory), because one version has
// one inode on every path.
Node ChildOf(const Node& directory, NodeKind kind);

Entry EntryOf(Node node, int64_t changed_at_us);
// A kText: a file with the whole content `text`.
Entry TextEntry(const Node& directory, std::string_view name, std::string text,
                int64_t changed_at_us);
Entry SymlinkEntry(const Node& directory, std::string_view name, std::string target,
                   int64_t changed_at_us);
// A kGenerated: a file whose text is made when it is opened (generated_files.h).
Entry GeneratedEntry(const Node& directory, std::string_view name, int64_t changed_at_us);

// Returns kNotFound with a message that names the entry `name`.
Status NoSuchName(std::string_view name);

}  // namespace sippar::fuse
