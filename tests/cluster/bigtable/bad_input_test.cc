// Malformed requests: rejected with the code that the API's documentation names, while the server
// keeps running.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <grpcpp/generic/generic_stub.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "cluster/grpc/request_size.h"
#include "cluster/node/open_client.h"
#include "engine/base/limits.h"
#include "engine/base/random.h"
#include "tests/cluster/serve/api_fixture.h"

namespace sippar::cluster {
namespace {

using grpc::StatusCode;
using v2::Bigtable;

// Sanitizers hold back freed memory, so the size of the process does not show what the server uses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

int64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  }
  return 0;
}

class BadInputTest : public ApiTest {
 protected:
  BadInputTest() {
    CreateTable();
    EXPECT_TRUE(Set("r", "f", "q", 0, "v").ok());
  }
  ~BadInputTest() override { EXPECT_EQ(Read().Print(), "r f:q@0=v\n"); }  // unchanged

  void RefusesFilter(const v2::RowFilter& filter) {
    v2::ReadRowsRequest request;
    *request.mutable_filter() = filter;
    ReadResult read = Read(request);
    EXPECT_EQ(read.status.error_code(), StatusCode::INVALID_ARGUMENT) << read.Print();
    v2::CheckAndMutateRowRequest check;
    check.set_table_name(kTable);
    check.set_row_key("r");
    *check.mutable_predicate_filter() = filter;
    check.add_true_mutations()->mutable_delete_from_row();
    check.add_false_mutations()->mutable_delete_from_row();
    v2::CheckAndMutateRowResponse response;
    EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check, &response).error_code(),
              StatusCode::INVALID_ARGUMENT);
  }
  template <typename Fill>
  void RefusesFilterOf(Fill fill) {
    v2::RowFilter filter;
    fill(&filter);
    RefusesFilter(filter);
  }
  template <typename Fill>
  grpc::Status Mutate(const std::string& row, Fill fill) {
    v2::MutateRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key(row);
    fill(&request);
    v2::MutateRowResponse response;
    return Call(data_.get(), &Bigtable::Stub::MutateRow, request, &response);
  }
  static void FillTooMany(v2::MutateRowRequest* request) {
    for (int i = 0; i < 100'001; ++i) request->add_mutations()->mutable_delete_from_row();
  }
  // Sends random bytes on `connections` connections, some of which begin like HTTP/2.
  void SendRandomBytes(int connections) {
    engine::Random random(5);
    addrinfo* found = nullptr;
    std::string address = server_->address();
    ASSERT_EQ(
        getaddrinfo("127.0.0.1", address.substr(address.rfind(':') + 1).c_str(), nullptr, &found),
        0);
    for (int i = 0; i < connections; ++i) {
      int fd = socket(found->ai_family, SOCK_STREAM, 0);
      if (connect(fd, found->ai_addr, found->ai_addrlen) == 0) {
        std::string bytes = i % 2 == 0 ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" : "";
        for (int j = 0; j < 2000; ++j) bytes.push_back(static_cast<char>(random.Next()));
        EXPECT_GT(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
      }
      close(fd);
    }
    freeaddrinfo(found);
  }
};

TEST_F(BadInputTest, Filters) {
  RefusesFilterOf([](v2::RowFilter* filter) {
    for (int i = 0; i < 20; ++i) filter = filter->mutable_chain()->add_filters();
    filter->set_pass_all_filter(true);
  });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_value_regex_filter(std::string(20'480, 'a')); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_value_regex_filter("(a{1000}){1000}"); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_row_key_regex_filter("("); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_pass_all_filter(false); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_block_all_filter(false); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_row_sample_filter(0); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_row_sample_filter(1); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_cells_per_row_offset_filter(-1); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_cells_per_row_limit_filter(-1); });
  RefusesFilterOf([](v2::RowFilter* f) { f->set_apply_label_transformer("Not Legal"); });
  RefusesFilterOf([](v2::RowFilter* f) {
    f->mutable_condition()->mutable_predicate_filter()->set_pass_all_filter(true);
    f->mutable_condition()->mutable_true_filter()->set_sink(true);
  });
  RefusesFilterOf([](v2::RowFilter* f) {
    f->mutable_chain()->add_filters()->set_apply_label_transformer("a");
    f->mutable_chain()->add_filters()->set_apply_label_transformer("b");
  });
  RefusesFilterOf([](v2::RowFilter* f) {
    f->mutable_timestamp_range_filter()->set_start_timestamp_micros(2000);
    f->mutable_timestamp_range_filter()->set_end_timestamp_micros(1000);
  });
}

TEST_F(BadInputTest, AFilterAtTheLimitsIsTaken) {
  v2::ReadRowsRequest request;
  v2::RowFilter* filter = request.mutable_filter();
  for (int i = 0; i < 19; ++i) filter = filter->mutable_chain()->add_filters();
  filter->set_pass_all_filter(true);
  EXPECT_EQ(Read(request).rows.size(), 1u);
}

TEST_F(BadInputTest, Mutations) {
  auto code = [this](const std::string& row, auto fill) { return Mutate(row, fill).error_code(); };
  auto set = [](v2::MutateRowRequest* request) {
    request->add_mutations()->mutable_set_cell()->set_family_name("f");
    return request->mutable_mutations(0)->mutable_set_cell();
  };
  EXPECT_EQ(code("r", [](auto*) {}), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("", set), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code(std::string(limits::kRowKeySizeMax + 1, 'k'), set), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("r", [](v2::MutateRowRequest* request) { request->add_mutations(); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("r",
                 [&](v2::MutateRowRequest* request) {
                   set(request)->set_column_qualifier(std::string(16'385, 'q'));
                 }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("r", FillTooMany), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("r",
                 [](v2::MutateRowRequest* request) {
                   request->add_mutations()->mutable_add_to_cell()->set_family_name("f");
                 }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("r",
                 [](v2::MutateRowRequest* request) {
                   request->add_mutations()->mutable_delete_from_family()->set_family_name("zzz");
                 }),
            StatusCode::NOT_FOUND);
  EXPECT_EQ(code("r", [](auto* request) { request->set_table_name("t"); }),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code("r", [](auto* r) { r->set_table_name("projects/p/instances/i/tables/nope"); }),
            StatusCode::NOT_FOUND);
  EXPECT_EQ(code("r", [](auto* request) { request->set_authorized_view_name("v"); }),
            StatusCode::INVALID_ARGUMENT);
}

TEST_F(BadInputTest, F_A10_AColonIsInNoFamilysName) {
  RefusesFilterOf([](v2::RowFilter* f) { f->set_family_name_regex_filter("f:.*"); });
  v2::ReadRowsRequest request;
  request.mutable_filter()->set_family_name_regex_filter("f|\\x3a");
  EXPECT_EQ(Read(request).rows.size(), 1u);
}

TEST_F(BadInputTest, F_A10_DeletesOfMillisHaveBoundsOfMillis) {
  auto remove = [this](int64_t start_us, int64_t end_us) {
    return Mutate("r", [&](v2::MutateRowRequest* request) {
      auto* column = request->add_mutations()->mutable_delete_from_column();
      column->set_family_name("f");
      column->set_column_qualifier("none");
      column->mutable_time_range()->set_start_timestamp_micros(start_us);
      column->mutable_time_range()->set_end_timestamp_micros(end_us);
    });
  };
  EXPECT_TRUE(remove(1000, 2000).ok());
  EXPECT_TRUE(remove(0, 0).ok());
  for (auto [start_us, end_us] : {std::pair(1001, 2000), std::pair(1000, 2001)}) {
    grpc::Status status = remove(start_us, end_us);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message().find("Timestamp granularity mismatch"), std::string::npos);
  }
}

TEST_F(BadInputTest, F_A12_EmptyKeysAndListsAreNamedAsClientsExpect) {
  auto set = [](v2::MutateRowRequest* request) {
    request->add_mutations()->mutable_set_cell()->set_family_name("f");
  };
  auto says = [](const grpc::Status& status, const char* text) {
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message().find(text), std::string::npos) << status.error_message();
  };
  constexpr const char* kNoKey = "Row keys must be non-empty";
  constexpr const char* kNoMutation = "No mutations provided";
  says(Mutate("", set), kNoKey);
  says(Mutate("r", [](auto*) {}), kNoMutation);
  v2::ReadRowsRequest read;
  read.mutable_rows()->add_row_keys("");
  says(Read(read).status, kNoKey);
  v2::CheckAndMutateRowRequest check;
  check.set_table_name(kTable);
  check.set_row_key("r");
  auto* no_match = static_cast<v2::CheckAndMutateRowResponse*>(nullptr);
  auto ask = [&] { return Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check, no_match); };
  says(ask(), kNoMutation);
  check.add_true_mutations()->mutable_delete_from_row();
  check.set_row_key("");
  says(ask(), kNoKey);
  v2::ReadModifyWriteRowRequest modify;
  modify.set_table_name(kTable);
  modify.add_rules()->set_family_name("f");
  modify.mutable_rules(0)->set_append_value("x");
  says(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, modify,
            static_cast<v2::ReadModifyWriteRowResponse*>(nullptr)),
       kNoKey);
  v2::MutateRowsRequest batch;
  batch.set_table_name(kTable);
  batch.add_entries()->set_row_key("r");
  batch.add_entries()->add_mutations()->mutable_delete_from_row();
  grpc::ClientContext context;
  v2::MutateRowsResponse response;
  auto reader = data_->MutateRows(&context, batch);
  ASSERT_TRUE(reader->Read(&response));
  ASSERT_EQ(response.entries_size(), 2);
  EXPECT_NE(response.entries(0).status().message().find(kNoMutation), std::string::npos);
  EXPECT_NE(response.entries(1).status().message().find(kNoKey), std::string::npos);
}

TEST_F(BadInputTest, F_A12_AFamilyOfTheBranchNotTakenIsNotMissed) {
  v2::CheckAndMutateRowRequest check;
  check.set_table_name(kTable);
  check.set_row_key("r");  // the row exists
  auto fill = [](v2::Mutation* mutation, const char* family) {
    mutation->mutable_set_cell()->set_family_name(family);
    mutation->mutable_set_cell()->set_column_qualifier("q");
    mutation->mutable_set_cell()->set_value("v");  // the current value
  };
  fill(check.add_true_mutations(), "f");
  fill(check.add_false_mutations(), "unknown");
  v2::CheckAndMutateRowResponse matched;
  auto ask = [&] {
    return Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check, &matched).error_code();
  };
  ASSERT_EQ(ask(), StatusCode::OK);
  EXPECT_TRUE(matched.predicate_matched());
  // If its list is chosen, the unknown family is an error, and no mutation of the list is written.
  check.set_row_key("absent");
  fill(check.mutable_false_mutations(0), "f");
  fill(check.add_false_mutations(), "unknown");
  EXPECT_EQ(ask(), StatusCode::NOT_FOUND);
  EXPECT_EQ(Read().rows, std::vector<std::string>{"r"});
}

// The limit holds for all entries of a call together, and for each list of a call.
TEST_F(BadInputTest, TooManyMutations) {
  v2::MutateRowsRequest batch;
  batch.set_table_name(kTable);
  for (int i = 0; i < 3; ++i) batch.add_entries()->set_row_key("r");
  for (int i = 0; i < 100'001; ++i) {
    batch.mutable_entries(i % 3)->add_mutations()->mutable_delete_from_row();
  }
  grpc::ClientContext context;
  v2::MutateRowsResponse response;
  auto reader = data_->MutateRows(&context, batch);
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::INVALID_ARGUMENT);
  v2::CheckAndMutateRowRequest check;
  check.set_table_name(kTable);
  check.set_row_key("r");
  for (int i = 0; i < 100'001; ++i) check.add_false_mutations()->mutable_delete_from_row();
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check,
                 static_cast<v2::CheckAndMutateRowResponse*>(nullptr))
                .error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST_F(BadInputTest, OtherCalls) {
  v2::CheckAndMutateRowRequest check;
  check.set_table_name(kTable);
  check.set_row_key("r");
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::CheckAndMutateRow, check,
                 static_cast<v2::CheckAndMutateRowResponse*>(nullptr))
                .error_code(),
            StatusCode::INVALID_ARGUMENT);
  v2::ReadModifyWriteRowRequest modify;
  modify.set_table_name(kTable);
  modify.set_row_key("r");
  auto* no_reply = static_cast<v2::ReadModifyWriteRowResponse*>(nullptr);
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, modify, no_reply).error_code(),
            StatusCode::INVALID_ARGUMENT);
  modify.add_rules()->set_family_name("f");
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, modify, no_reply).error_code(),
            StatusCode::INVALID_ARGUMENT);
  modify.mutable_rules(0)->set_append_value("x");
  modify.mutable_rules(0)->set_family_name("zzz");
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::ReadModifyWriteRow, modify, no_reply).error_code(),
            StatusCode::NOT_FOUND);
  v2::ReadRowsRequest read;
  read.set_rows_limit(-1);
  EXPECT_EQ(Read(read).status.error_code(), StatusCode::INVALID_ARGUMENT);
  // Row keys and ranges of exactly 4 MiB, and with 1 byte more.
  read.set_rows_limit(0);
  read.set_table_name(kTable);
  read.mutable_rows()->add_row_keys("r");
  constexpr size_t kLimit = 4 << 20;
  auto grow = [&read](size_t size) {
    while (read.ByteSizeLong() + 1'000 < size) {
      read.mutable_rows()->add_row_keys(std::string(900, 'x'));
    }
    while (read.ByteSizeLong() < size) {
      read.mutable_rows()->add_row_keys(std::string(1, 'y'));
      if (read.ByteSizeLong() <= size) continue;
      read.mutable_rows()->mutable_row_keys()->RemoveLast();
      read.mutable_rows()->mutable_row_keys(1)->push_back('x');
    }
    return read.ByteSizeLong();
  };
  ASSERT_EQ(grow(kLimit), kLimit);
  EXPECT_EQ(Read(read).rows.size(), 1u);
  ASSERT_EQ(grow(kLimit + 1), kLimit + 1);
  EXPECT_EQ(Read(read).status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  v2::PingAndWarmRequest ping;
  ping.set_name("nonsense");
  EXPECT_EQ(Call(data_.get(), &Bigtable::Stub::PingAndWarm, ping,
                 static_cast<v2::PingAndWarmResponse*>(nullptr))
                .error_code(),
            StatusCode::INVALID_ARGUMENT);
}

