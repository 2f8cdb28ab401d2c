// Timestamps that the server gives to cells: they follow the order in which writes take effect.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <future>
#include <numeric>
#include <thread>

#include "cluster/node/open_client.h"
#include "tests/cluster/serve/api_fixture.h"
#include "tests/cluster/serve/stuck_client.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kServerClock = -1;

v2::ReadRowsRequest NewestOf(const std::string& row) {
  v2::ReadRowsRequest request;
  request.mutable_rows()->add_row_keys(row);
  request.mutable_filter()->set_cells_per_column_limit_filter(1);
  return request;
}

// A request that sets f:q to `value` if its newest value is `expected`.
v2::CheckAndMutateRowRequest Swap(const std::string& row, const std::string& expected,
                                  const std::string& value) {
  v2::CheckAndMutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key(row);
  auto* filters = request.mutable_predicate_filter()->mutable_chain();
  filters->add_filters()->set_cells_per_column_limit_filter(1);
  filters->add_filters()->set_value_regex_filter(expected);
  auto* set = request.add_true_mutations()->mutable_set_cell();
  set->set_family_name("f");
  set->set_column_qualifier("q");
  set->set_timestamp_micros(kServerClock);
  set->set_value(value);
  return request;
}

class ServerTimeTest : public ApiTest {
 protected:
  std::string Newest(const std::string& row) {
    ReadResult result = Read(NewestOf(row));
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    return result.cells.empty() ? "" : result.cells[0].value;
  }
  bool SwapNow(const std::string& row, const std::string& expected, const std::string& value) {
    v2::CheckAndMutateRowResponse response;
    grpc::Status status = Call(data_.get(), &v2::Bigtable::Stub::CheckAndMutateRow,
                               Swap(row, expected, value), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.predicate_matched();
  }
  void Append(const std::string& value) {
    v2::ReadModifyWriteRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key("r");
    v2::ReadModifyWriteRule* rule = request.add_rules();
    rule->set_family_name("f");
    rule->set_column_qualifier("q");
    rule->set_append_value(value);
    ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::ReadModifyWriteRow, request).ok());
  }
  void SetMany(const std::string& value) {
    v2::MutateRowsRequest request;
    request.set_table_name(kTable);
    auto* entry = request.add_entries();
    entry->set_row_key("r");
    auto* set = entry->add_mutations()->mutable_set_cell();
    set->set_family_name("f");
    set->set_column_qualifier("q");
    set->set_timestamp_micros(kServerClock);
    set->set_value(value);
    grpc::ClientContext context;
    auto reader = data_->MutateRows(&context, request);
    v2::MutateRowsResponse response;
    while (reader->Read(&response)) ASSERT_EQ(response.entries(0).status().code(), 0);
    ASSERT_TRUE(reader->Finish().ok());
  }
};

TEST_F(ServerTimeTest, F_D3_WhatIsWrittenAfterTheClockWentBackIsNewer) {
  CreateTable();  // the table has millisecond granularity, which all clients request
  ASSERT_TRUE(Set("r", "f", "q", kServerClock, "a").ok());
  clock_.now_us -= 10'000'000;
  ASSERT_TRUE(Set("r", "f", "q", kServerClock, "b").ok());
  EXPECT_EQ(Newest("r"), "b");
  clock_.now_us -= 10'000'000;
  SetMany("c");
  EXPECT_EQ(Newest("r"), "c");
  clock_.now_us -= 10'000'000;
  EXPECT_TRUE(SwapNow("r", "c", "d"));
  EXPECT_EQ(Newest("r"), "d");
  clock_.now_us -= 10'000'000;
  Append("e");
  EXPECT_EQ(Newest("r"), "de");
  ReadResult result = Read(NewestOf("r"));
  EXPECT_EQ(result.cells[0].time_us % 1000, 0);
}

