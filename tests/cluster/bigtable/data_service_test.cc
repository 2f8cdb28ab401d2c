// The data service as clients see it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "engine/base/limits.h"
#include "engine/base/random.h"
#include "engine/model/mutation.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using v2::Bigtable;
constexpr int64_t kNowMillis = 1'700'000'000'123'000;

class DataServiceTest : public ApiTest {
 protected:
  grpc::Status Mutate(const v2::MutateRowRequest& request) {
    return Call(data_.get(), &Bigtable::Stub::MutateRow, request,
                static_cast<v2::MutateRowResponse*>(nullptr));
  }
  v2::MutateRowRequest Mutation(const std::string& row) {
    v2::MutateRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key(row);
    return request;
  }
  v2::ReadRowsRequest Filtered(const std::function<void(v2::RowFilter*)>& fill) {
    v2::ReadRowsRequest request;
    fill(request.mutable_filter());
    return request;
  }
};

TEST_F(DataServiceTest, CellsComeBackInOrderWithAllTheirParts) {
  CreateTable();
  ASSERT_TRUE(Set("b", "f", "q", 2000, "two").ok());
  ASSERT_TRUE(Set("b", "f", "q", 1000, "one").ok());
  ASSERT_TRUE(Set("b", "f", "", 0, "zero").ok());
  ASSERT_TRUE(Set("b", "g", std::string("a\0b", 3), 1000, "").ok());
  ASSERT_TRUE(Set("a", "g", "x", -1, "now").ok());
  ReadResult read = Read();
  ASSERT_TRUE(read.status.ok()) << read.status.error_message();
  EXPECT_EQ(read.Print(), fmt::format("a g:x@{}=now\n"
                                      "b f:@0=zero\n"
                                      "b f:q@2000=two\n"
                                      "b f:q@1000=one\n"
                                      "b g:a\\x00b@1000=\n",
                                      kNowMillis));
}

TEST_F(DataServiceTest, RowSetsAreUnionsInOrderWhateverTheRequestsOrder) {
  CreateTable({"m"});
  for (const char* row : {"a", "b", "c", "m", "n", "z"})
    ASSERT_TRUE(Set(row, "f", "q", 0, "").ok());
  v2::ReadRowsRequest request;
  request.mutable_rows()->add_row_keys("n");
  request.mutable_rows()->add_row_keys("b");
  request.mutable_rows()->add_row_keys("nowhere");
  v2::RowRange* range = request.mutable_rows()->add_row_ranges();
  range->set_start_key_open("a");
  range->set_end_key_closed("c");
  EXPECT_EQ(Read(request).rows, (std::vector<std::string>{"b", "c", "n"}));
  request.set_reversed(true);
  EXPECT_EQ(Read(request).rows, (std::vector<std::string>{"n", "c", "b"}));
  request.set_rows_limit(2);
  EXPECT_EQ(Read(request).rows, (std::vector<std::string>{"n", "c"}));
  range->set_start_key_closed("d");
  EXPECT_EQ(Read(request).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(DataServiceTest, LimitsCountTheRowsThatTheFilterLeaves) {
  CreateTable();
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(Set(std::to_string(i), "f", "q", 0, i % 2 == 0 ? "even" : "odd").ok());
  }
  v2::ReadRowsRequest request =
      Filtered([](v2::RowFilter* filter) { filter->set_value_regex_filter("odd"); });
  request.set_rows_limit(3);
  request.set_request_stats_view(v2::ReadRowsRequest::REQUEST_STATS_FULL);
  ReadResult read = Read(request);
  EXPECT_EQ(read.rows, (std::vector<std::string>{"1", "3", "5"}));
  ASSERT_EQ(read.stats.size(), 1u);
  const auto& counts = read.stats[0].full_read_stats_view().read_iteration_stats();
  EXPECT_EQ(counts.rows_seen_count(), 6);
  EXPECT_EQ(counts.rows_returned_count(), 3);
  EXPECT_EQ(counts.cells_returned_count(), 3);
}

TEST_F(DataServiceTest, LabelsAndCopiesOfInterleavesArrive) {
  CreateTable();
  ASSERT_TRUE(Set("r", "f", "q", 0, "v").ok());
  ReadResult read = Read(Filtered([](v2::RowFilter* filter) {
    auto* both = filter->mutable_interleave();
    both->add_filters()->set_apply_label_transformer("copy");
    both->add_filters()->set_strip_value_transformer(true);
  }));
  EXPECT_EQ(read.Print(), "r f:q@0=v[copy]\nr f:q@0=\n");
}

TEST_F(DataServiceTest, LargeRowsAndCellsAreCutIntoMessagesThatEveryClientTakes) {
  CreateTable();
  std::string large(9 << 20, 'x');
  large += "end";
  ASSERT_TRUE(Set("r", "f", "large", 0, large).ok());
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(Set("r", "g", fmt::format("{:02}", i), 0, std::string(100 << 10, 'y')).ok());
  }
  ReadResult read = Read();
  ASSERT_TRUE(read.status.ok());
  ASSERT_EQ(read.cells.size(), 31u);
  EXPECT_TRUE(read.cells[0].value == large);
  EXPECT_LT(read.message_size_max, 1u << 20);
  EXPECT_GT(read.messages, 20u);
}

