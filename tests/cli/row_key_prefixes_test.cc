// Which prefixes of row keys completion offers, and for how many reads.
// SPDX-License-Identifier: Apache-2.0
#include "cli/row_key_prefixes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/store.h"

namespace sippar::cli {
namespace {

using Words = std::vector<std::string>;

class RowKeyPrefixesTest : public ::testing::Test {
 protected:
  RowKeyPrefixesTest() {
    std::string pattern = testing::TempDir() + "sippar-row-keys-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    store_ = std::make_unique<Store>(folder_ / "store", cluster::Patience());
    EXPECT_TRUE(store_->Open(/*create=*/true).ok());
    Run("CREATE TABLE t (FAMILY f)");
  }
  ~RowKeyPrefixesTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Run(const std::string& statement) {
    query::ResultTable result;
    auto done = store_->session()->Execute(statement, &result);
    EXPECT_TRUE(done.ok()) << statement << ": " << done.status();
  }
  Words Prefixes(const std::string& prefix, size_t reads_max) {
    return RowKeyPrefixes(store_->session(), "t", prefix, reads_max);
  }

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
};

TEST_F(RowKeyPrefixesTest, KeysAreCutAfterASeparator) {
  Run("INSERT INTO t (ROW, f:q) VALUES ('com.cnn/a', ''), ('com.cnn/b', ''), ('com.web', ''), "
      "('org', '')");
  EXPECT_EQ(Prefixes("", 10), (Words{"com.", "org"}));
  EXPECT_EQ(Prefixes("com.", 10), (Words{"com.cnn/", "com.web"}));
  EXPECT_EQ(Prefixes("", 1), Words{"com."});
}

TEST_F(RowKeyPrefixesTest, KeysThatAreNoTextCostReadsToo) {
  for (int i = 0; i < 8; ++i) {
    Run("INSERT INTO t ROW b'a\\xff\\x0" + std::to_string(i) + "' SET f:q = ''");
  }
  Run("INSERT INTO t ROW 'b' SET f:q = ''");
  EXPECT_EQ(Prefixes("", 9), Words{"b"});
  EXPECT_EQ(Prefixes("", 8), Words{}) << "not a read more";
}

}  // namespace
}  // namespace sippar::cli
