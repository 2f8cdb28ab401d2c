// Resolves references and reverses hosts; declared in link_extractor.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "cli/web/link_extractor.h"

namespace sippar::cli {
namespace {

struct Url {
  std::string scheme;
  std::string host;   // lower case, with the port if there is one
  std::string path;   // begins with "/", or is ""
  std::string query;  // begins with "?", or is ""
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Length of the scheme if `text` begins with a scheme and a colon, else 0.
size_t SchemeLength(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) ||
                             std::string_view("+-.").find(text[i]) != std::string_view::npos)) {
    ++i;
  }
  bool is_scheme = i > 0 && i < text.size() && text[i] == ':' &&
                   std::isalpha(static_cast<unsigned char>(text[0]));
  return is_scheme ? i : 0;
}

void SplitPath(std::string_view rest, Url* url) {
  size_t query = rest.find('?');
  url->path = rest.substr(0, query);
  url->query = query == std::string_view::npos ? "" : rest.substr(query);
}

// Splits the part of a URL that follows "//".
void SplitAuthority(std::string_view rest, Url* url) {
  size_t end = rest.find_first_of("/?");
  url->host = Lower(rest.substr(0, end));
  // User name and password are dropped: they do not identify a page.
  size_t user = url->host.rfind('@');
  if (user != std::string::npos) url->host.erase(0, user + 1);
  SplitPath(end == std::string_view::npos ? "" : rest.substr(end), url);
}

// Removes "." and ".." (RFC 3986, 5.2.4). ".." at the top is dropped.
std::string RemoveDotSegments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool trailing_slash = false;
  while (!path.empty()) {
    path.remove_prefix(1);  // "/" before the next segment
    size_t slash = path.find('/');
    std::string_view segment = path.substr(0, slash);
    bool last = slash == std::string_view::npos;
    trailing_slash = last && (segment == "." || segment == ".." || segment.empty());
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != "." && !(last && segment.empty())) {
      kept.push_back(segment);
    }
    if (last) break;
    path.remove_prefix(slash);
  }
  std::string result;
  for (std::string_view segment : kept) result.append("/").append(segment);
  if (trailing_slash || result.empty()) result += "/";
  return result;
}

// Reverses the labels of the host; the port stays at the end.
std::string ReverseHost(std::string_view host) {
  size_t colon = host.find(':');
  std::string_view labels = host.substr(0, colon);
  std::string reversed;
  while (true) {
    size_t dot = labels.rfind('.');
    reversed.append(dot == std::string_view::npos ? labels : labels.substr(dot + 1));
    if (dot == std::string_view::npos) break;
    reversed.push_back('.');
    labels = labels.substr(0, dot);
  }
  if (colon != std::string_view::npos) reversed.append(host.substr(colon));
  return reversed;
}

}  // namespace

std::string ResolveUrl(std::string_view base, std::string_view reference) {
  constexpr std::string_view kSpace = " \t\r\n\f";
  size_t first = reference.find_first_not_of(kSpace);
  if (first == std::string_view::npos)
    reference = {};
  else
    reference = reference.substr(first, reference.find_last_not_of(kSpace) - first + 1);
  reference = reference.substr(0, reference.find('#'));
  Url url;
  size_t base_scheme = SchemeLength(base);
  if (base_scheme == 0 || base.substr(base_scheme, 3) != "://") return "";
  url.scheme = Lower(base.substr(0, base_scheme));
  SplitAuthority(base.substr(base_scheme + 3), &url);
  if (size_t scheme = SchemeLength(reference)) {
    url.scheme = Lower(reference.substr(0, scheme));
    // Only references of the form "scheme://" can lead to pages; mailto: and javascript: cannot.
    if (reference.substr(scheme, 3) != "://") return "";
    SplitAuthority(reference.substr(scheme + 3), &url);
  } else if (reference.starts_with("//")) {
    SplitAuthority(reference.substr(2), &url);
  } else if (reference.starts_with("/")) {
    // A reference with a path or authority replaces the query of the base; an empty reference keeps
    // the query.
    SplitPath(reference, &url);
  } else if (reference.starts_with("?")) {
    url.query = reference;
  } else if (!reference.empty()) {
    std::string directory = url.path.substr(0, url.path.rfind('/') + 1);
    SplitPath((directory.empty() ? "/" : directory) + std::string(reference), &url);
  }
  if ((url.scheme != "http" && url.scheme != "https") || url.host.empty()) return "";
  return url.scheme + "://" + url.host + RemoveDotSegments(url.path) + url.query;
}

std::string RowKeyOfUrl(std::string_view url) {
  size_t start = url.find("://");
  if (start == std::string_view::npos) return "";
  std::string_view rest = url.substr(start + 3);
  size_t slash = rest.find('/');
  std::string_view host = rest.substr(0, slash);
  if (host.empty()) return "";
  return ReverseHost(host) +
         std::string(slash == std::string_view::npos ? "/" : rest.substr(slash));
}

std::string HostPathOfRowKey(std::string_view row_key) {
  size_t slash = row_key.find('/');
  return ReverseHost(row_key.substr(0, slash)) +
         std::string(slash == std::string_view::npos ? "" : row_key.substr(slash));
}

}  // namespace sippar::cli
