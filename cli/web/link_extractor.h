// Extracts the facts about a web page that the Webtable stores: its language and its links. Only
// link_extractor.cc uses Gumbo, which parses the HTML. Pure, so thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::cli {

struct PageLink {
  std::string target;  // absolute URL without its fragment
  std::string text;    // text of the link without tags, with white space collapsed
};

struct PageFacts {
  std::string language;         // <html lang>, "" when absent
  std::vector<PageLink> links;  // links from every <a href> to http(s), in the order of the page
};

// `url` is the page's own URL, for relative links. Any bytes are accepted: HTML parsing has no
// errors.
PageFacts ExtractPage(std::string_view html, std::string_view url);

// Resolves `reference` against the absolute `base` (RFC 3986, 5.2); "" if the result is not
// http(s). Cuts the fragment off, resolves "." and "..", and makes the host lower case.
std::string ResolveUrl(std::string_view base, std::string_view reference);

// RowKeyOfUrl turns http://www.kernel.org/doc/x.html into org.kernel.www/doc/x.html (paper section
// 2), or "" if there is no host. HostPathOfRowKey turns that back into www.kernel.org/doc/x.html.
std::string RowKeyOfUrl(std::string_view url);
std::string HostPathOfRowKey(std::string_view row_key);

}  // namespace sippar::cli
