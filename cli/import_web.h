// Imports a Webtable: the pages of a manifest with their links, written through the client. Writes
// have explicit timestamps, so a second run writes the same cells; an interrupted import can
// therefore simply be run again.
// SPDX-License-Identifier: Apache-2.0
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
  bool all_types = false;  // also imports pages of types other than text/html
};

struct ImportProgress {
  std::atomic<uint64_t> pages{0}, page_bytes{0}, links{0}, cells{0}, failed{0};
  std::atomic<int64_t> write_nanos{0};  // sum over the jobs
  uint64_t pages_total = 0;
};

// Imports `pages`. A page that cannot be read or stored is passed to `complain` and counted, and
// the import continues. Returns early with kCancelled if `cancel` is set, or with an error of the
// store that no single page causes (a full disk, for example). Flushes at the end unless the store
// failed.
[[nodiscard]] Status ImportWeb(cluster::Client* client, const ImportWebOptions& options,
                               const std::vector<ManifestLine>& pages,
                               const std::atomic<bool>& cancel, ImportProgress* progress,
                               const std::function<void(const std::string&)>& complain);

}  // namespace sippar::cli