// The Go client, recognized by its user agent, takes the end of a message as the end of a row.
TEST_F(DataServiceTest, NoRowIsCutForAClientThatCannotTakeIt) {
  CreateTable();
  for (const char* row : {"a", "b", "c"}) {
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(Set(row, "f", fmt::format("{:02}", i), 0, std::string(100 << 10, 'y')).ok());
    }
  }
  grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix("grpc-go/1.83.2");
  auto stub = Bigtable::NewStub(
      grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  v2::ReadRowsRequest request;
  request.set_table_name(kTable);
  auto reader = stub->ReadRows(&context, request);
  v2::ReadRowsResponse response;
  int messages = 0;
  for (; reader->Read(&response); ++messages) {
    EXPECT_EQ(response.chunks_size(), 12);
    EXPECT_TRUE(response.chunks(11).commit_row());
  }
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(messages, 3);
}

TEST_F(DataServiceTest, OneMessageHoldsManySmallRows) {
  CreateTable();
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(Set(fmt::format("{:03}", i), "f", "q", 0, "v").ok());
  ReadResult read = Read();
  EXPECT_EQ(read.rows.size(), 500u);
  EXPECT_EQ(read.messages, 1u);
}

TEST_F(DataServiceTest, ALongFilteredScanTellsHowFarItIs) {
  CreateTable();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Set(fmt::format("{:02}", i), "f", "q", 0, "v").ok());
  v2::ReadRowsRequest request =
      Filtered([](v2::RowFilter* filter) { filter->set_value_regex_filter("none"); });
  clock_.step_nanos = 100'000'000;
  EXPECT_TRUE(Read(request).scanned.empty());
  ReadResult read = Read(request, "IAE=");  // feature flags: last_scanned_row_responses
  EXPECT_TRUE(read.rows.empty());
  ASSERT_GT(read.scanned.size(), 2u);
  EXPECT_TRUE(std::is_sorted(read.scanned.begin(), read.scanned.end()));
  // The Java client rejects a scanned row that does not come after the rows already sent.
  ReadResult all = Read(v2::ReadRowsRequest(), "IAE=");
  EXPECT_GT(all.messages, 2u);
  EXPECT_TRUE(all.scanned.empty());
}

