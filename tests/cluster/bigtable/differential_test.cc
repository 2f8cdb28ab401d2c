// Sends random data calls to a real server and to the model (api_model.h): all answers must agree.
// SIPPAR_DIFFERENTIAL_OPS=1000000 sets the total number of calls.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "engine/base/printable.h"
#include "engine/base/random.h"
#include "tests/cluster/bigtable/api_model.h"
#include "tests/cluster/bigtable/cluster_client.h"
#include "tests/cluster/bigtable/filter_to_proto.h"
#include "tests/cluster/serve/api_fixture.h"
#include "tests/support/filter_model.h"

namespace sippar::cluster {
namespace {

using engine::RowFilter;
using std::string_literals::operator""s;

constexpr int64_t kNowMicros = 1'700'000'000'123'456;  // time of the fixture's clock
constexpr uint64_t kCallsOfAHistory = 2'000;

class DifferentialTest : public ApiTest {
 protected:
  void Start(uint64_t seed) {
    random_ = engine::Random(seed);
    model_ =
        std::make_unique<ApiModel>(std::map<std::string, size_t>{{"a", 0}, {"a.b", 0}, {"c", 2}});
    table_ = fmt::format("{}/tables/d{}", kInstance, seed);
    admin::CreateTableRequest request;
    request.set_parent(kInstance);
    request.set_table_id(fmt::format("d{}", seed));
    request.mutable_table()->set_granularity(admin::Table::TIMESTAMP_GRANULARITY_UNSPECIFIED);
    auto& families = *request.mutable_table()->mutable_column_families();
    families["a"];
    families["a.b"];
    families["c"].mutable_gc_rule()->set_max_num_versions(2);
    for (const char* key : {"ab", "b"}) request.add_initial_splits()->set_key(key);
    ASSERT_TRUE(Call(admin_.get(), &admin::BigtableTableAdmin::Stub::CreateTable, request).ok());
  }

  std::string Pick(const std::vector<std::string>& texts) {
    return texts[random_.Uniform(texts.size())];
  }
  std::string Key() {
    return Pick({"a", "a\0"s, "a\0\0"s, "a\1"s, "a\xff", "ab", "b", "b\0\xff"s, "c", "\xff\xff"s});
  }
  std::string Qualifier() { return Pick({"", "q", "q\0"s, "q1", "r", "\xff"}); }
  std::string Family() { return random_.OneIn(40) ? "z" : Pick({"a", "a.b", "c"}); }
  int64_t Time() { return 1000 * static_cast<int64_t>(1 + random_.Uniform(30)); }
  std::string Value() { return Pick({"", "v", "vvvv", "q", std::string(8, '\3'), "\xff"}); }

  void FillMutations(ApiModel::Mutations* mutations) {
    for (uint64_t i = 1 + random_.Uniform(4); i > 0; --i) FillMutation(mutations->Add());
  }

