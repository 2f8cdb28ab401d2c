// Tests the lock service's file `store`.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/store_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sippar::cluster {
namespace {

using testing::HasSubstr;

TEST(StoreFile, IsReadAsItWasPrinted) {
  for (const char* content : {"posix:/srv/demo", "making posix:/srv/demo",
                              "collapsing posix:/srv/demo\nzk://h1:2181/demo"}) {
    auto file = ParseStoreFile(content);
    ASSERT_TRUE(file.ok()) << content << " " << file.status();
    EXPECT_EQ(file->place.directory, "/srv/demo");
    EXPECT_EQ(PrintStoreFile(*file), content);
  }
  EXPECT_EQ(ParseStoreFile("collapsing posix:/a\nzk://h1:2181/demo")->target, "zk://h1:2181/demo");
  EXPECT_EQ(ParseStoreFile("collapsing posix:/a")->target, "");
  EXPECT_EQ(ParseStoreFile("making moon:/a").status().code(), StatusCode::kInvalidArgument);
}

TEST(StoreFile, OnlyACompleteClusterHasAPlaceAndTheErrorNamesTheCommandToFinish) {
  EXPECT_EQ(PlaceOfComplete("posix:/srv/demo")->directory, "/srv/demo");
  const Status making = PlaceOfComplete("making posix:/srv/demo").status();
  EXPECT_EQ(making.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(making.ToString(), HasSubstr("--store posix:/srv/demo has begun"));
  const Status collapsing = PlaceOfComplete("collapsing posix:/srv/demo\nzk://h1:1/d").status();
  EXPECT_EQ(collapsing.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(collapsing.ToString(), HasSubstr("`sippar admin collapse TARGET /srv/demo`"));
}

}  // namespace
}  // namespace sippar::cluster
