// What SHOW BACKUPS tells of each backup.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

TEST(BackupStatementTest, ShowBackupsHasNamesTimesAndSizes) {
  StatementFixture fixture(Placement::kMemtable);
  fixture.Reset();
  ASSERT_TRUE(fixture.Run("BACKUP TABLE web AS kept").status.ok());
  ASSERT_TRUE(fixture.Run("SNAPSHOT TABLE web AS brief WITH (EXPIRE = 1d)").status.ok());
  Answer answer = fixture.Run("SHOW BACKUPS OF web");
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  ASSERT_EQ(answer.table.rows.size(), 2U);
  const Row& kept = answer.table.rows[0];
  const Row& brief = answer.table.rows[1];
  EXPECT_EQ(kept[0].bytes(), "kept");
  EXPECT_EQ(kept[1].bytes(), "web");
  EXPECT_LE(kept[2].integer(), kept[3].integer());
  EXPECT_TRUE(kept[4].is_null());
  EXPECT_GT(kept[5].integer(), 0);
  constexpr int64_t kDay = int64_t{24} * 3600 * 1'000'000;
  EXPECT_EQ(brief[0].bytes(), "brief");
  EXPECT_NEAR(static_cast<double>(brief[4].integer()),
              static_cast<double>(brief[2].integer() + kDay), 60e6);
}

}  // namespace
}  // namespace sippar::query