// Sends a call as raw bytes, which no generated stub would send.
TEST_F(BadInputTest, BytesThatAreNoMessageAndCallsThatAreNotThere) {
  auto send = [this](const std::string& method, const std::string& bytes) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    grpc::Slice slice(bytes);
    grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer reply;
    grpc::Status status;
    auto call = stub.PrepareUnaryCall(&context, method, request, &queue);
    call->StartCall();
    call->Finish(&reply, &status, &call);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return status;
  };
  grpc::Status unknown = send("/google.bigtable.v2.Bigtable/GetClientConfiguration", "");
  EXPECT_EQ(unknown.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_NE(unknown.error_message().find("GetClientConfiguration"), std::string::npos);
  std::string deep;  // messages nested 200 deep
  for (int i = 0; i < 200; ++i) {
    std::string outer = "\x0a";
    for (size_t size = deep.size();; size >>= 7) {
      outer.push_back(static_cast<char>(size < 128 ? size : (size & 127) | 128));
      if (size < 128) break;
    }
    deep = outer + deep;
  }
  EXPECT_FALSE(send("/google.bigtable.v2.Bigtable/MutateRow", "\xff\xff\xff").ok());
  EXPECT_FALSE(send("/google.bigtable.v2.Bigtable/CheckAndMutateRow", "\x32" + deep).ok());
}

