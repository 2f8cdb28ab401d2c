// URLs, row keys, links of a page.
// SPDX-License-Identifier: Apache-2.0
#include "cli/web/link_extractor.h"

#include <gtest/gtest.h>

namespace sippar::cli {
namespace {

std::string Resolve(std::string_view reference) {
  return ResolveUrl("http://a/b/c/d?q", reference);
}

TEST(ResolveUrlTest, FollowsTheExamplesOfRfc3986) {
  EXPECT_EQ(Resolve("g"), "http://a/b/c/g");
  EXPECT_EQ(Resolve("./g"), "http://a/b/c/g");
  EXPECT_EQ(Resolve("g/"), "http://a/b/c/g/");
  EXPECT_EQ(Resolve("/g"), "http://a/g");
  EXPECT_EQ(Resolve("//g"), "http://g/");
  EXPECT_EQ(Resolve("?y"), "http://a/b/c/d?y");
  EXPECT_EQ(Resolve("g?y"), "http://a/b/c/g?y");
  EXPECT_EQ(Resolve(""), "http://a/b/c/d?q");
  EXPECT_EQ(Resolve("."), "http://a/b/c/");
  EXPECT_EQ(Resolve(".."), "http://a/b/");
  EXPECT_EQ(Resolve("../g"), "http://a/b/g");
  EXPECT_EQ(Resolve("../../.."), "http://a/");
  EXPECT_EQ(Resolve("../../../g"), "http://a/g");
  EXPECT_EQ(Resolve("/./g"), "http://a/g");
  EXPECT_EQ(Resolve("g/../h"), "http://a/b/c/h");
}

TEST(ResolveUrlTest, CutsFragmentsAndLowersHosts) {
  EXPECT_EQ(Resolve("#s"), "http://a/b/c/d?q");
  EXPECT_EQ(Resolve("g?y#s"), "http://a/b/c/g?y");
  EXPECT_EQ(Resolve("HTTP://User@WWW.Example.ORG/A#b"), "http://www.example.org/A");
  EXPECT_EQ(Resolve("  g\n"), "http://a/b/c/g");
}

TEST(ResolveUrlTest, KeepsOnlyTheWeb) {
  EXPECT_EQ(Resolve("mailto:a@b"), "");
  EXPECT_EQ(Resolve("javascript:void(0)"), "");
  EXPECT_EQ(Resolve("ftp://a/b"), "");
  EXPECT_EQ(Resolve("http://"), "");
  EXPECT_EQ(ResolveUrl("no url", "g"), "");
}

TEST(ResolveUrlTest, KeepsEmptySegmentsInside) { EXPECT_EQ(Resolve("/x//y"), "http://a/x//y"); }

TEST(RowKeyTest, ReversesTheHostAndBack) {
  EXPECT_EQ(RowKeyOfUrl("http://www.kernel.org/doc/x.html"), "org.kernel.www/doc/x.html");
  EXPECT_EQ(RowKeyOfUrl("https://localhost"), "localhost/");
  EXPECT_EQ(RowKeyOfUrl("http://a.b:80/c"), "b.a:80/c");
  EXPECT_EQ(RowKeyOfUrl("nothing"), "");
  EXPECT_EQ(HostPathOfRowKey("org.kernel.www/doc/x.html"), "www.kernel.org/doc/x.html");
}

TEST(ExtractPageTest, FindsLanguageAndLinksInOrder) {
  PageFacts facts = ExtractPage(
      "<!DOCTYPE html><html lang=de><body><a href='b.html#top'>  Eins <b>\n zwei</b> </a>"
      "<a name=here>no link</a><A HREF=/c>&lt;drei&gt;</A><a href=mailto:x@y>mail</a>",
      "http://h.example/d/a.html");
  EXPECT_EQ(facts.language, "de");
  ASSERT_EQ(facts.links.size(), 2u);
  EXPECT_EQ(facts.links[0].target, "http://h.example/d/b.html");
  EXPECT_EQ(facts.links[0].text, "Eins zwei");
  EXPECT_EQ(facts.links[1].target, "http://h.example/c");
  EXPECT_EQ(facts.links[1].text, "<drei>");
}

TEST(ExtractPageTest, TakesAnyBytes) {
  EXPECT_TRUE(ExtractPage("", "http://h/").links.empty());
  EXPECT_TRUE(ExtractPage(std::string(1000, '\0'), "http://h/").links.empty());
  EXPECT_TRUE(ExtractPage("<a href=\"\xff\xfe<<<", "http://h/").links.empty());
}

TEST(ExtractPageTest, SurvivesDeepNesting) {
  std::string page;
  for (int i = 0; i < 20'000; ++i) page += "<div>";
  page += "<a href=x>deep</a>";
  PageFacts facts = ExtractPage(page, "http://h/");
  ASSERT_EQ(facts.links.size(), 1u);
  EXPECT_EQ(facts.links[0].text, "deep");
}

}  // namespace
}  // namespace sippar::cli
