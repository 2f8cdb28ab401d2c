// SPDX-License-Identifier: Apache-2.0
#include "cli/web/manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "engine/model/cell.h"
#include "engine/model/mutation.h"

namespace sippar::cli {
namespace {

// Limit of the manifest's size: about 15 million pages.
constexpr uint64_t kManifestSizeMax = uint64_t{4} << 30;

std::vector<std::string_view> SplitTabs(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

StatusOr<int64_t> ParseMicros(std::string_view text) {
  int64_t micros = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), micros);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return InvalidArgument(fmt::format("timestamp '{}' is not a number of microseconds", text));
  }
  if (micros < 0) return InvalidArgument(fmt::format("timestamp {} is before 1970", micros));
  return micros;
}

// The path must stay below the corpus, so that a manifest from another source cannot read other
// files.
Status CheckPath(std::string_view path) {
  if (path.empty()) return InvalidArgument("the path is empty");
  if (path.front() == '/' || path == ".." || path.starts_with("../") || path.ends_with("/..") ||
      path.find("/../") != std::string_view::npos) {
    return InvalidArgument(
        fmt::format("path '{}' is absolute or has a part '..'; give one inside the corpus", path));
  }
  return OkStatus();
}

StatusOr<ManifestLine> ParseLine(std::string_view line) {
  std::vector<std::string_view> fields = SplitTabs(line);
  if (fields.size() != 5) {
    return InvalidArgument(fmt::format(
        "the line has {} fields; expected 5 with tabs between: row key, path, content type, "
        "timestamp (us), package",
        fields.size()));
  }
  // The row key is checked before the import, so that a bad line is reported with its number and
  // does not spoil a batch.
  RETURN_IF_ERROR(engine::ValidateRowKey(fields[0]));
  RETURN_IF_ERROR(CheckPath(fields[1]));
  ManifestLine page;
  ASSIGN_OR_RETURN(page.timestamp_us, ParseMicros(fields[3]));
  page.row = fields[0];
  page.path = fields[1];
  page.content_type = fields[2];
  page.package = fields[4];
  return page;
}

}  // namespace

StatusOr<Manifest> ReadManifest(engine::FileSystem* fs, const std::string& corpus) {
  std::string path = corpus + "/manifest.tsv";
  auto text = engine::ReadFile(fs, path, kManifestSizeMax);
  if (!text.ok()) {
    return Annotate(text.status(), "a corpus is a directory with manifest.tsv in it");
  }
  Manifest manifest;
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty()) continue;
    auto page = ParseLine(line);
    if (page.ok()) {
      page->line = number;
      manifest.pages.push_back(*std::move(page));
    } else {
      manifest.bad_lines.push_back(
          fmt::format("{}:{}: {}", path, number, MessageOf(page.status())));
    }
  }
  return manifest;
}

}  // namespace sippar::cli
