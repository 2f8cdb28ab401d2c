// Tests which kept table is deleted when there are too many.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cluster/master/decide/delete_table_step.h"
#include "cluster/master/decide/turn.h"

namespace sippar::cluster::master {
namespace {

constexpr uint64_t kKeptMax = 100;
constexpr int64_t kDropUs = 1'000'000;  // time of the first drop

class KeptTables : public testing::Test {
 protected:
  KeptTables() { state_.stage = StartStage::kRunning; }

  Table* AddTable(uint64_t id, int64_t changed_at_us) {
    auto record = std::make_shared<TableRecord>();
    record->table_id = id;
    record->schema.name = "t" + std::to_string(id);
    record->changed_at_us = changed_at_us;
    Table& table = state_.tables[id];
    table.record = std::move(record);
    return &table;
  }
  void AddKept(uint64_t id, int64_t dropped_us) {
    Table* table = AddTable(id, dropped_us);
    table->life = TableLife::kKept;
    table->file_life = TableLife::kKept;
    table->kept_until_us = 1'000 * kDropUs;
  }
  void Drop(uint64_t id, int64_t wall_us) {
    Turn turn{&state_, wall_us, {}, {}, {}};
    OnEvent(&turn, event::DropTable{id, "t" + std::to_string(id), 1'000 * kDropUs, wall_us});
    EXPECT_EQ(turn.actions.size(), 1u) << "the file is to be written";
  }

  MasterState state_;
};

// The tables were last changed before any drop. The drop of the first one is not written yet when
// the second one is dropped.
TEST_F(KeptTables, ATableWhoseDropIsNotWrittenYetIsNotTheOldest) {
  AddTable(500, 1);
  AddTable(501, 2);
  for (uint64_t id = 0; id < kKeptMax - 1; ++id) {
    AddKept(100 + id, kDropUs + static_cast<int64_t>(id));
  }
  Drop(500, 2 * kDropUs);
  EXPECT_GT(state_.tables[100].kept_until_us, 0) << "there are no more than allowed";
  Drop(501, 2 * kDropUs + 1);
  EXPECT_GT(state_.tables[500].kept_until_us, 0);
  EXPECT_EQ(state_.tables[100].kept_until_us, 0);
}

}  // namespace
}  // namespace sippar::cluster::master
