// The mutations that one page causes in a Webtable (paper section 2 and figure 1): its own row, and
// a cell in the row of every page to which it links. Needs no store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/web/manifest.h"
#include "engine/fs/file_system.h"
#include "engine/model/mutation.h"
#include "engine/model/schema.h"

namespace sippar::cli {

// Schema of a Webtable. The family contents keeps every version, because a crawl is an archive
// (ALTER TABLE can limit it). It has its own locality group, so that scans of links and languages
// never read pages.
engine::TableSchema WebTableSchema(const std::string& name);

struct PageRows {
  std::vector<engine::RowMutation> rows;  // the page's own row, then the rows of the linked pages
  uint64_t page_bytes = 0;
  uint64_t byte_size = 0;  // size of all mutations
};

// Reads the page's file. A page of type text/html also yields its language and links, at the page's
// own timestamp, so a second import writes the same cells.
[[nodiscard]] StatusOr<PageRows> ReadPage(engine::FileSystem* fs, const std::string& corpus,
                                          const ManifestLine& page);

}  // namespace sippar::cli
