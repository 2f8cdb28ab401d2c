// SHOW CREATE TABLE is a statement that makes the same table, whatever its schema.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/base/random.h"
#include "engine/model/change_config.h"
#include "tests/query/statements/statement_fixture.h"

namespace sippar::query {
namespace {

using engine::FamilyType;
using engine::GcPolicy;
using engine::TableSchema;

constexpr int64_t kHourMicros = int64_t{3600} * 1'000'000;

GcPolicy RandomGc(engine::Random* random, int depth) {
  switch (random->Uniform(depth == 0 ? 3 : 5)) {
    case 0:
      return GcPolicy::KeepAll();
    case 1:
      return GcPolicy::MaxVersions(static_cast<uint32_t>(1 + random->Uniform(9)));
    case 2:
      return GcPolicy::MaxAge(static_cast<int64_t>(1 + random->Uniform(1'000'000'000'000)));
    case 3:
      return GcPolicy::Union({GcPolicy::MaxVersions(3), RandomGc(random, depth - 1)});
    default:
      return GcPolicy::Intersection({RandomGc(random, depth - 1), GcPolicy::MaxAge(5)});
  }
}

TableSchema RandomSchema(engine::Random* random) {
  TableSchema schema;
  for (const char* name : {"f", "select", "a-b", "1", "x.y"}) {
    if (random->OneIn(3)) continue;
    engine::FamilySchema& family = schema.families.emplace_back();
    family.name = name;
    family.type = static_cast<FamilyType>(
        random->Uniform(static_cast<uint64_t>(engine::kLastFamilyType) + 1));
    family.gc = RandomGc(random, 2);
  }
  if (schema.families.empty()) schema.families.emplace_back().name = "f";
  if (random->OneIn(2)) {
    engine::LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = random->OneIn(2) ? "g-1" : "group";
    group.families = {schema.families[0].name};
    group.in_memory = random->OneIn(2);
    group.dictionary = random->OneIn(2);
    group.block_size = random->OneIn(2) ? 64 << 10 : 12'345;
    group.compression = random->OneIn(3) ? engine::Compression::kNone : engine::Compression::kZstd;
    if (group.compression == engine::Compression::kZstd) {
      group.compression_level = static_cast<int32_t>(1 + random->Uniform(19));
    }
    group.bloom = static_cast<engine::BloomKind>(random->Uniform(3));
  }
  if (random->OneIn(2)) schema.options["SPLIT_SIZE"] = "200MiB";
  if (random->OneIn(2)) schema.options[engine::kGranularityOption] = "MILLIS";
  if (random->OneIn(2)) schema.options[engine::kProtectedOption] = "TRUE";
  if (random->OneIn(2)) {
    int64_t hours = static_cast<int64_t>(24 + random->Uniform(6 * 24 + 1));
    engine::SetChangeStream(engine::ChangeStreamConfig{hours * kHourMicros, 0}, &schema);
  }
  schema.Normalize();
  return schema;
}

// The schema but for what each table has of its own.
TableSchema Comparable(TableSchema schema) {
  schema.name.clear();
  if (auto stream = engine::ChangeStreamOf(schema)) {
    stream->since_us = 0;
    engine::SetChangeStream(stream, &schema);
  }
  return schema;
}

TEST(ShowCreateTest, MakesTheSameTable) {
  StatementFixture fixture(Placement::kMemtable);
  fixture.Reset();
  engine::Random random(17);
  const std::vector<std::string> keys = {std::string("\0'\xff", 3), "k", "\xc3\xa9"};
  for (int i = 0; i < 200; ++i) {
    TableSchema schema = RandomSchema(&random);
    schema.name = fmt::format("first{}", i);
    ASSERT_TRUE(fixture.client()->admin()->Do(cluster::calls::CreateTable{schema, keys}).ok());
    Answer shown = fixture.Run("SHOW CREATE TABLE " + schema.name);
    ASSERT_TRUE(shown.status.ok()) << shown.status;
    std::string text(shown.table.rows.at(0).at(0).bytes());
    SCOPED_TRACE(text);
    const std::string second = fmt::format("second{}", i);
    text.replace(text.find(schema.name), schema.name.size(), second);
    Answer made = fixture.Run(text);
    ASSERT_TRUE(made.status.ok()) << made.status;
    auto again = fixture.client()->admin()->Do(cluster::calls::GetTable{second});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(Comparable(again->schema), Comparable(schema));
    EXPECT_EQ(*fixture.client()->data()->Do(cluster::calls::TabletRanges{second}),
              *fixture.client()->data()->Do(cluster::calls::TabletRanges{schema.name}));
  }
}

}  // namespace
}  // namespace sippar::query
