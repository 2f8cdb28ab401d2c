// The list of a corpus: manifest.tsv, one page per line. Used by the Webtable import.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"

namespace sippar::cli {

// One page: row key, path below the corpus, content type, time of the crawl, and the package that
// it comes from.
struct ManifestLine {
  std::string row;
  std::string path;
  std::string content_type;
  int64_t timestamp_us = 0;
  std::string package;
  int line = 0;
};

struct Manifest {
  std::vector<ManifestLine> pages;
  std::vector<std::string> bad_lines;  // messages that name the file, the line and the problem
};

// Reads the manifest. A bad line does not affect the others; only an unreadable manifest.tsv is an
// error.
[[nodiscard]] StatusOr<Manifest> ReadManifest(engine::FileSystem* fs, const std::string& corpus);

}  // namespace sippar::cli
