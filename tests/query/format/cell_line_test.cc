// Lines of the format "cells", written and read.
// SPDX-License-Identifier: Apache-2.0
#include "query/format/cell_line.h"

#include <gtest/gtest.h>

namespace sippar::query {
namespace {

engine::Cell CellOf(std::string row, std::string qualifier, std::string value, int64_t time_us) {
  engine::Cell cell;
  cell.row = std::move(row);
  cell.family = "f";
  cell.qualifier = std::move(qualifier);
  cell.timestamp_us = time_us;
  cell.value = std::move(value);
  return cell;
}

TEST(CellLine, WhatIsWrittenIsReadBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  for (const std::string& bytes :
       {std::string("plain"), std::string(), all, std::string("é日\\x41"), std::string("\\"),
        std::string("a:b\tc")}) {
    for (bool terminal : {false, true}) {
      engine::Cell cell = CellOf("r" + bytes, bytes, bytes, engine::kTimeMin);
      std::string line;
      AppendCellLine(cell.view(), terminal, &line);
      ASSERT_EQ(line.back(), '\n');
      EXPECT_EQ(line.find('\n'), line.size() - 1);
      engine::Cell read;
      Status status = ParseCellLine(std::string_view(line).substr(0, line.size() - 1), &read);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(read, cell);
    }
  }
}

TEST(CellLine, WhatIsWrongIsSaid) {
  engine::Cell cell;
  auto message = [&](std::string_view line) {
    Status status = ParseCellLine(line, &cell);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << line;
    return std::string(status.message());
  };
  EXPECT_EQ(message("r"), "1 fields where 4 are expected");
  EXPECT_EQ(message("r\tf:q\t5"), "3 fields where 4 are expected");
  EXPECT_EQ(message("r\tf\t5\tv"), "the column is not family:qualifier");
  EXPECT_EQ(message("r\tf:q\t5x\tv"), "the timestamp is not a number of microseconds");
  EXPECT_EQ(message("r\tf:q\t\tv"), "the timestamp is not a number of microseconds");
  for (std::string_view value : {"\\", "\\q", "\\x4", "\\xgg"}) {
    EXPECT_NE(message(std::string("r\tf:q\t5\t").append(value)).find("backslash"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace sippar::query
