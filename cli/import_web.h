// Imports a Webtable: the pages of a manifest, with their links, through the client. Writes have
// explicit timestamps, so running it again changes nothing: an interrupted import is resumed by
// starting it anew. SPDX-License-Identifier: Apache-2.0
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
  bool all_types = false;  // not only text/html
};

struct ImportProgress {
  std::atomic<uint64_t> pages{0}, page_bytes{0}, links{0}, cells{0}, failed{0};
  std::atomic<int64_t> write_nanos{0};  // summed over the jobs
  uint64_t pages_total = 0;
};

// Stops early when *cancel (kCancelled), and when the store refuses for a reason that is not the
// page's, such as a full disk. Pages that cannot be read or stored are told to `complain` and
// counted; the others go on. What was written is flushed at the end in any case but a failing
// store.
[[nodiscard]] Status ImportWeb(cluster::Client* client, const ImportWebOptions& options,
                               const std::vector<ManifestLine>& pages,
                               const std::atomic<bool>& cancel, ImportProgress* progress,
                               const std::function<void(const std::string&)>& complain);

}  // namespace sippar::cli