  void FillMutation(v2::Mutation* mutation) {
    uint64_t kind = random_.Uniform(10);
    if (kind < 6) {
      v2::Mutation::SetCell* set = mutation->mutable_set_cell();
      set->set_family_name(Family());
      set->set_column_qualifier(Qualifier());
      set->set_timestamp_micros(Time());
      set->set_value(Value());
    } else if (kind < 8) {
      auto* del = mutation->mutable_delete_from_column();
      del->set_family_name(Family());
      del->set_column_qualifier(Qualifier());
      if (random_.OneIn(2)) del->mutable_time_range()->set_start_timestamp_micros(Time());
      if (random_.OneIn(3)) del->mutable_time_range()->set_end_timestamp_micros(40'000);
    } else if (kind == 8) {
      mutation->mutable_delete_from_family()->set_family_name(Family());
    } else if (random_.OneIn(3)) {
      mutation->mutable_delete_from_row();
    } else {
      mutation->mutable_delete_from_column()->set_family_name("a");
    }
  }

  RowFilter Filter() {
    RowFilter filter = engine::RandomFilter(&random_);
    ScaleTimes(&filter);
    return filter;
  }
  // Converts times: the generator uses times from 1,000 to 1,130, this test uses larger steps.
  static void ScaleTimes(RowFilter* filter) {
    if (filter->kind == RowFilter::kTimeRange) {
      filter->time.start_us = (filter->time.start_us - 1'000) * 300 + 1;
      if (filter->time.limit_us != engine::kTimeMax)
        filter->time.limit_us = filter->time.start_us + 9'000;
    }
    for (RowFilter& inner : filter->filters) ScaleTimes(&inner);
  }

  void MutateRow() {
    v2::MutateRowRequest request;
    request.set_table_name(table_);
    request.set_row_key(Key());
    FillMutations(request.mutable_mutations());
    bool expected = model_->Mutate(request.row_key(), request.mutations());
    grpc::Status status = Call(data_.get(), &v2::Bigtable::Stub::MutateRow, request);
    ASSERT_EQ(status.error_code(), expected ? grpc::OK : grpc::NOT_FOUND) << status.error_message();
  }

  void MutateRows() {
    v2::MutateRowsRequest request;
    request.set_table_name(table_);
    std::vector<bool> expected;
    for (uint64_t i = 1 + random_.Uniform(6); i > 0; --i) {
      auto* entry = request.add_entries();
      entry->set_row_key(Key());
      FillMutations(entry->mutable_mutations());
      expected.push_back(model_->Mutate(entry->row_key(), entry->mutations()));
    }
    grpc::ClientContext context;
    auto reader = data_->MutateRows(&context, request);
    v2::MutateRowsResponse response;
    std::vector<bool> got(expected.size());
    while (reader->Read(&response)) {
      for (const auto& entry : response.entries()) {
        got[static_cast<size_t>(entry.index())] = entry.status().code() == 0;
      }
    }
    ASSERT_TRUE(reader->Finish().ok());
    ASSERT_EQ(got, expected);
  }

  void CheckAndMutate() {
    v2::CheckAndMutateRowRequest request;
    request.set_table_name(table_);
    request.set_row_key(Key());
    RowFilter predicate;
    if (!random_.OneIn(4)) {
      predicate = Filter();
      ToProto(predicate, request.mutable_predicate_filter());
    }
    FillMutations(request.mutable_true_mutations());
    FillMutations(request.mutable_false_mutations());
    bool is_open = false;
    bool matches = model_->Matches(request.row_key(), predicate, &is_open);
    if (is_open) return;
    // An unknown family is an error only in the list of mutations that is chosen.
    bool valid = model_->Mutate(request.row_key(),
                                matches ? request.true_mutations() : request.false_mutations());
    v2::CheckAndMutateRowResponse response;
    grpc::Status status =
        Call(data_.get(), &v2::Bigtable::Stub::CheckAndMutateRow, request, &response);
    ASSERT_EQ(status.error_code(), valid ? grpc::OK : grpc::NOT_FOUND) << status.error_message();
    if (valid) ASSERT_EQ(response.predicate_matched(), matches) << request.DebugString();
  }

  void ReadModifyWrite() {
    v2::ReadModifyWriteRowRequest request;
    request.set_table_name(table_);
    request.set_row_key(Key());
    for (uint64_t i = 1 + random_.Uniform(3); i > 0; --i) {
      v2::ReadModifyWriteRule* rule = request.add_rules();
      rule->set_family_name(Pick({"a", "a.b", "c"}));
      rule->set_column_qualifier(Qualifier());
      if (random_.OneIn(2)) {
        rule->set_append_value("+");
      } else {
        rule->set_increment_amount(static_cast<int64_t>(random_.Uniform(1000)) - 500);
      }
    }
    std::string expected;
    bool modified = model_->Modify(request, kNowMicros / 1000 * 1000, &expected);
    v2::ReadModifyWriteRowResponse response;
    grpc::Status status =
        Call(data_.get(), &v2::Bigtable::Stub::ReadModifyWriteRow, request, &response);
    ASSERT_EQ(status.ok(), modified) << status.error_message() << request.DebugString();
    std::string got;
    for (const v2::Family& family : response.row().families()) {
      for (const v2::Column& column : family.columns()) {
        ASSERT_EQ(column.cells_size(), 1);
        got += fmt::format(
            "{}:{}@{}={}\n", family.name(), engine::PrintableBytes(column.qualifier()),
            column.cells(0).timestamp_micros(), engine::PrintableBytes(column.cells(0).value()));
      }
    }
    if (modified) ASSERT_EQ(got, expected);
  }

  // Fills in some keys and ranges; with none of them, all rows are wanted.
  bool FillRows(v2::RowSet* rows, std::vector<std::string>* wanted) {
    for (uint64_t i = random_.Uniform(3); i > 0; --i) rows->add_row_keys(Key());
    for (uint64_t i = random_.Uniform(3); i > 0; --i) {
      std::string a = Key(), b = Key();
      v2::RowRange* range = rows->add_row_ranges();
      if (random_.OneIn(2)) {
        range->set_start_key_closed(std::min(a, b));
      } else {
        range->set_start_key_open(std::min(a, b));
      }
      if (random_.OneIn(2)) range->set_end_key_closed(std::max(a, b));
    }
    bool all = rows->row_keys().empty() && rows->row_ranges().empty();
    for (const std::string& name : model_->RowNames()) {
      bool in = all || std::count(rows->row_keys().begin(), rows->row_keys().end(), name) > 0;
      for (const v2::RowRange& range : rows->row_ranges()) {
        bool behind_start = range.has_start_key_closed() ? name >= range.start_key_closed()
                                                         : name > range.start_key_open();
        in |= behind_start && (!range.has_end_key_closed() || name <= range.end_key_closed());
      }
      if (in) wanted->push_back(name);
    }
    return all;
  }

  void ReadRows() {
    v2::ReadRowsRequest request;
    request.set_table_name(table_);
    std::vector<std::string> wanted;
    FillRows(request.mutable_rows(), &wanted);
    RowFilter filter;
    if (!random_.OneIn(5)) {
      filter = Filter();
      ToProto(filter, request.mutable_filter());
    }
    request.set_reversed(random_.OneIn(4));
    if (random_.OneIn(3)) request.set_rows_limit(static_cast<int64_t>(1 + random_.Uniform(4)));
    if (request.reversed()) std::reverse(wanted.begin(), wanted.end());
    std::vector<std::string> expected;
    bool is_open = false;
    for (const std::string& row : wanted) {
      if (request.rows_limit() != 0 && std::ssize(expected) == request.rows_limit()) break;
      std::vector<engine::ModelCell> cells = RunFilterModel(filter, model_->Row(row), &is_open);
      if (!cells.empty()) expected.push_back(PrintRow(row, std::move(cells)));
    }
    if (is_open) return;
    ReadResult result = Read(request);
    ASSERT_TRUE(result.status.ok()) << result.status.error_message();
    ASSERT_EQ(PrintAnswer(result), expected) << request.DebugString();
  }

  static std::vector<std::string> PrintAnswer(const ReadResult& result) {
    std::vector<std::string> rows;
    std::vector<engine::ModelCell> cells;
    for (size_t i = 0; i < result.cells.size(); ++i) {
      const ReadCell& from = result.cells[i];
      engine::ModelCell& cell = cells.emplace_back();
      cell.cell.family = from.family;
      cell.cell.qualifier = from.qualifier;
      cell.cell.timestamp_us = from.time_us;
      cell.cell.value = from.value;
      if (!from.labels.empty()) cell.label = from.labels[0];
      if (i + 1 < result.cells.size() && result.cells[i + 1].row == from.row) continue;
      rows.push_back(PrintRow(from.row, std::exchange(cells, {})));
    }
    return rows;
  }

  void SampleRowKeys() {
    v2::SampleRowKeysRequest request;
    request.set_table_name(table_);
    grpc::ClientContext context;
    auto reader = data_->SampleRowKeys(&context, request);
    v2::SampleRowKeysResponse response;
    std::vector<std::string> keys;
    while (reader->Read(&response)) keys.push_back(response.row_key());
    ASSERT_TRUE(reader->Finish().ok());
    ASSERT_EQ(keys, (std::vector<std::string>{"ab", "b", ""}));
  }

  void DropRowRange() {
    admin::DropRowRangeRequest request;
    request.set_name(table_);
    std::string prefix = random_.OneIn(4) ? "" : Key();
    if (prefix.empty()) {
      request.set_delete_all_data_from_table(true);
    } else {
      request.set_row_key_prefix(prefix);
    }
    model_->DropRows(prefix);
    ASSERT_TRUE(Call(admin_.get(), &admin::BigtableTableAdmin::Stub::DropRowRange, request).ok());
  }

  void OneCall() {
    uint64_t kind = random_.Uniform(200);
    if (kind < 70) return MutateRow();
    if (kind < 90) return MutateRows();
    if (kind < 120) return CheckAndMutate();
    if (kind < 140) return ReadModifyWrite();
    if (kind < 198) return ReadRows();
    return kind == 198 ? SampleRowKeys() : DropRowRange();
  }

  engine::Random random_{1};
  std::unique_ptr<ApiModel> model_;
  std::string table_;
};

TEST_F(DifferentialTest, EveryDataCallAnswersAsTheModelDoes) {
  const char* wanted = std::getenv("SIPPAR_DIFFERENTIAL_OPS");
  uint64_t calls = wanted == nullptr ? 4 * kCallsOfAHistory : std::strtoull(wanted, nullptr, 10);
  for (uint64_t call = 0, seed = 0; call < calls; ++call) {
    if (call % kCallsOfAHistory == 0) Start(++seed);
    if (call % kCallsOfAHistory == kCallsOfAHistory / 2) {
      ASSERT_TRUE(client_->admin()->Do(calls::Flush{fmt::format("p/i/d{}", seed)}).ok());
    }
    OneCall();
    if (HasFatalFailure()) FAIL() << "seed " << seed << ", call " << call;
  }
}

// A gateway: the services over the client of a cluster, whose servers are added, stopped and killed
// meanwhile.
TEST_F(DifferentialTest, AGatewayAnswersAsTheModelDoes) {
  auto opened = std::make_unique<ClusterClient>(&clock_);
  ClusterClient* cluster = opened.get();
  Serve(std::move(opened));
  Start(1);
  constexpr int kCalls = 1'000;
  constexpr int kChanges = 6;
  std::atomic<int> call = 0;
  std::atomic<bool> done = false;
  engine::Thread changer("changer", [&] {
    for (int change = 0; change < kChanges; ++change) {
      // Waits for further calls, because after each change the remaining servers first take over
      // tablets.
      const int next = call + kCalls / kChanges;
      while (call < next && !HasFailure()) engine::Clock::System()->SleepMicros(5'000);
      if (!HasFailure()) cluster->ReplaceServer(/*dies=*/change % 2 == 1);
    }
    done = true;
  });
  for (; (call < kCalls || !done) && !HasFailure(); ++call) OneCall();
  changer.Join();
  EXPECT_FALSE(HasFailure()) << "call " << call;
}

}  // namespace
}  // namespace sippar::cluster
