// What a web page says for the Webtable: its language and its links. HTML is parsed with Gumbo,
// which only this file's .cc sees. Thread safe: no state. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sippar::cli {

struct PageLink {
  std::string target;  // absolute URL, fragment cut off
  std::string text;    // tags out, white space collapsed
};

struct PageFacts {
  std::string language;         // <html lang>, "" when absent
  std::vector<PageLink> links;  // every <a href> to http(s), in order of the page
};

// `url` is the page's own, for relative links. Any bytes are fine: HTML has no errors.
PageFacts ExtractPage(std::string_view html, std::string_view url);

// RFC 3986, 5.2: `reference` against the absolute `base`; "" when the result is not http(s).
// The fragment is cut off, "." and ".." are resolved, the host is in lower case.
std::string ResolveUrl(std::string_view base, std::string_view reference);

// http://www.kernel.org/doc/x.html -> org.kernel.www/doc/x.html (paper section 2), and back to
// "www.kernel.org/doc/x.html". "" when there is no host.
std::string RowKeyOfUrl(std::string_view url);
std::string HostPathOfRowKey(std::string_view row_key);

}  // namespace sippar::cli
