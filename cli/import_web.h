// Imports a Webtable: the pages of a manifest with their links, written through the client. Writes
// have explicit timestamps, so a second run writes the same cells: an interrupted import is resumed
// by running it again. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/web/manifest.h"
#include "cluster/client/client.h"

namespace sippar::cli {

struct ImportWebOptions {
  std::string corpus;
  std::string table = "web";
  int jobs = 2;
  bool all_types = false;  // imports pages of other types than text/html too
};

struct ImportProgress {
  std::atomic<uint64_t> pages{0}, page_bytes{0}, links{0}, cells{0}, failed{0};
  std::atomic<int64_t> write_nanos{0};  // sum over the jobs
  uint64_t pages_total = 0;
};

// Imports `pages`. Returns early with kCancelled if *cancel is set, or with the error of the store
// if the page is not its cause (a full disk, for example). A page that cannot be read or stored is
// passed to `complain` and counted, and the import goes on. Flushes at the end unless the store
// failed.
[[nodiscard]] Status ImportWeb(cluster::Client* client, const ImportWebOptions& options,
                               const std::vector<ManifestLine>& pages,
                               const std::atomic<bool>& cancel, ImportProgress* progress,
                               const std::function<void(const std::string&)>& complain);

}  // namespace sippar::cli
