// Cells packed into messages and read again; damaged messages. SPDX-License-Identifier: Apache-2.0
#include "cluster/rpc/cell_batch.h"

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
    CellPacker packer([&](std::string bytes) {
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

TEST(CellBatch, TheFirstMessageIsSmallAndSendMayEndIt) {
  size_t sent = 0;
  CellPacker packer([&](const std::string& bytes) {
    sent = bytes.size();
    return false;
  });
  Cell cell;
  cell.value.assign(100, 'x');
  int added = 0;
  while (packer.Add(cell.view())) ++added;
  EXPECT_LT(sent, size_t{20 << 10});
  EXPECT_LT(added, 200);
}

TEST(CellBatch, DamagedMessagesEndWithAnErrorOrCells) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    engine::Random random(seed);
    std::vector<std::string> messages;
    CellPacker packer([&](std::string bytes) {
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
