// Cells packed into messages and unpacked again; damaged messages.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/cell_batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/random.h"

namespace sippar::cluster {
namespace {

using engine::Cell;

std::vector<Cell> RandomCells(engine::Random* random) {
  std::vector<Cell> cells;
  Cell cell;
  for (uint64_t i = random->Uniform(3000); i > 0; --i) {
    if (random->OneIn(3))
      cell.row = std::string(1 + random->Uniform(20), 'r') + char(random->Next());
    if (random->OneIn(3)) cell.family = std::string(random->Uniform(3), 'f');
    if (random->OneIn(2)) cell.qualifier = std::string(random->Uniform(30), 'q');
    cell.timestamp_us = static_cast<int64_t>(random->Next());
    cell.sequence = random->Next();
    cell.value.assign(random->OneIn(200) ? random->Uniform(4 << 20) : random->Uniform(400),
                      static_cast<char>(random->Next()));
    cells.push_back(cell);
  }
  return cells;
}

TEST(CellBatch, CellsComeAsTheyWere) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    engine::Random random(seed);
    std::vector<Cell> cells = RandomCells(&random);
    std::vector<std::string> messages;
    CellPacker packer([&](std::string bytes, bool) {
      EXPECT_LE(bytes.size(), size_t{(1 << 20) + (200 << 10)});
      messages.push_back(std::move(bytes));
      return true;
    });
    for (const Cell& cell : cells) ASSERT_TRUE(packer.Add(cell.view()));
    ASSERT_TRUE(packer.Flush());
    CellUnpacker unpacker;
    std::vector<Cell> got;
    for (std::string& message : messages) {
      unpacker.Take(std::move(message));
      while (*unpacker.Next()) got.emplace_back(unpacker.cell());
    }
    EXPECT_FALSE(unpacker.is_within_cell());
    EXPECT_EQ(got.size(), cells.size());
    EXPECT_TRUE(got == cells) << seed;
  }
}

TEST(CellBatch, F_M5_ALeftOutValueComesAsItsSize) {
  std::string message;
  CellPacker packer([&](std::string bytes, bool) {
    message = std::move(bytes);
    return true;
  });
  engine::CellView cell{"row", "f", "q", 7, 8, ""};
  cell.omitted_size = 100 << 20;
  ASSERT_TRUE(packer.Add(cell));
  ASSERT_TRUE(packer.Add({"row", "f", "r", 7, 9, "whole"}));
  ASSERT_TRUE(packer.Flush());
  EXPECT_LT(message.size(), 100u);
  CellUnpacker unpacker;
  unpacker.Take(message);
  ASSERT_TRUE(*unpacker.Next());
  EXPECT_EQ(unpacker.cell().omitted_size, uint64_t{100 << 20});
  EXPECT_EQ(unpacker.cell().value, "");
  EXPECT_EQ(unpacker.cell().sequence, 8u);
  ASSERT_TRUE(*unpacker.Next());
  EXPECT_EQ(unpacker.cell().omitted_size, 0u);
  EXPECT_EQ(unpacker.cell().value, "whole");
  EXPECT_FALSE(*unpacker.Next());
}

TEST(CellBatch, APartOfAValueComesWithTheNumberOfTheOtherBytes) {
  std::vector<std::string> messages;
  CellPacker packer([&](std::string bytes, bool) {
    messages.push_back(std::move(bytes));
    return true;
  });
  const std::string part(3 << 20, 'p');  // spans messages
  for (std::string_view value : {std::string_view("part"), std::string_view(part)}) {
    engine::CellView cell{"row", "f", "q", 7, 8, value};
    cell.omitted_size = 100 << 20;
    ASSERT_TRUE(packer.Add(cell));
  }
  ASSERT_TRUE(packer.Add({"row", "f", "r", 7, 9, "whole"}));
  ASSERT_TRUE(packer.Flush());
  CellUnpacker unpacker;
  std::vector<Cell> got;
  std::vector<uint64_t> omitted;
  for (std::string& message : messages) {
    unpacker.Take(std::move(message));
    while (*unpacker.Next()) {
      got.emplace_back(unpacker.cell());
      omitted.push_back(unpacker.cell().omitted_size);
    }
  }
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].value, "part");
  EXPECT_TRUE(got[1].value == part);
  EXPECT_EQ(got[2].value, "whole");
  EXPECT_EQ(omitted, (std::vector<uint64_t>{100 << 20, 100 << 20, 0}));
}

TEST(CellBatch, TheFirstMessageIsSmallEndsARowAndSendMayEndIt) {
  for (const bool is_one_row : {false, true}) {
    SCOPED_TRACE(is_one_row);
    size_t sent = 0;
    bool is_row_end = is_one_row;
    CellPacker packer([&](const std::string& bytes, bool ends_row) {
      sent = bytes.size();
      is_row_end = ends_row;
      return false;
    });
    Cell cell;
    cell.value.assign(100, 'x');
    int added = 0;
    for (; packer.Add(cell.view()); ++added)
      cell.row = is_one_row ? "r" : std::to_string(added / 2);
    EXPECT_LT(sent, size_t{is_one_row ? 40u << 10 : 20u << 10});
    EXPECT_LT(added, 400);
    EXPECT_EQ(is_row_end, !is_one_row);
  }
}

TEST(CellBatch, DamagedMessagesEndWithAnErrorOrCells) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    engine::Random random(seed);
    std::vector<std::string> messages;
    CellPacker packer([&](std::string bytes, bool) {
      messages.push_back(std::move(bytes));
      return true;
    });
    Cell cell;
    for (int i = 0; i < 400; ++i) {
      cell.row = std::string(1 + random.Uniform(30), 'r');
      cell.value.assign(random.Uniform(200), 'v');
      ASSERT_TRUE(packer.Add(cell.view()));
    }
    ASSERT_TRUE(packer.Flush());
    CellUnpacker unpacker;
    size_t bytes = 0;
    for (std::string& message : messages) {
      for (int flips = 0; flips < 4; ++flips) {
        message[random.Uniform(message.size())] = static_cast<char>(random.Next());
      }
      unpacker.Take(std::move(message));
      StatusOr<bool> next = unpacker.Next();
      for (; next.ok() && *next; next = unpacker.Next()) {
        bytes += unpacker.cell().row.size() + unpacker.cell().value.size();
      }
      if (!next.ok()) break;
    }
    EXPECT_LT(bytes, size_t{1} << 30);
  }
}

}  // namespace
}  // namespace sippar::cluster
