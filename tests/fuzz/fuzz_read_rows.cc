// Any bytes as a ReadRowsRequest (its text form, or the wire's) to a server: refused as its parts
// say, or answered by the rules of chunks with what the model of the API gives: rows, filters of
// any nesting, limits, both directions.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <grpcpp/create_channel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cluster/bigtable/data_convert.h"
#include "cluster/bigtable/filter_convert.h"
#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "cluster/proto/bigtable.grpc.pb.h"
#include "cluster/serve/api_server.h"
#include "engine/base/random.h"
#include "engine/fs/memory_file_system.h"
#include "tests/cluster/bigtable/api_model.h"

namespace {

using namespace sippar;  // NOLINT(google-build-using-namespace)
namespace v2 = google::bigtable::v2;
using cluster::ApiModel;
using engine::ModelCell;

constexpr const char* kStored = "p/i/t";
constexpr const char* kTable = "projects/p/instances/i/tables/t";
constexpr size_t kTextMax = 20'000;  // an unlucky text takes the parser long

void Require(bool condition, const std::string& found = "") {
  if (condition) return;
  fmt::print(stderr, "fuzz_read_rows: {}\n", found);
  std::abort();
}

// A table of two tablets, some of it in files, beside its model.
struct Server {
  engine::MemoryFileSystem fs;
  std::unique_ptr<cluster::Client> client;
  std::unique_ptr<cluster::ApiServer> api;
  std::unique_ptr<v2::Bigtable::Stub> stub;
  ApiModel model{{{"a", 0}, {"a.b", 0}, {"c", 2}}};

  Server() {
    cluster::ClientOptions options;
    options.create_if_missing = true;
    options.fs = &fs;
    client = std::move(*cluster::OpenClient("/db", options));
    api =
        std::move(*cluster::ApiServer::Start(client.get(), {"127.0.0.1:0", false, false, nullptr}));
    stub = v2::Bigtable::NewStub(
        grpc::CreateChannel(api->address(), grpc::InsecureChannelCredentials()));
    engine::TableSchema schema;
    schema.name = kStored;
    for (const char* family : {"a", "a.b", "c"}) schema.families.emplace_back().name = family;
    schema.families[2].gc = engine::GcPolicy::MaxVersions(2);
    schema.Normalize();
    Require(client->admin()->Do(cluster::calls::CreateTable{schema, {"b"}}).ok());
    engine::Random random(1);
    for (int i = 0; i < 150; ++i) {
      if (i == 100) Require(client->admin()->Do(cluster::calls::Flush{kStored}).ok());
      Write(&random);
    }
  }

