// What one page writes into a Webtable (paper, section 2 and figure 1): its own row, and a cell in
// the row of every page it links to. No store is needed for that. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/web/manifest.h"
#include "engine/fs/file_system.h"
#include "engine/model/mutation.h"
#include "engine/model/schema.h"

namespace sippar::cli {

// contents: every version is kept (a crawl is an archive; ALTER TABLE limits it), in a locality
// group of its own, so that scans of links and languages never touch the pages.
engine::TableSchema WebTableSchema(const std::string& name);

struct PageRows {
  std::vector<engine::RowMutation> rows;  // the page's own first, then one for each link
  uint64_t page_bytes = 0;
  uint64_t byte_size = 0;  // of all mutations
};

// Reads the page's file; a page of text/html also gives its language and its links, at the page's
// own timestamp: importing it again changes nothing.
[[nodiscard]] StatusOr<PageRows> ReadPage(engine::FileSystem* fs, const std::string& corpus,
                                          const ManifestLine& page);

}  // namespace sippar::cli
