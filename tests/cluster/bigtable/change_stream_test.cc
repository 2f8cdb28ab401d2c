// Change streams as clients read them: chunks, heartbeats, tokens, splits, errors.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <thread>

#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;
using Response = v2::ReadChangeStreamResponse;

constexpr int64_t kNowSeconds = 1'700'000'000;  // time of the fixture's clock

// Assembles changes as client libraries do, with their checks.
struct Reading {
  std::vector<std::string> changes;                 // "row +f:q@time=value, -f:q, -f"
  std::vector<v2::StreamContinuationToken> tokens;  // token that follows each change
  std::vector<Response::Heartbeat> heartbeats;
  std::vector<Response::CloseStream> closes;
  size_t messages = 0;
  size_t message_size_max = 0;
  grpc::Status status;

  void AddChange(const Response::DataChange& data, const v2::StreamPartition& partition) {
    if (change_.empty()) {
      EXPECT_EQ(data.type(), Response::DataChange::USER);
      EXPECT_FALSE(data.row_key().empty() || data.source_cluster_id().empty());
      EXPECT_GE(data.commit_timestamp().seconds(), kNowSeconds);
      EXPECT_GT(data.chunks_size(), 0);
      change_ = data.row_key();
    } else {
      EXPECT_EQ(data.type(), Response::DataChange::CONTINUATION);
    }
    for (const auto& chunk : data.chunks()) AddChunk(chunk);
    if (!data.done()) return;
    EXPECT_EQ(value_size_, 0);
    EXPECT_FALSE(data.token().empty() || !data.has_estimated_low_watermark());
    changes.push_back(std::exchange(change_, ""));
    v2::StreamContinuationToken& token = tokens.emplace_back();
    *token.mutable_partition() = partition;
    token.set_token(data.token());
  }

 private:
  void AddChunk(const Response::MutationChunk& chunk) {
    const v2::Mutation& mutation = chunk.mutation();
    if (mutation.has_delete_from_family()) {
      change_ += " -" + mutation.delete_from_family().family_name();
    } else if (mutation.has_delete_from_column()) {
      const auto& column = mutation.delete_from_column();
      change_ += fmt::format(" -{}:{}[{},{})", column.family_name(), column.column_qualifier(),
                             column.time_range().start_timestamp_micros(),
                             column.time_range().end_timestamp_micros());
    } else {
      ASSERT_TRUE(mutation.has_set_cell());
      const v2::Mutation::SetCell& cell = mutation.set_cell();
      if (value_size_ == 0) {
        change_ += fmt::format(" +{}:{}@{}=", cell.family_name(), cell.column_qualifier(),
                               cell.timestamp_micros());
      }
      change_ += cell.value();
      if (!chunk.has_chunk_info()) return;
      EXPECT_EQ(chunk.chunk_info().chunked_value_offset(), value_size_);
      value_size_ += static_cast<int>(cell.value().size());
      if (!chunk.chunk_info().last_chunk()) return;
      EXPECT_EQ(value_size_, chunk.chunk_info().chunked_value_size());
      value_size_ = 0;
    }
  }
  std::string change_;
  int value_size_ = 0;
};

class ChangeStreamTest : public ApiTest {
 protected:
  grpc::Status Update(int64_t retention_seconds) {
    admin::UpdateTableRequest request;
    request.mutable_table()->set_name(kTable);
    if (retention_seconds != 0) {
      auto* period = request.mutable_table()->mutable_change_stream_config();
      period->mutable_retention_period()->set_seconds(retention_seconds);
    }
    request.mutable_update_mask()->add_paths("change_stream_config");
    google::longrunning::Operation operation;
    return Call(admin_.get(), &admin::BigtableTableAdmin::Stub::UpdateTable, request, &operation);
  }
  void CreateWithStream(const std::vector<std::string>& split_keys = {}) {
    CreateTable(split_keys);
    ASSERT_TRUE(Update(24 * 3600).ok());
  }
  void Write(const std::string& row, const std::string& value) {
    grpc::Status written = Set(row, "f", "q", 1000, value);
    ASSERT_TRUE(written.ok()) << written.error_message();
  }

