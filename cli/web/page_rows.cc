// SPDX-License-Identifier: Apache-2.0
#include "cli/web/page_rows.h"

#include <set>

#include "cli/web/link_extractor.h"
#include "engine/base/limits.h"

namespace sippar::cli {
namespace {

void AddFacts(const ManifestLine& page, const std::string& html, PageRows* out) {
  std::string source = HostPathOfRowKey(page.row);
  PageFacts facts = ExtractPage(html, "http://" + source);
  if (!facts.language.empty()) {
    out->rows.front().Set("language", "", facts.language, page.timestamp_us);
  }
  // `source` becomes the qualifier of the cells in the linked pages' rows. If it is too long, the
  // store would reject each of those cells.
  if (source.size() > limits::kQualifierSizeMax) return;
  std::set<std::string> targets;
  for (const PageLink& link : facts.links) {
    std::string row = RowKeyOfUrl(link.target);
    // Each pair of target and source has one cell, with the text of the first link. Links of a page
    // to itself are left out, because an anchor is what other pages say about a page.
    if (row == page.row || !engine::ValidateRowKey(row).ok() || !targets.insert(row).second) {
      continue;
    }
    out->rows.emplace_back(row).Set("anchor", source, link.text, page.timestamp_us);
  }
}

}  // namespace

engine::TableSchema WebTableSchema(const std::string& name) {
  engine::TableSchema schema;
  schema.name = name;
  for (const char* family : {"anchor", "contents", "language", "meta"}) {
    schema.families.emplace_back().name = family;
  }
  auto group = [&](const char* group_name, std::vector<std::string> families) {
    engine::LocalityGroupSchema& added = schema.groups.emplace_back();
    added.name = group_name;
    added.families = std::move(families);
  };
  group("page", {"contents"});
  group("link", {"anchor"});
  group("about", {"language", "meta"});
  return schema;
}

StatusOr<PageRows> ReadPage(engine::FileSystem* fs, const std::string& corpus,
                            const ManifestLine& page) {
  ASSIGN_OR_RETURN(std::string bytes,
                   engine::ReadFile(fs, corpus + "/" + page.path, limits::kValueSizeMax));
  PageRows out;
  out.page_bytes = bytes.size();
  engine::RowMutation& own = out.rows.emplace_back(page.row);
  own.Set("contents", "", bytes, page.timestamp_us);
  own.Set("meta", "type", page.content_type, page.timestamp_us);
  own.Set("meta", "length", std::to_string(bytes.size()), page.timestamp_us);
  own.Set("meta", "package", page.package, page.timestamp_us);
  if (page.content_type == "text/html") AddFacts(page, bytes, &out);
  for (const engine::RowMutation& row : out.rows) out.byte_size += row.StoredSize();
  return out;
}

}  // namespace sippar::cli