TEST_F(DataServiceTest, AFailedMutationChangesNothing) {
  CreateTable();
  v2::MutateRowRequest request = Mutation("r");
  auto* set = request.add_mutations()->mutable_set_cell();
  set->set_family_name("f");
  request.add_mutations()->mutable_set_cell()->set_family_name("unknown");
  grpc::Status status = Mutate(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_NE(status.error_message().find("Requested column family not found"), std::string::npos);
  EXPECT_TRUE(Read().rows.empty());
}

TEST_F(DataServiceTest, DeletesHideWhatThereIsAndNothingLater) {
  CreateTable();
  for (int64_t time : {1000, 2000, 3000}) ASSERT_TRUE(Set("r", "f", "q", time, "v").ok());
  v2::MutateRowRequest request = Mutation("r");
  auto* del = request.add_mutations()->mutable_delete_from_column();
  del->set_family_name("f");
  del->set_column_qualifier("q");
  del->mutable_time_range()->set_start_timestamp_micros(2000);
  del->mutable_time_range()->set_end_timestamp_micros(3000);
  ASSERT_TRUE(Mutate(request).ok());
  EXPECT_EQ(Read().Print(), "r f:q@3000=v\nr f:q@1000=v\n");
  request = Mutation("r");
  request.add_mutations()->mutable_delete_from_row();
  ASSERT_TRUE(Mutate(request).ok());
  EXPECT_TRUE(Read().rows.empty());
  ASSERT_TRUE(Set("r", "f", "q", 1000, "older").ok());
  EXPECT_EQ(Read().Print(), "r f:q@1000=older\n");
}

TEST_F(DataServiceTest, TimesFollowTheGranularityOfTheTable) {
  CreateTable();
  EXPECT_EQ(Set("r", "f", "q", 1001, "v").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Set("r", "f", "q", -2, "v").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v2::MutateRowRequest request = Mutation("r");
  auto* mutation = request.add_mutations();
  mutation->set_timestamp_origin(v2::Mutation::CLIENT_AUTO_GENERATED);
  mutation->mutable_set_cell()->set_family_name("f");
  mutation->mutable_set_cell()->set_timestamp_micros(1999);
  ASSERT_TRUE(Mutate(request).ok());
  EXPECT_EQ(Read().Print(), "r f:@1000=\n");
}

TEST_F(DataServiceTest, EveryEntryOfABatchHasItsOwnStatus) {
  CreateTable();
  v2::MutateRowsRequest request;
  request.set_table_name(kTable);
  for (const char* family : {"f", "unknown", "g"}) {
    auto* entry = request.add_entries();
    entry->set_row_key(family);
    entry->add_mutations()->mutable_set_cell()->set_family_name(family);
  }
  request.add_entries()->set_row_key("empty");
  grpc::ClientContext context;
  auto reader = data_->MutateRows(&context, request);
  v2::MutateRowsResponse response;
  std::map<int64_t, int> codes;
  while (reader->Read(&response)) {
    for (const auto& entry : response.entries()) {
      EXPECT_TRUE(codes.emplace(entry.index(), entry.status().code()).second);
    }
  }
  ASSERT_TRUE(reader->Finish().ok());
  EXPECT_EQ(codes, (std::map<int64_t, int>{{0, 0}, {1, 5}, {2, 0}, {3, 3}}));
  EXPECT_EQ(Read().rows, (std::vector<std::string>{"f", "g"}));
}

TEST_F(DataServiceTest, CheckAndMutateTakesOneOfTwoWays) {
  CreateTable();
  v2::CheckAndMutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  auto* on_true = request.add_true_mutations()->mutable_set_cell();
  on_true->set_family_name("f");
  on_true->set_column_qualifier("there");
  auto* on_false = request.add_false_mutations()->mutable_set_cell();
  on_false->set_family_name("f");
  on_false->set_column_qualifier("absent");
  v2::CheckAndMutateRowResponse response;
  ASSERT_TRUE(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, request, &response).ok());
  EXPECT_FALSE(response.predicate_matched());
  EXPECT_EQ(Read().Print(), "r f:absent@0=\n");
  ASSERT_TRUE(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, request, &response).ok());
  EXPECT_TRUE(response.predicate_matched());
  request.mutable_predicate_filter()->set_value_regex_filter("something");
  ASSERT_TRUE(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, request, &response).ok());
  EXPECT_FALSE(response.predicate_matched());
}