TEST_F(ServerTimeTest, F_D3_AlsoWhenTheServerIsStartedAgain) {
  CreateTable();
  ASSERT_TRUE(Set("r", "f", "q", kServerClock, "a").ok());
  for (int i = 0; i < 3; ++i) {
    clock_.now_us -= 10'000'000;
    server_.reset();
    ASSERT_TRUE(client_->Close().ok());
    client_.reset();
    ClientOptions options;
    options.fs = &fs_;
    options.clock = &clock_;
    Serve(std::move(*OpenClient("/db", options)));
    std::string value = fmt::format("again {}", i);
    ASSERT_TRUE(Set("r", "f", "q", kServerClock, value).ok());
    EXPECT_EQ(Newest("r"), value);
  }
}

// A write in flight that a check-and-mutate does not see gets a later timestamp than that call.
TEST_F(ServerTimeTest, F_D3_AWriteThatACheckDidNotSeeIsNotHiddenByIt) {
  StuckData* stuck = nullptr;
  server_.reset();
  Serve(std::make_unique<StuckClient>(std::move(client_), &stuck));
  CreateTable();
  clock_.now_us -= 1'000'000;
  ASSERT_TRUE(client_->data()
                  ->Update("p/i/t", engine::ReadModifyWriteOf("stuck", {{"f", "q", "old", 0}}))
                  .ok());
  auto write = std::async(std::launch::async,
                          [this] { return Set("stuck", "f", "q", kServerClock, "written"); });
  stuck->AwaitStuck(1);
  clock_.now_us += 1'000'000;
  EXPECT_TRUE(SwapNow("stuck", "old", "swapped"));
  stuck->LetGo();
  ASSERT_TRUE(write.get().ok());
  EXPECT_EQ(Newest("stuck"), "written");
}

// An event in one row of the random test, timed by the test's own counter.
struct Event {
  std::string expected;  // value that a swap expects; "": a write
  std::string value;
  bool is_done = false;  // false for a swap whose check failed
  int begin = 0;
  int end = 0;
};

// True if an order of this row's events explains all answers and the last value.
bool IsLinearizable(const std::vector<Event>& events, const std::string& last) {
  std::vector<size_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    std::string value = "0";
    bool fits = true;
    for (size_t i = 0; i < order.size() && fits; ++i) {
      const Event& event = events[order[i]];
      for (size_t j = i + 1; j < order.size(); ++j) {
        // No later event may have ended before this one began.
        fits = fits && events[order[j]].end > event.begin;
      }
      bool matches = event.expected.empty() || event.expected == value;
      fits = fits && matches == event.is_done;
      if (event.is_done) value = event.value;
    }
    if (fits && value == last) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST_F(ServerTimeTest, F_D3_WritesBesideSwapsAreLinearizable) {
  CreateTable();
  constexpr int kRows = 60;
  constexpr int kThreads = 5;
  std::vector<std::vector<Event>> events(kRows, std::vector<Event>(kThreads));
  std::atomic<int> now = 0;
  std::barrier together(kThreads);
  auto work = [&](int thread) {
    for (int row = 0; row < kRows; ++row) {
      std::string name = fmt::format("row{:03}", row);
      Event& event = events[static_cast<size_t>(row)][static_cast<size_t>(thread)];
      event.value = std::to_string(thread + 1);
      if (thread == 0) ASSERT_TRUE(Set(name, "f", "q", kServerClock, "0").ok());
      together.arrive_and_wait();
      if (thread == 0) clock_.now_us += row % 2 == 0 ? 1'500 : -700;
      event.begin = ++now;
      if (thread < 2) {
        event.is_done = Set(name, "f", "q", kServerClock, event.value).ok();
      } else {
        event.expected = std::to_string((thread + row) % 3);
        event.is_done = SwapNow(name, event.expected, event.value);
      }
      event.end = ++now;
      together.arrive_and_wait();
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
  for (int row = 0; row < kRows; ++row) {
    std::string last = Newest(fmt::format("row{:03}", row));
    EXPECT_TRUE(IsLinearizable(events[static_cast<size_t>(row)], last)) << row << " " << last;
  }
}

}  // namespace
}  // namespace sippar::cluster
