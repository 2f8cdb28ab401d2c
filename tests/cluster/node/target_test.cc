// Tests how targets are parsed.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/target.h"

#include <gtest/gtest.h>

#include "cluster/node/open_client.h"

namespace sippar::cluster {
namespace {

TEST(Target, IsADirectoryAnAddressOrACluster) {
  EXPECT_EQ(ParseTarget("data/")->directory, "data");
  EXPECT_EQ(ParseTarget("./name:1")->directory, "./name:1");
  EXPECT_EQ(ParseTarget("localhost:8086")->address, "localhost:8086");
  EXPECT_EQ(ParseTarget("unix:/tmp/socket")->address, "unix:/tmp/socket");
  EXPECT_EQ(ParseTarget("h1:8086,h2:8086")->address, "h1:8086,h2:8086");
  EXPECT_EQ(ParseTarget("h1:8086,h2")->directory, "h1:8086,h2");
  Target cluster = ParseTarget("zk://h1:2181,10.0.0.2:42181,[::1]:2181/demo-1").value();
  EXPECT_EQ(cluster.members, "h1:2181,10.0.0.2:42181,[::1]:2181");
  EXPECT_EQ(cluster.cluster, "demo-1");
  EXPECT_EQ(cluster.address + cluster.directory, "");
  EXPECT_EQ(ParseTarget("zk://h1:1/a")->members, "h1:1");
}

TEST(Target, AClusterIsNamedWholeOrTheErrorSaysWhatIsMissing) {
  for (const char* target :
       {"zk://", "zk:///demo", "zk://h1:2181", "zk://h1:2181/", "zk://h1/demo", "zk://h1:/demo",
        "zk://:2181/demo", "zk://h1:0/demo", "zk://h1:65536/demo", "zk://h1:123456/demo",
        "zk://h1:21x/demo", "zk://h1:2181,/demo", "zk://,h1:2181/demo", "zk://h1:2181,h2/demo",
        "zk://h1:2181/a/b", "zk://h1:2181/.hidden", "zk://h1:2181/zookeeper", "zk://h1:2181/a b",
        "zk://h1:2181/demo?x"}) {
    Status refused = ParseTarget(target).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << target << " " << refused;
    EXPECT_NE(refused.ToString().find(target), std::string::npos) << refused;
  }
  EXPECT_NE(ParseTarget("zk://h1:2181").status().ToString().find("/NAME"), std::string::npos);
  EXPECT_NE(ParseTarget("zk://h1:2181,h2/demo").status().ToString().find("'h2'"),
            std::string::npos);
}

TEST(Target, AStoreIsASchemeAndAnAbsolutePath) {
  EXPECT_EQ(ParseStorePlace("posix:/srv/demo//")->directory, "/srv/demo");
  EXPECT_EQ(ParseStorePlace("posix:/")->directory, "/");
  EXPECT_EQ(PrintStorePlace({"/srv/demo"}), "posix:/srv/demo");
  for (const char* store : {"", "/srv/demo", "posix:", "posix:srv/demo", "moon:/srv/demo"}) {
    Status refused = ParseStorePlace(store).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << store;
    EXPECT_NE(refused.ToString().find(store), std::string::npos) << refused;
  }
}

TEST(Target, ASecretThatIsNotThereIsNoSecret) {
  Target cluster = ParseTarget("zk://127.0.0.1:1/demo").value();
  Status refused =
      LockServiceOf(cluster, testing::TempDir() + "no-such-secret", ZooKeeperOptions()).status();
  EXPECT_EQ(refused.code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace sippar::cluster