  std::vector<v2::StreamPartition> Partitions() {
    grpc::ClientContext context;
    v2::GenerateInitialChangeStreamPartitionsRequest request;
    request.set_table_name(kTable);
    auto reader = data_->GenerateInitialChangeStreamPartitions(&context, request);
    std::vector<v2::StreamPartition> partitions;
    v2::GenerateInitialChangeStreamPartitionsResponse response;
    while (reader->Read(&response)) partitions.push_back(response.partition());
    EXPECT_TRUE(reader->Finish().ok());
    return partitions;
  }
  static v2::ReadChangeStreamRequest Request(const v2::StreamPartition& partition) {
    v2::ReadChangeStreamRequest request;
    request.set_table_name(kTable);
    *request.mutable_partition() = partition;
    return request;
  }
  v2::ReadChangeStreamRequest FromStart(int partition = 0) {
    v2::ReadChangeStreamRequest request = Request(Partitions()[static_cast<size_t>(partition)]);
    request.mutable_start_time()->set_seconds(kNowSeconds);
    request.mutable_start_time()->set_nanos(123'456'000);
    return request;
  }
  // Reads until the stream ends or has sent `changes` changes and `heartbeats` heartbeats.
  Reading Read(const v2::ReadChangeStreamRequest& request, size_t changes, size_t heartbeats = 0) {
    grpc::ClientContext context;
    auto reader = data_->ReadChangeStream(&context, request);
    Reading reading;
    Response response;
    while ((reading.changes.size() < changes || reading.heartbeats.size() < heartbeats) &&
           reader->Read(&response)) {
      ++reading.messages;
      reading.message_size_max = std::max(reading.message_size_max, response.ByteSizeLong());
      if (response.has_data_change()) {
        reading.AddChange(response.data_change(), request.partition());
      } else if (response.has_heartbeat()) {
        reading.heartbeats.push_back(response.heartbeat());
      } else {
        reading.closes.push_back(response.close_stream());
      }
    }
    bool is_left = reading.changes.size() >= changes && reading.heartbeats.size() >= heartbeats;
    if (is_left) context.TryCancel();
    reading.status = reader->Finish();
    return reading;
  }
  StatusCode ErrorOf(const v2::ReadChangeStreamRequest& request) {
    return Read(request, SIZE_MAX).status.error_code();
  }
};

TEST_F(ChangeStreamTest, MutationsComeAsTheyWereWritten) {
  CreateWithStream();
  v2::MutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  auto* set = request.add_mutations()->mutable_set_cell();
  set->set_family_name("f");
  set->set_column_qualifier("q");
  set->set_timestamp_micros(5000);
  set->set_value("v");
  request.add_mutations()->mutable_delete_from_family()->set_family_name("g");
  auto* column = request.add_mutations()->mutable_delete_from_column();
  column->set_family_name("f");
  column->set_column_qualifier("old");
  column->mutable_time_range()->set_start_timestamp_micros(1000);
  column->mutable_time_range()->set_end_timestamp_micros(9000);
  ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request).ok());
  request.clear_mutations();
  request.add_mutations()->mutable_delete_from_row();
  ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request).ok());
  v2::ReadModifyWriteRowRequest append;
  append.set_table_name(kTable);
  append.set_row_key("s");
  auto* rule = append.add_rules();
  rule->set_family_name("f");
  rule->set_column_qualifier("q");
  rule->set_append_value("tail");
  ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::ReadModifyWriteRow, append).ok());
  Reading reading = Read(FromStart(), 3);
  EXPECT_EQ(reading.changes,
            (std::vector<std::string>{"r +f:q@5000=v -g -f:old[1000,9000)", "r -f -g -n",
                                      "s +f:q@1700000000123000=tail"}));
}

TEST_F(ChangeStreamTest, TokensGoOnAndAChangeWrittenLaterArrives) {
  CreateWithStream();
  for (int i = 0; i < 5; ++i) Write("r", std::to_string(i));
  Reading all = Read(FromStart(), 5);
  ASSERT_EQ(all.changes.size(), 5);
  EXPECT_EQ(all.changes[4], "r +f:q@1000=4");
  v2::ReadChangeStreamRequest request = Request(Partitions()[0]);
  *request.mutable_continuation_tokens()->add_tokens() = all.tokens[2];
  Reading rest = Read(request, 2);
  EXPECT_EQ(rest.changes, (std::vector<std::string>{"r +f:q@1000=3", "r +f:q@1000=4"}));
  // A waiting reader receives later writes; without a start time, the stream begins now.
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    Write("z", "later");
  });
  *request.mutable_continuation_tokens()->mutable_tokens(0) = all.tokens[4];
  EXPECT_EQ(Read(request, 1).changes, std::vector<std::string>{"z +f:q@1000=later"});
  writer.join();
}