TEST_F(BadInputTest, RandomBytesOnThePort) { SendRandomBytes(20); }

TEST_F(BadInputTest, MemoryStaysFlat) {
  v2::RowFilter bomb;
  bomb.set_value_regex_filter("(a{1000}){1000}");
  v2::ReadRowsRequest large;
  large.mutable_rows()->add_row_keys(std::string(4 << 20, 'x'));
  auto round = [&] {
    EXPECT_EQ(Mutate("r", FillTooMany).error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(Read(large).status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
    RefusesFilter(bomb);
    SendRandomBytes(5);
  };
  for (int i = 0; i < 5; ++i) round();
  const int64_t before = ResidentKib();
  for (int i = 0; i < 30; ++i) round();  // some 10 MB in each round
  if (kMemoryIsOurs) EXPECT_LT(ResidentKib() - before, 64 << 10);
}

TEST(RequestSizeTest, ThePiecesOfALargeRequestAreGivenBack) {
  if (!kMemoryIsOurs) GTEST_SKIP() << "malloc is the sanitizer's";
  constexpr size_t kPieces = 16 << 10;
  std::vector<std::string> pieces;
  for (size_t i = 0; i < kPieces; ++i) pieces.emplace_back(4000, 'p');
  for (size_t i = 0; i < kPieces; ++i) {
    // Some pieces stay allocated between the freed ones.
    if (i % 64 != 0) std::string().swap(pieces[i]);
  }
  const int64_t before = ResidentKib();
  v2::MutateRowRequest request;
  GiveBackPieces(request);
  EXPECT_GT(ResidentKib(), before - (8 << 10)) << "a small one has none";
  request.set_row_key(std::string(16 << 20, 'k'));
  const int64_t with_request = ResidentKib();
  GiveBackPieces(request);
  EXPECT_LT(ResidentKib(), with_request - (40 << 10)) << "of some 60 MiB";
}

TEST(ApiServerTest, OnlyAddressesOfThisMachineAreServed) {
  engine::MemoryFileSystem fs;
  ClientOptions options;
  options.create_if_missing = true;
  options.fs = &fs;
  auto client = std::move(*OpenClient("/db", options));
  for (const char* listen :
       {"0.0.0.0:0", "[::]:0", "example.com:80", "10.0.0.1:1", "localhost",
        "localhost:", "localhost:99999", "localhost:x", "127.evil.example:1"}) {
    auto server = ApiServer::Start(client.get(), {listen, false});
    EXPECT_EQ(server.status().code(), sippar::StatusCode::kInvalidArgument) << listen;
  }
  auto server = ApiServer::Start(client.get(), {"127.0.0.1:0", false});
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(ApiServer::Start(client.get(), {(*server)->address(), false}).status().code(),
            sippar::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace sippar::cluster
