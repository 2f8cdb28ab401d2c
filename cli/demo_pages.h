// The pages of `sippar demo`: HTML files of the packages installed on this machine, or generated
// pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/web/manifest.h"

namespace sippar::cli {

// HTML files below `folder`, which has one folder for each package; paths are relative to it. The
// page x/y.html of package p has the row key doc.p/x/y.html. If there are very many files, returns
// a selection. Empty if the folder cannot be read.
std::vector<ManifestLine> PagesBelow(const std::string& folder);

struct MadePage {
  ManifestLine line;
  std::string html;
};

// Generates a small web of a few hosts, the same each time. Its timestamps are before `now_us`, so
// that no page is newer than what the user writes.
std::vector<MadePage> MakePages(int64_t now_us);

}  // namespace sippar::cli