TEST_F(ChangeStreamTest, HeartbeatsComeWithTokens) {
  CreateWithStream();
  Write("r", "1");
  clock_.step_nanos = 300'000'000;
  v2::ReadChangeStreamRequest request = FromStart();
  request.mutable_heartbeat_duration()->set_seconds(1);
  Reading reading = Read(request, 1, 3);
  ASSERT_EQ(reading.heartbeats.size(), 3);
  const Response::Heartbeat& last = reading.heartbeats[2];
  EXPECT_EQ(last.estimated_low_watermark().seconds(), kNowSeconds);
  EXPECT_EQ(last.continuation_token().partition().row_range().end_key_open(), "");
  Write("r", "2");
  v2::ReadChangeStreamRequest resumed = Request(Partitions()[0]);
  *resumed.mutable_continuation_tokens()->add_tokens() = last.continuation_token();
  EXPECT_EQ(Read(resumed, 1).changes, std::vector<std::string>{"r +f:q@1000=2"});
}

TEST_F(ChangeStreamTest, LargeChangesComeInPieces) {
  CreateWithStream();
  v2::MutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  std::string expected = "r";
  for (size_t size : {10, 3 << 20, 0, 700 << 10, 400 << 10, 400 << 10}) {
    auto* set = request.add_mutations()->mutable_set_cell();
    set->set_family_name("f");
    set->set_column_qualifier(std::to_string(request.mutations_size()));
    set->set_value(std::string(size, static_cast<char>('a' + request.mutations_size())));
    expected += fmt::format(" +f:{}@0={}", set->column_qualifier(), set->value());
  }
  ASSERT_TRUE(Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request).ok());
  ASSERT_TRUE(client_->admin()->Do(calls::Flush{"p/i/t"}).ok());
  Reading reading = Read(FromStart(), 1);
  ASSERT_EQ(reading.changes.size(), 1);
  EXPECT_TRUE(reading.changes[0] == expected);
  EXPECT_GE(reading.messages, 9);
  EXPECT_LT(reading.message_size_max, 600 << 10);
}

TEST_F(ChangeStreamTest, ASplitAndAMergeCloseTheStreamAndTellWhereToGoOn) {
  CreateWithStream();
  for (const char* row : {"a", "z"}) Write(row, "1");
  v2::ReadChangeStreamRequest request = FromStart();
  std::thread splitter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_TRUE(client_->admin()->Do(calls::Split{"p/i/t", "m"}).ok());
    for (const char* row : {"a", "z"}) Write(row, "2");
  });
  Reading whole = Read(request, SIZE_MAX);
  splitter.join();
  EXPECT_TRUE(whole.status.ok());
  ASSERT_EQ(whole.closes.size(), 1);
  const Response::CloseStream& close = whole.closes[0];
  ASSERT_EQ(close.continuation_tokens_size(), 2);
  ASSERT_EQ(close.new_partitions_size(), 2);
  EXPECT_EQ(close.new_partitions(0).row_range().end_key_open(), "m");
  v2::ReadChangeStreamRequest left = Request(close.new_partitions(0));
  *left.mutable_continuation_tokens()->add_tokens() = close.continuation_tokens(0);
  EXPECT_EQ(Read(left, 1).changes, std::vector<std::string>{"a +f:q@1000=2"});
  v2::ReadChangeStreamRequest right = Request(close.new_partitions(1));
  *right.mutable_continuation_tokens()->add_tokens() = close.continuation_tokens(1);
  Reading right_reading = Read(right, 1);
  EXPECT_EQ(right_reading.changes, std::vector<std::string>{"z +f:q@1000=2"});
  Status together = client_->admin()->Do(calls::Merge{"p/i/t", engine::RowRange::All()});
  ASSERT_TRUE(together.ok()) << together;
  Write("z", "3");
  // The streams of both halves end; a reader of the merged partition passes both tokens.
  Reading left_end = Read(left, SIZE_MAX);
  *right.mutable_continuation_tokens()->mutable_tokens(0) = right_reading.tokens[0];
  Reading right_end = Read(right, SIZE_MAX);
  ASSERT_EQ(left_end.closes.size() + right_end.closes.size(), 2);
  EXPECT_EQ(left_end.closes[0].new_partitions(0).row_range().end_key_open(), "");
  v2::ReadChangeStreamRequest merged = Request(left_end.closes[0].new_partitions(0));
  for (const Reading* half : {&left_end, &right_end}) {
    *merged.mutable_continuation_tokens()->add_tokens() = half->closes[0].continuation_tokens(0);
  }
  EXPECT_EQ(Read(merged, 2).changes, (std::vector<std::string>{"a +f:q@1000=2", "z +f:q@1000=3"}));
}

