// The server under test, and a reader of chunks like those of client libraries.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/serve/api_fixture.h"

#include <fmt/format.h>

#include "cluster/node/open_client.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using Chunk = v2::ReadRowsResponse::CellChunk;

// Assembles cells as the client libraries do, and checks every rule that they check.
class ChunkReader {
 public:
  ChunkReader(bool reversed, ReadResult* out) : reversed_(reversed), out_(out) {}

  void Add(const Chunk& chunk) {
    ASSERT_FALSE(chunk.reset_row());
    if (in_value_) {
      ASSERT_TRUE(chunk.row_key().empty() && !chunk.has_family_name() && !chunk.has_qualifier());
      ASSERT_TRUE(chunk.timestamp_micros() == 0 && chunk.labels().empty());
    } else {
      Begin(chunk);
    }
    cell_.value += chunk.value();
    in_value_ = chunk.value_size() > 0;
    if (in_value_) {
      ASSERT_FALSE(chunk.commit_row());
      expected_size_ = static_cast<size_t>(chunk.value_size());
      return;
    }
    if (expected_size_ != 0) ASSERT_EQ(cell_.value.size(), expected_size_);
    expected_size_ = 0;
    row_cells_.push_back(cell_);
    if (chunk.commit_row()) Commit();
  }
  void End() { EXPECT_TRUE(row_.empty()) << "the stream ends in row " << row_; }

 private:
  void Begin(const Chunk& chunk) {
    if (row_.empty()) {
      ASSERT_TRUE(!chunk.row_key().empty() && chunk.has_family_name() && chunk.has_qualifier());
      row_ = chunk.row_key();
      ASSERT_TRUE(last_row_.empty() || (reversed_ ? row_ < last_row_ : row_ > last_row_));
    } else {
      ASSERT_TRUE(chunk.row_key().empty() || chunk.row_key() == row_);
    }
    if (chunk.has_family_name()) {
      ASSERT_TRUE(chunk.has_qualifier());
      cell_.family = chunk.family_name().value();
    }
    if (chunk.has_qualifier()) cell_.qualifier = chunk.qualifier().value();
    cell_.row = row_;
    cell_.time_us = chunk.timestamp_micros();
    cell_.value.clear();
    cell_.labels.assign(chunk.labels().begin(), chunk.labels().end());
  }
  void Commit() {
    out_->rows.push_back(row_);
    out_->cells.insert(out_->cells.end(), row_cells_.begin(), row_cells_.end());
    row_cells_.clear();
    last_row_ = std::exchange(row_, "");
  }

  const bool reversed_;
  ReadResult* out_;
  ReadCell cell_;
  std::vector<ReadCell> row_cells_;
  std::string row_, last_row_;
  bool in_value_ = false;
  size_t expected_size_ = 0;
};

}  // namespace

std::string ReadResult::Print() const {
  std::string text;
  for (const ReadCell& cell : cells) {
    text += fmt::format("{} {}:{}@{}={}", engine::PrintableBytes(cell.row), cell.family,
                        engine::PrintableBytes(cell.qualifier), cell.time_us,
                        engine::PrintableBytes(cell.value));
    for (const std::string& label : cell.labels) text += "[" + label + "]";
    text += "\n";
  }
  return text;
}

ApiTest::ApiTest() {
  ClientOptions options;
  options.create_if_missing = true;
  options.fs = &fs_;
  options.clock = &clock_;
  Serve(std::move(*OpenClient("/db", options)));
}

void ApiTest::Serve(std::unique_ptr<Client> client, bool strict) {
  server_.reset();
  queries_.reset();
  client_ = std::move(client);
  queries_ = query::NewQueryApi(client_.get());
  server_ =
      std::move(*ApiServer::Start(client_.get(), {"127.0.0.1:0", false, strict, queries_.get()}));
  channel_ = grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials());
  data_ = v2::Bigtable::NewStub(channel_);
  admin_ = admin::BigtableTableAdmin::NewStub(channel_);
  instances_ = admin::BigtableInstanceAdmin::NewStub(channel_);
  operations_ = google::longrunning::Operations::NewStub(channel_);
}

void ApiTest::CreateTable(const std::vector<std::string>& split_keys,
                          admin::Table::TimestampGranularity granularity) {
  admin::CreateTableRequest request;
  request.set_parent(kInstance);
  request.set_table_id("t");
  request.mutable_table()->set_granularity(granularity);
  auto& families = *request.mutable_table()->mutable_column_families();
  families["f"];
  families["g"];
  families["n"].mutable_value_type()->mutable_int64_type();
  for (const std::string& key : split_keys) request.add_initial_splits()->set_key(key);
  grpc::ClientContext context;
  admin::Table table;
  grpc::Status status = admin_->CreateTable(&context, request, &table);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

grpc::Status ApiTest::Set(const std::string& row, const std::string& family,
                          const std::string& qualifier, int64_t time_us, const std::string& value) {
  v2::MutateRowRequest request;
  request.set_table_name(kTable);
  request.set_row_key(row);
  auto* set = request.add_mutations()->mutable_set_cell();
  set->set_family_name(family);
  set->set_column_qualifier(qualifier);
  set->set_timestamp_micros(time_us);
  set->set_value(value);
  grpc::ClientContext context;
  v2::MutateRowResponse response;
  return data_->MutateRow(&context, request, &response);
}

ReadResult ApiTest::Read(v2::ReadRowsRequest request, const std::string& features) {
  if (request.table_name().empty()) request.set_table_name(kTable);
  ReadResult result;
  grpc::ClientContext context;
  if (!features.empty()) context.AddMetadata("bigtable-features", features);
  auto reader = data_->ReadRows(&context, request);
  ChunkReader chunks(request.reversed(), &result);
  v2::ReadRowsResponse response;
  while (reader->Read(&response)) {
    ++result.messages;
    result.message_size_max = std::max(result.message_size_max, response.ByteSizeLong());
    for (const Chunk& chunk : response.chunks()) chunks.Add(chunk);
    if (!response.last_scanned_row_key().empty()) {
      result.scanned.push_back(response.last_scanned_row_key());
    }
    if (response.has_request_stats()) result.stats.push_back(response.request_stats());
  }
  result.status = reader->Finish();
  if (result.status.ok()) chunks.End();
  return result;
}

}  // namespace sippar::cluster
