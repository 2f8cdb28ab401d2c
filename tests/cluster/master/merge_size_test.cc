// Tests which neighbouring tablets the master merges because they are small.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cluster/master/decide/merge_step.h"

namespace sippar::cluster::master {
namespace {

// Number of merges that begin for two neighbours of 10 KiB each that are two days old.
size_t MergesOf(const std::string& split_size) {
  MasterState state;
  auto record = std::make_shared<TableRecord>();
  record->table_id = 7;
  if (!split_size.empty()) record->schema.options["SPLIT_SIZE"] = split_size;
  state.tables[7].record = record;
  uint64_t id = 1;
  for (const RowRange& range : {RowRange{"", "m"}, RowRange{"m", ""}}) {
    TabletFacts facts;
    facts.table_id = 7;
    facts.tablet_id = id++;
    facts.stored_bytes = 10 << 10;
    facts.phase = TabletPhase::kAssigned;
    facts.range = range;
    state.tablets.Put(facts)->loaded = true;
  }
  Turn turn{&state, int64_t{2} * 24 * 3600 * 1'000'000, {}, {}, {}};
  MergeSmallTablets(&turn);
  return state.merges.size();
}

TEST(MergeSize, IsAQuarterOfTheTablesOwnSplitSize) {
  EXPECT_EQ(MergesOf(""), 1u);
  EXPECT_EQ(MergesOf("80KiB"), 1u);
  EXPECT_EQ(MergesOf("79KiB"), 0u);
  EXPECT_EQ(MergesOf("20000B"), 0u);
}

}  // namespace
}  // namespace sippar::cluster::master
