// Programs and row updates: encoding and decoding.
// SPDX-License-Identifier: Apache-2.0
#include "engine/program/program.h"

#include <gtest/gtest.h>

#include "engine/program/row_update.h"

namespace sippar::engine {
namespace {

Program Sample() {
  Program program;
  program.read.rows = RowSet(RowRange{"a", "m"});
  program.read.columns = {ColumnPattern::Exact("f", "q"),
                          {NamePattern::Prefix("g"), NamePattern::Regex("x", true)}};
  program.read.time = {3, 9};
  program.read.versions_per_column = 2;
  program.read.reverse = true;
  program.slots = {{SlotDef::kRow, 0}, {SlotDef::kNewest, 0}, {SlotDef::kMap, 1}};
  program.families.counters = {"g"};
  program.where = Expression::Call(Function::kIsNull, {Expression::Slot(1)});
  program.outputs = {Expression::Slot(0), Expression::Slot(2)};
  program.order_by = {{Expression::Slot(1), true}};
  program.limit = 7;
  program.now_us = 99;
  return program;
}

TEST(ProgramTest, EncodingReadsBack) {
  std::string bytes = Sample().Encode();
  auto decoded = Program::Decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->Encode(), bytes);
  EXPECT_EQ(decoded->Print(), Sample().Print());
  EXPECT_EQ(decoded->read.rows, Sample().read.rows);
}

TEST(ProgramTest, OnlyAProgramWithTextFamiliesNeedsTheirVersion) {
  Program program = Sample();
  EXPECT_EQ(program.Encode()[0], 2);
  program.families.texts = {"t", "u"};
  std::string bytes = program.Encode();
  EXPECT_EQ(bytes[0], 4);
  auto decoded = Program::Decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->families.texts, program.families.texts);
  EXPECT_EQ(decoded->families.counters, program.families.counters);
  EXPECT_EQ(decoded->Encode(), bytes);
}

TEST(ProgramTest, EveryTruncationIsRefused) {
  Program program = Sample();
  program.families.texts = {"t"};
  std::string bytes = program.Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Program::Decode(bytes.substr(0, size)).ok()) << size;
  }
}

TEST(ProgramTest, SlotsMustExist) {
  Program program = Sample();
  program.outputs.push_back(Expression::Slot(3));
  EXPECT_FALSE(Program::Decode(program.Encode()).ok());
  program = Sample();
  program.slots[1].pattern = 2;
  EXPECT_FALSE(Program::Decode(program.Encode()).ok());
  program = Sample();
  program.slots[1].kind = SlotDef::kValue;  // a slot for cells, in a program that reads rows
  EXPECT_FALSE(Program::Decode(program.Encode()).ok());
}

TEST(ProgramTest, SlotsOfStoredEntriesNeedAProgramThatReadsThem) {
  Program program;
  program.source = Program::kEntries;
  program.slots = {{SlotDef::kRow, 0}, {SlotDef::kColumn, 0}, {SlotDef::kSequence, 0}};
  program.outputs = {Expression::Slot(2)};
  auto decoded = Program::Decode(program.Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->source, Program::kEntries);
  EXPECT_EQ(decoded->slots, program.slots);
  program.source = Program::kCells;
  EXPECT_FALSE(Program::Decode(program.Encode()).ok());
  program.slots.pop_back();
  program.outputs.clear();
  EXPECT_TRUE(Program::Decode(program.Encode()).ok());
  // A server that does not know what a program reads must not run it as something else.
  program.source = static_cast<Program::Source>(Program::kEntries + 1);
  EXPECT_FALSE(Program::Decode(program.Encode()).ok());

  RowUpdate update;
  update.row = "r";
  update.slots = {{SlotDef::kRow, 0}};
  EXPECT_TRUE(RowUpdate::Decode(update.Encode()).ok());
  update.slots = {{SlotDef::kVisible, 0}};
  EXPECT_FALSE(RowUpdate::Decode(update.Encode()).ok());
}

TEST(RowUpdateTest, EncodingReadsBackAndFlipsNeverCrash) {
  RowUpdate update;
  update.row = "r";
  update.read.columns = {ColumnPattern::Exact("f", "q")};
  update.slots = {{SlotDef::kNewest, 0}, {SlotDef::kLet, 0}};
  RowWrite& let = update.writes.emplace_back();
  let.kind = RowWrite::kLet;
  let.value = Expression::Slot(0);
  update.condition = Expression::Call(Function::kIsNull, {Expression::Slot(1)});
  RowWrite& write = update.writes.emplace_back();
  write.family = "f";
  write.value = Expression::Literal(Value::Text("v"));
  write.times = {{1, 2}};
  update.returning = {Expression::Slot(0)};
  std::string bytes = update.Encode();
  auto decoded = RowUpdate::Decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->Encode(), bytes);
  update.families.texts = {"t"};
  bytes = update.Encode();
  decoded = RowUpdate::Decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->families.texts, update.families.texts);
  EXPECT_EQ(decoded->Encode(), bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    (void)RowUpdate::Decode(damaged);
  }
}

}  // namespace
}  // namespace sippar::engine