TEST_F(DataServiceTest, ReadModifyWriteCountsAndAppendsInOrder) {
  CreateTable();
  v2::ReadModifyWriteRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key("r");
  auto add = [&](const char* family) {
    auto* rule = request.add_rules();
    rule->set_family_name(family);
    rule->set_column_qualifier("q");
    return rule;
  };
  add("n")->set_increment_amount(5);
  add("n")->set_increment_amount(-7);
  add("f")->set_append_value("ab");
  add("f")->set_append_value("c");
  v2::ReadModifyWriteRowResponse response;
  ASSERT_TRUE(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, request, &response).ok());
  ASSERT_EQ(response.row().families_size(), 2);
  EXPECT_EQ(response.row().families(0).columns(0).cells(0).value(), "abc");
  EXPECT_EQ(response.row().families(1).columns(0).cells(0).value(), engine::EncodeInt64(-2));
  EXPECT_EQ(response.row().families(0).columns(0).cells(0).timestamp_micros(), kNowMillis);
  request.clear_rules();
  add("f")->set_increment_amount(1);
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, request, &response).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(DataServiceTest, ReadModifyWriteIsAtomicBetweenCallers) {
  CreateTable();
  auto count = [&] {
    for (int i = 0; i < 100; ++i) {
      v2::ReadModifyWriteRowRequest request;
      request.set_table_name(kTable);
      request.set_row_key("r");
      auto* rule = request.add_rules();
      rule->set_family_name("n");
      rule->set_increment_amount(1);
      v2::ReadModifyWriteRowResponse response;
      EXPECT_TRUE(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, request, &response).ok());
    }
  };
  {
    engine::Thread threads[4];
    for (engine::Thread& thread : threads) thread = engine::Thread("count", count);
  }
  EXPECT_EQ(Read().cells[0].value, engine::EncodeInt64(400));
}

TEST_F(DataServiceTest, SamplesAreTheBoundariesOfTablets) {
  CreateTable({"b", "m"});
  v2::SampleRowKeysRequest request;
  request.set_table_name(kTable);
  grpc::ClientContext context;
  auto reader = data_->SampleRowKeys(&context, request);
  v2::SampleRowKeysResponse sample;
  std::vector<std::string> keys;
  while (reader->Read(&sample)) keys.push_back(sample.row_key());
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(keys, (std::vector<std::string>{"b", "m", ""}));
}

TEST_F(DataServiceTest, ACancelledReadEndsAndTheServerGoesOn) {
  CreateTable();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(Set(std::to_string(i), "f", "q", 0, std::string(1 << 20, 'x')).ok());
  }
  v2::ReadRowsRequest request;
  request.set_table_name(kTable);
  for (int i = 0; i < 5; ++i) {
    grpc::ClientContext context;
    auto reader = data_->ReadRows(&context, request);
    v2::ReadRowsResponse response;
    ASSERT_TRUE(reader->Read(&response));
    context.TryCancel();
    while (reader->Read(&response)) {
    }
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_EQ(Read().rows.size(), 20u);
}

// A slow filter that outputs nothing: the scan never sends a message, so it must check the deadline
// itself.
TEST_F(DataServiceTest, ADeadlineEndsTheScanItself) {
  CreateTable();
  constexpr uint64_t kCells = 64;
  engine::Random random(1);
  std::string value(32 << 10, 'x');
  for (char& c : value) c = random.OneIn(2) ? 'x' : 'y';
  for (uint64_t i = 0; i < kCells; ++i) {
    ASSERT_TRUE(Set(std::to_string(i), "f", "q", 0, value).ok());
  }
  auto seen = [this] {
    return client_->admin()->Do(calls::Metrics{}).value()["table.p/i/t.entries_seen"];
  };
  ASSERT_EQ(seen(), 0u);
  v2::ReadRowsRequest request;
  request.set_table_name(kTable);
  request.mutable_filter()->set_value_regex_filter(".*x.{500}z.*");
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  auto reader = data_->ReadRows(&context, request);
  v2::ReadRowsResponse response;
  while (reader->Read(&response)) continue;
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  for (int i = 0; i < 200 && seen() == 0; ++i) {  // the metric is updated when the call has ended
    engine::Clock::System()->SleepMicros(50'000);
  }
  EXPECT_GT(seen(), 0u);
  EXPECT_LT(seen(), kCells);
}

}  // namespace
}  // namespace sippar::cluster
