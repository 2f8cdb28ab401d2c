// Pieces run by several threads are read in order, with bounded memory, and end when their reader
// has enough.
// SPDX-License-Identifier: Apache-2.0
#include "query/execute/ordered_runs.h"

#include <gtest/gtest.h>

#include <atomic>

#include "engine/base/clock.h"

namespace sippar::query {
namespace {

using engine::ProgramBatch;
using engine::ProgramSink;
using engine::Value;

ProgramBatch Batch(size_t piece, int number) {
  ProgramBatch batch;
  batch.rows.push_back({Value::Int64(static_cast<int64_t>(piece) * 100 + number)});
  batch.rows_seen = 1;
  return batch;
}

class Collector final : public ProgramSink {
 public:
  explicit Collector(size_t rows_max = SIZE_MAX) : rows_max_(rows_max) {}
  bool Emit(ProgramBatch batch) override {
    for (const auto& row : batch.rows) numbers.push_back(row[0].integer());
    rows_seen += batch.rows_seen;
    return numbers.size() < rows_max_;
  }
  std::vector<int64_t> numbers;
  uint64_t rows_seen = 0;

 private:
  const size_t rows_max_;
};

TEST(OrderedRuns, BatchesComeInTheOrderOfThePieces) {
  constexpr size_t kPieces = 7;
  // Later pieces end first.
  OrderedRuns runs(kPieces, 3, [](size_t piece, ProgramSink* sink) {
    engine::Clock::System()->SleepMicros(static_cast<int64_t>(kPieces - piece) * 500);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(sink->Emit(Batch(piece, i)));
    return OkStatus();
  });
  Collector all;
  for (size_t piece = 0; piece < kPieces; ++piece) EXPECT_TRUE(runs.Drain(piece, &all).ok());
  std::vector<int64_t> expected;
  for (int64_t piece = 0; piece < 7; ++piece) {
    for (int64_t i = 0; i < 5; ++i) expected.push_back(piece * 100 + i);
  }
  EXPECT_EQ(all.numbers, expected);
}

TEST(OrderedRuns, PiecesRunAtTheSameTime) {
  std::atomic<int> begun{0};
  OrderedRuns runs(3, 3, [&](size_t, ProgramSink*) {
    ++begun;
    while (begun < 3) engine::Clock::System()->SleepMicros(100);
    return OkStatus();
  });
  Collector none;
  for (size_t piece = 0; piece < 3; ++piece) EXPECT_TRUE(runs.Drain(piece, &none).ok());
}

TEST(OrderedRuns, WhatIsReadAheadIsBounded) {
  std::atomic<size_t> begun{0}, emitted{0};
  OrderedRuns runs(100, 2, [&](size_t piece, ProgramSink* sink) {
    ++begun;
    for (int i = 0; sink->Emit(Batch(piece, i)); ++i) ++emitted;
    return OkStatus();
  });
  Collector one(1);
  EXPECT_TRUE(runs.Drain(0, &one).ok());
  engine::Clock::System()->SleepMicros(50'000);
  EXPECT_LE(begun, 2u);
  // One batch was read, and each piece holds at most kQueuedMax.
  EXPECT_LE(emitted, 1 + 2 * OrderedRuns::kQueuedMax);
  runs.Stop();
  EXPECT_LE(begun, 2u);
}

TEST(OrderedRuns, ProgressWithoutRowsHoldsNoPieceUp) {
  OrderedRuns runs(2, 2, [](size_t piece, ProgramSink* sink) {
    for (int i = 0; i < 1000; ++i) {
      ProgramBatch progress;
      progress.rows_seen = 1;
      if (!sink->Emit(std::move(progress))) return Internal("stopped");
    }
    EXPECT_TRUE(sink->Emit(Batch(piece, 0)));
    return OkStatus();
  });
  // The second piece reaches its rows while the first is not read yet.
  engine::Clock::System()->SleepMicros(10'000);
  Collector all;
  for (size_t piece = 0; piece < 2; ++piece) EXPECT_TRUE(runs.Drain(piece, &all).ok());
  EXPECT_EQ(all.numbers, (std::vector<int64_t>{0, 100}));
  EXPECT_EQ(all.rows_seen, 2002u);
}

TEST(OrderedRuns, AFailedPieceIsNoticedAfterTheRowsBeforeIt) {
  OrderedRuns runs(3, 3, [](size_t piece, ProgramSink* sink) -> Status {
    if (piece == 1) return DataLoss("piece 1");
    const bool is_taken = sink->Emit(Batch(piece, 0));
    // The runs may be over before the last piece has a row.
    EXPECT_TRUE(is_taken || piece == 2);
    return OkStatus();
  });
  Collector all;
  EXPECT_TRUE(runs.Drain(0, &all).ok());
  EXPECT_EQ(runs.Drain(1, &all).code(), StatusCode::kDataLoss);
  EXPECT_EQ(all.numbers, std::vector<int64_t>{0});
}

}  // namespace
}  // namespace sippar::query
