// Finds the links of a page with Gumbo. The tree is walked with an explicit stack and freed with
// its arena, because recursion on a deeply nested page could exhaust the thread's stack.
// SPDX-License-Identifier: Apache-2.0
#include "cli/web/link_extractor.h"

#include <gumbo.h>

#include <memory>
#include <utility>

namespace sippar::cli {
namespace {

// Memory for Gumbo: allocated in blocks and freed as a whole. gumbo_destroy_output would recurse.
class PageArena {
 public:
  static void* Allocate(void* arena, size_t size) {
    return static_cast<PageArena*>(arena)->AllocateBytes(size);
  }
  static void Free(void*, void*) {}

 private:
  void* AllocateBytes(size_t size) {
    // The size is rounded up to a multiple of 16 bytes, the alignment that malloc gives.
    size = (size + 15) & ~size_t{15};
    if (size > left_) {
      size_t block = std::max<size_t>(size, 256 << 10);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
      next_ = blocks_.back().get();
      left_ = block;
    }
    void* result = next_;
    next_ += size;
    left_ -= size;
    return result;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

const GumboVector* ChildrenOf(const GumboNode* node) {
  switch (node->type) {
    case GUMBO_NODE_DOCUMENT:
      return &node->v.document.children;
    case GUMBO_NODE_ELEMENT:
    case GUMBO_NODE_TEMPLATE:
      return &node->v.element.children;
    default:
      return nullptr;
  }
}

// Calls visit(node) for the node and all nodes below it, in the order of the page.
template <typename Visit>
void Walk(const GumboNode* root, Visit visit) {
  std::vector<const GumboNode*> stack = {root};
  while (!stack.empty()) {
    const GumboNode* node = stack.back();
    stack.pop_back();
    visit(node);
    const GumboVector* children = ChildrenOf(node);
    if (children == nullptr) continue;
    for (unsigned i = children->length; i-- > 0;) {
      stack.push_back(static_cast<const GumboNode*>(children->data[i]));
    }
  }
}

void AppendCollapsed(std::string_view text, std::string* out) {
  for (char c : text) {
    bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    if (!space) {
      out->push_back(c);
    } else if (!out->empty() && out->back() != ' ') {
      out->push_back(' ');
    }
  }
}

std::string TextOf(const GumboNode* node) {
  std::string text;
  Walk(node, [&](const GumboNode* part) {
    bool is_text = part->type == GUMBO_NODE_TEXT || part->type == GUMBO_NODE_WHITESPACE ||
                   part->type == GUMBO_NODE_CDATA;
    if (is_text) AppendCollapsed(part->v.text.text, &text);
  });
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

PageFacts ExtractPage(std::string_view html, std::string_view url) {
  PageArena arena;
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = &PageArena::Allocate;
  options.deallocator = &PageArena::Free;
  options.userdata = &arena;
  // Parse errors are not reported, so none are collected.
  options.max_errors = 0;
  GumboOutput* output = gumbo_parse_with_options(&options, html.data(), html.size());
  PageFacts facts;
  Walk(output->document, [&](const GumboNode* node) {
    if (node->type != GUMBO_NODE_ELEMENT) return;
    const GumboElement& element = node->v.element;
    if (element.tag == GUMBO_TAG_HTML) {
      const GumboAttribute* language = gumbo_get_attribute(&element.attributes, "lang");
      if (language != nullptr && facts.language.empty()) facts.language = language->value;
    } else if (element.tag == GUMBO_TAG_A) {
      const GumboAttribute* href = gumbo_get_attribute(&element.attributes, "href");
      if (href == nullptr) return;
      std::string target = ResolveUrl(url, href->value);
      if (!target.empty()) facts.links.push_back({std::move(target), TextOf(node)});
    }
  });
  return facts;
}

}  // namespace sippar::cli