  void Write(engine::Random* random) {
    auto pick = [random](std::vector<std::string> texts) {
      return texts[random->Uniform(texts.size())];
    };
    v2::MutateRowRequest request;
    request.set_table_name(kTable);
    request.set_row_key(pick({"a", std::string("a\0", 2), "a\xff", "ab", "b", "c", "\xff\xff"}));
    v2::Mutation::SetCell* set = request.add_mutations()->mutable_set_cell();
    set->set_family_name(pick({"a", "a.b", "c"}));
    set->set_column_qualifier(pick({"", "q", std::string("q\0", 2), "r", "\xff"}));
    set->set_timestamp_micros(static_cast<int64_t>(1000 * (1 + random->Uniform(20))));
    set->set_value(pick({"", "v", "vvvv", std::string(8, '\3'), "\xff"}));
    grpc::ClientContext context;
    v2::MutateRowResponse response;
    Require(stub->MutateRow(&context, request, &response).ok());
    Require(model.Mutate(request.row_key(), request.mutations()));
  }
};

// Clears what the model does not know, and what names another table.
v2::ReadRowsRequest RequestOf(const std::string& bytes) {
  struct Silent final : google::protobuf::io::ErrorCollector {
    void AddError(int, int, const std::string&) override {}
  } silent;
  v2::ReadRowsRequest request;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  parser.SetRecursionLimit(60);
  if (bytes.size() > kTextMax || !parser.ParseFromString(bytes, &request)) {
    request.Clear();
    (void)request.ParsePartialFromString(bytes);
  }
  request.set_table_name(kTable);
  request.clear_authorized_view_name();
  request.clear_materialized_view_name();
  request.clear_app_profile_id();
  return request;
}

bool IsIn(const v2::RowRange& range, const std::string& row) {
  bool behind_start = true;
  if (range.has_start_key_closed()) behind_start = row >= range.start_key_closed();
  if (range.has_start_key_open()) behind_start = row > range.start_key_open();
  bool before_end = true;
  if (!range.end_key_closed().empty()) before_end = row <= range.end_key_closed();
  if (!range.end_key_open().empty()) before_end = row < range.end_key_open();
  return behind_start && before_end;
}

bool IsIn(const v2::RowSet& rows, const std::string& row) {
  const auto& keys = rows.row_keys();
  const auto& ranges = rows.row_ranges();
  if (keys.empty() && ranges.empty()) return true;
  return std::find(keys.begin(), keys.end(), row) != keys.end() ||
         std::any_of(ranges.begin(), ranges.end(),
                     [&row](const v2::RowRange& range) { return IsIn(range, row); });
}

// nullopt: nobody promises which cells there are.
std::optional<std::vector<std::string>> Expected(const ApiModel& model,
                                                 const v2::ReadRowsRequest& request,
                                                 const engine::RowFilter& filter) {
  std::vector<std::string> names = model.RowNames();
  std::erase_if(names, [&](const std::string& row) { return !IsIn(request.rows(), row); });
  if (request.reversed()) std::reverse(names.begin(), names.end());
  std::vector<std::string> expected;
  bool is_open = false;
  for (const std::string& row : names) {
    if (request.rows_limit() != 0 && std::ssize(expected) == request.rows_limit()) break;
    std::vector<ModelCell> cells = RunFilterModel(filter, model.Row(row), &is_open);
    if (!cells.empty()) expected.push_back(cluster::PrintRow(row, std::move(cells)));
  }
  if (is_open) return std::nullopt;
  return expected;
}

bool HasSample(const engine::RowFilter& filter) {
  return filter.kind == engine::RowFilter::kRowSample ||
         std::any_of(filter.filters.begin(), filter.filters.end(), HasSample);
}

// False if a string is not UTF-8: protobuf serializes it, but refuses to parse it.
bool CanBeCarried(const v2::ReadRowsRequest& request) {
  return v2::ReadRowsRequest().ParseFromString(request.SerializeAsString());
}

std::string TextOf(const grpc::Status& status) {
  return fmt::format("code {}: {}", static_cast<int>(status.error_code()), status.error_message());
}

// The rows of an answer whose cells fit into chunks.
class Rows {
 public:
  void Add(const v2::ReadRowsResponse::CellChunk& chunk) {
    if (cells_.empty()) {
      Require(!chunk.row_key().empty() && chunk.has_family_name() && chunk.has_qualifier());
      row_ = chunk.row_key();
    }
    Require(chunk.row_key().empty() || chunk.row_key() == row_);
    Require(!chunk.has_family_name() || chunk.has_qualifier());
    ModelCell cell;
    if (!cells_.empty()) cell.cell = cells_.back().cell;
    if (chunk.has_family_name()) cell.cell.family = chunk.family_name().value();
    if (chunk.has_qualifier()) cell.cell.qualifier = chunk.qualifier().value();
    cell.cell.timestamp_us = chunk.timestamp_micros();
    cell.cell.value = chunk.value();
    if (!chunk.labels().empty()) cell.label = chunk.labels(0);
    cells_.push_back(std::move(cell));
    if (chunk.commit_row()) rows.push_back(cluster::PrintRow(row_, std::exchange(cells_, {})));
  }
  bool IsWhole() const { return cells_.empty(); }

  std::vector<std::string> rows;

 private:
  std::string row_;
  std::vector<ModelCell> cells_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Server* server = new Server();
  v2::ReadRowsRequest request = RequestOf(std::string(reinterpret_cast<const char*>(data), size));
  auto filter = cluster::FilterFromProto(request.filter());
  bool is_valid =
      filter.ok() && cluster::RowSetFromProto(request.rows()).ok() && request.rows_limit() >= 0;
  grpc::ClientContext context;
  auto reader = server->stub->ReadRows(&context, request);
  Rows rows;
  v2::ReadRowsResponse response;
  while (reader->Read(&response)) {
    for (const auto& chunk : response.chunks()) rows.Add(chunk);
  }
  grpc::Status status = reader->Finish();
  if (!CanBeCarried(request)) {
    Require(status.error_code() == grpc::StatusCode::INTERNAL, TextOf(status));
    return 0;
  }
  if (!is_valid) {
    Require(status.error_code() == grpc::StatusCode::INVALID_ARGUMENT, TextOf(status));
    return 0;
  }
  Require(status.ok() && rows.IsWhole(), TextOf(status));
  if (HasSample(*filter)) return 0;
  auto expected = Expected(server->model, request, *filter);
  Require(!expected.has_value() || rows.rows == *expected,
          fmt::format("found {}, expected {}", rows.rows, expected.value_or(rows.rows)));
  return 0;
}
