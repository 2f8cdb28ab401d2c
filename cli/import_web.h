// Imports a Webtable: pages listed in a manifest, with their links, through the client. Writes with
// explicit timestamps, so running it again changes nothing: an interrupted import is resumed by
// starting it anew. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/client/client.h"

namespace sippar::cli {

// One line of manifest.tsv: row key, path below the corpus, content type, timestamp (us), package.
struct ManifestLine {
  std::string row;
  std::string path;
  std::string content_type;
  int64_t timestamp_us = 0;
  std::string package;
  int line = 0;
};
// kInvalidArgument naming file, line and what is wrong with it.
[[nodiscard]] StatusOr<std::vector<ManifestLine>> ReadManifest(const std::string& corpus);

struct ImportWebOptions {
  std::string corpus;
  std::string table = "web";
  int jobs = 2;
  bool all_types = false;  // not only text/html
};

struct ImportProgress {
  std::atomic<uint64_t> pages{0}, page_bytes{0}, anchors{0}, cells{0}, failed{0};
  std::atomic<int64_t> parse_nanos{0}, write_nanos{0};  // summed over the jobs
  uint64_t pages_total = 0;
};

// The schema of the table that an import makes when there is none: contents in a locality group of
// its own and with every version kept (a crawl is an archive; ALTER TABLE limits it).
engine::TableSchema WebTableSchema(const std::string& name);

// Stops early when *cancel. Pages that cannot be read or stored are told to `complain` and counted;
// the others go on. The table is flushed at the end.
[[nodiscard]] Status ImportWeb(cluster::Client* client, const ImportWebOptions& options,
                               const std::vector<ManifestLine>& manifest,
                               const std::atomic<bool>& cancel, ImportProgress* progress,
                               const std::function<void(const std::string&)>& complain);

}  // namespace sippar::cli