TEST_F(ChangeStreamTest, AnEndTimeEndsIt) {
  CreateWithStream();
  Write("r", "1");
  v2::ReadChangeStreamRequest request = FromStart();
  // The server truncates this to microseconds.
  request.mutable_start_time()->set_nanos(123'456'999);
  *request.mutable_end_time() = request.start_time();
  clock_.now_us += 1;
  Write("r", "2");
  Reading reading = Read(request, SIZE_MAX);
  EXPECT_TRUE(reading.status.ok()) << reading.status.error_message();
  EXPECT_EQ(reading.changes, std::vector<std::string>{"r +f:q@1000=1"});
  ASSERT_EQ(reading.closes.size(), 1);
  EXPECT_EQ(reading.closes[0].continuation_tokens_size(), 0);
}

TEST_F(ChangeStreamTest, BadRequestsAreRefused) {
  CreateTable();
  v2::ReadChangeStreamRequest request;
  request.set_table_name(kTable);
  EXPECT_EQ(ErrorOf(request), StatusCode::FAILED_PRECONDITION);
  for (int64_t retention : {24 * 3600 - 1, 7 * 24 * 3600 + 1, -1}) {
    EXPECT_EQ(Update(retention).error_code(), StatusCode::INVALID_ARGUMENT) << retention;
  }
  ASSERT_TRUE(Update(24 * 3600).ok());
  Write("r", "1");
  v2::ReadChangeStreamRequest good = FromStart();
  Reading reading = Read(good, 1);
  request = good;
  request.set_table_name(std::string(kTable) + "x");
  EXPECT_EQ(ErrorOf(request), StatusCode::NOT_FOUND);
  request = good;
  request.mutable_start_time()->set_seconds(kNowSeconds - 1);  // a time before the stream began
  EXPECT_EQ(ErrorOf(request), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(Read(request, SIZE_MAX).status.error_details(), "") << "the cause stays inside";
  request.mutable_start_time()->set_seconds(kNowSeconds + 1);
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  request.mutable_start_time()->set_seconds(-5);
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  request = good;
  request.mutable_end_time()->set_seconds(kNowSeconds - 1);
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  request = good;
  request.mutable_heartbeat_duration()->set_seconds(-1);
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  request = good;
  request.mutable_continuation_tokens();
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  auto* token = request.mutable_continuation_tokens()->add_tokens();
  for (const std::string& text : {std::string(), std::string("ab"), std::string(1 << 20, 'a')}) {
    token->set_token(text);
    EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  }
  *token = reading.tokens[0];
  *request.mutable_continuation_tokens()->add_tokens() = reading.tokens[0];  // the same token twice
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  request.mutable_continuation_tokens()->mutable_tokens()->RemoveLast();
  token = request.mutable_continuation_tokens()->mutable_tokens(0);
  request.mutable_partition()->mutable_row_range()->set_end_key_open("m");
  EXPECT_EQ(ErrorOf(request), StatusCode::INVALID_ARGUMENT);
  // Positions older than the retention period are rejected.
  request = good;
  *request.mutable_continuation_tokens()->add_tokens() = reading.tokens[0];
  clock_.now_us += int64_t{25} * 3600 * 1'000'000;
  EXPECT_EQ(ErrorOf(good), StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(ErrorOf(request), StatusCode::OUT_OF_RANGE);
}

TEST_F(ChangeStreamTest, AServerThatStopsDoesNotWaitForStreams) {
  CreateWithStream();
  Write("r", "1");
  v2::ReadChangeStreamRequest request = FromStart();
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    server_->Stop(/*drain_us=*/60'000'000);
  });
  auto begin = std::chrono::steady_clock::now();
  Reading reading = Read(request, 2);
  stopper.join();
  EXPECT_EQ(reading.changes.size(), 1);
  EXPECT_EQ(reading.status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(ChangeStreamTest, TheTableTellsItsStream) {
  CreateWithStream();
  auto get = [&] {
    admin::GetTableRequest request;
    request.set_name(kTable);
    admin::Table table;
    EXPECT_TRUE(
        Call(admin_.get(), &admin::BigtableTableAdmin::Stub::GetTable, request, &table).ok());
    return table;
  };
  EXPECT_EQ(get().change_stream_config().retention_period().seconds(), 24 * 3600);
  ASSERT_TRUE(Update(7 * 24 * 3600).ok());
  EXPECT_EQ(get().change_stream_config().retention_period().seconds(), 7 * 24 * 3600);
  // Switching off a stream ends its readers.
  v2::ReadChangeStreamRequest request = FromStart();
  std::thread admin([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_TRUE(Update(0).ok());
  });
  EXPECT_EQ(ErrorOf(request), StatusCode::FAILED_PRECONDITION);
  admin.join();
  EXPECT_FALSE(get().has_change_stream_config());
}

}  // namespace
}  // namespace sippar::cluster
