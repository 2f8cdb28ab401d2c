// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_pages.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/web/link_extractor.h"
#include "engine/model/mutation.h"

namespace sippar::cli {
namespace {

namespace files = std::filesystem;

constexpr size_t kPagesMax = 400;
constexpr uintmax_t kPageBytesMax = 512 << 10;
constexpr size_t kFilesSeenMax = 200'000;  // limit of files examined in the folder

constexpr int64_t kDayUs = 86'400'000'000;
constexpr int kPagesOfHost = 12;
constexpr int kLinksOfPage = 5;

constexpr std::array<std::string_view, 12> kHosts = {
    "www.sippar.example",  "library.sippar.example", "www.nippur.example",  "tablets.ur.example",
    "www.uruk.example",    "maps.uruk.example",      "www.babylon.example", "stars.babylon.example",
    "www.nineveh.example", "letters.mari.example",   "www.eridu.example",   "trade.kanesh.example"};
constexpr std::array<std::string_view, 3> kLanguages = {"en", "de", "fr"};
constexpr std::array<std::string_view, 12> kTopics = {"barley", "clay",    "stars", "canals",
                                                      "copper", "letters", "maps",  "temple",
                                                      "wool",   "kings",   "boats", "gardens"};

// The next number of a fixed pseudorandom sequence: the pages are the same on every machine.
uint32_t Next(uint32_t* state) {
  *state = *state * 1'664'525 + 1'013'904'223;
  return *state >> 8;
}

std::string UrlOf(size_t host, size_t page) {
  return fmt::format("http://{}/{}.html", kHosts[host], kTopics[page]);
}

MadePage MakePage(size_t host, size_t page, int64_t now_us, uint32_t* state) {
  const std::string_view language = kLanguages[Next(state) % kLanguages.size()];
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head><title>{} at {}</title></head>\n<body>\n<h1>{}"
      "</h1>\n",
      language, kTopics[page], kHosts[host], kTopics[page]);
  for (int i = 0; i < kLinksOfPage; ++i) {
    // The smaller of two random numbers gives a few pages many links, and most pages few.
    const size_t count = kHosts.size() * kTopics.size();
    const size_t target = std::min(Next(state) % count, Next(state) % count);
    const size_t target_host = target / kTopics.size();
    const size_t target_page = target % kTopics.size();
    html += fmt::format("<p>{} tablets tell of {}; see <a href=\"{}\">{} at {}</a>.</p>\n",
                        2 + Next(state) % 400, kTopics[Next(state) % kTopics.size()],
                        UrlOf(target_host, target_page), kTopics[target_page], kHosts[target_host]);
  }
  MadePage made;
  made.html = html + "</body>\n</html>\n";
  made.line.row = RowKeyOfUrl(UrlOf(host, page));
  made.line.path = fmt::format("{}-{}.html", kHosts[host], kTopics[page]);
  made.line.content_type = "text/html";
  made.line.timestamp_us = now_us - static_cast<int64_t>(1 + Next(state) % 300) * kDayUs;
  made.line.package = "demo";
  return made;
}

int64_t TimeOf(const files::path& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? static_cast<int64_t>(info.st_mtime) * 1'000'000 : 0;
}

}  // namespace

std::vector<ManifestLine> PagesBelow(const std::string& folder) {
  std::vector<ManifestLine> pages;
  std::error_code problem;
  files::recursive_directory_iterator at(folder, files::directory_options::skip_permission_denied,
                                         problem);
  for (size_t seen = 0; !problem && at != files::recursive_directory_iterator();
       at.increment(problem)) {
    if (++seen > kFilesSeenMax) break;
    std::error_code ignored;
    const bool is_page = at->path().extension() == ".html" && at->is_regular_file(ignored) &&
                         !at->is_symlink(ignored);
    if (!is_page || at->file_size(ignored) > kPageBytesMax) continue;
    std::string path = files::relative(at->path(), folder, ignored).string();
    const size_t slash = path.find('/');
    if (slash == std::string::npos) continue;
    ManifestLine page;
    page.package = path.substr(0, slash);
    page.row = RowKeyOfUrl("http://" + page.package + ".doc" + path.substr(slash));
    page.path = std::move(path);
    page.content_type = "text/html";
    page.timestamp_us = TimeOf(at->path());
    if (engine::ValidateRowKey(page.row).ok()) pages.push_back(std::move(page));
  }
  // A directory lists its files in no fixed order; sorting makes every run of the demo use the same
  // pages.
  std::sort(pages.begin(), pages.end(),
            [](const ManifestLine& a, const ManifestLine& b) { return a.path < b.path; });
  if (pages.size() <= kPagesMax) return pages;
  // Selects pages from all packages evenly.
  std::vector<ManifestLine> some;
  for (size_t i = 0; i < kPagesMax; ++i) some.push_back(pages[i * pages.size() / kPagesMax]);
  return some;
}

std::vector<MadePage> MakePages(int64_t now_us) {
  uint32_t state = 7;
  std::vector<MadePage> pages;
  for (size_t host = 0; host < kHosts.size(); ++host) {
    for (size_t page = 0; page < kPagesOfHost; ++page) {
      pages.push_back(MakePage(host, page, now_us, &state));
    }
  }
  return pages;
}

}  // namespace sippar::cli
