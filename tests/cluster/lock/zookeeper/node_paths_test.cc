// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/node_paths.h"

#include <gtest/gtest.h>

namespace sippar::cluster::zookeeper {
namespace {

TEST(NodePaths, FilesLieBelowTheNodeOfTheirDirectory) {
  NodePaths paths("demo");
  EXPECT_EQ(paths.Root(), "/demo");
  EXPECT_EQ(paths.Session(7), "/demo/sessions/7");
  EXPECT_EQ(paths.File("master"), "/demo/files/+/master");
  EXPECT_EQ(paths.Lock("master"), "/demo/files/+/master/lock");
  EXPECT_EQ(paths.File("servers/a.1"), "/demo/files/servers/a.1");
  EXPECT_EQ(paths.File("a/b/c"), "/demo/files/a+b/c");
  EXPECT_EQ(paths.Directory("a/b"), "/demo/files/a+b");
  EXPECT_EQ(paths.DirectoryOf("a/b/c"), paths.Directory("a/b"));
}

TEST(NodePaths, AFileAndADirectoryOfOneNameAreTwoNodes) {
  NodePaths paths("demo");
  EXPECT_NE(paths.File("servers"), paths.Directory("servers"));
  EXPECT_NE(paths.File("servers/lock"), paths.Lock("servers"));
}

TEST(NodePaths, AnEventNamesThePathThatIsWatched) {
  NodePaths paths("demo");
  for (const char* path : {"master", "servers/a.1", "a/b/c"}) {
    EXPECT_EQ(paths.Watched(paths.File(path)), path);
    EXPECT_EQ(paths.Watched(paths.Lock(path)), path);
    EXPECT_EQ(paths.Watched(paths.Directory(path)), path);
  }
  for (const char* node : {"/demo", "/demo/sessions/3", "/demo/files/+", "/other/files/+/master"}) {
    EXPECT_EQ(paths.Watched(node), "") << node;
  }
}

}  // namespace
}  // namespace sippar::cluster::zookeeper
