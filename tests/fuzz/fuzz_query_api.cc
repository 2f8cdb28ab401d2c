// Any text through Prepare, Open and Run on a small store, and any bytes as their tokens: no crash,
// answers of the promised shape, and an execution that goes on behind a token ends alike.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "engine/fs/memory_file_system.h"
#include "query/api/query_api.h"
#include "query/query.h"

namespace {

using namespace sippar;  // NOLINT(google-build-using-namespace)

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Store {
  engine::MemoryFileSystem fs;
  std::unique_ptr<cluster::Client> client;
  std::unique_ptr<cluster::QueryApi> queries;

  Store() {
    cluster::ClientOptions options;
    options.create_if_missing = true;
    options.fs = &fs;
    client = std::move(*cluster::OpenClient("/db", options));
    auto session = query::Session::New(client.get(), {});
    for (const char* statement :
         {"CREATE TABLE web (FAMILY anchor, FAMILY contents, FAMILY hits COUNTER) SPLIT AT ('b')",
          "INSERT INTO web (ROW, anchor:a, contents:) VALUES ('a', 'x', '1'), ('b', 'y', '22'), "
          "('c', 'z', '333') AT 5",
          "INSERT INTO web (ROW, hits:total, anchor:a) VALUES ('b', 7, 'w') AT 6"}) {
      query::ResultTable table;
      Require(session->Execute(statement, &table).ok());
    }
    queries = query::NewQueryApi(client.get());
  }
};

class Rows final : public cluster::QueryRows {
 public:
  explicit Rows(size_t columns) : columns_(columns) {}
  Status Put(const engine::Row& row) override {
    Require(row.size() >= columns_);
    ++waiting_;
    return OkStatus();
  }
  bool IsDue() override { return waiting_ > 0; }
  Status Send(const std::string& resume_token) override {
    sent_ += waiting_;
    waiting_ = 0;
    if (resume_token.empty()) return OkStatus();
    if (token.empty()) {
      token = resume_token;
      before_token = sent_;
    }
    return OkStatus();
  }
  size_t sent() const { return sent_; }

  std::string token;  // the first, with the rows before it
  size_t before_token = 0;

 private:
  const size_t columns_;
  size_t waiting_ = 0;
  size_t sent_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Store* store = new Store();
  std::string text(reinterpret_cast<const char*>(data), size);
  cluster::QueryCall call;
  call.prepared = text;
  Require(!store->queries->Open(call).ok());
  auto prepared = store->queries->Prepare("", text, {{"p", engine::ValueType::kBytes}});
  if (!prepared.ok()) return 0;
  call.prepared = prepared->id;
  call.params["p"] = engine::Value::Bytes("b");
  auto run = store->queries->Open(call);
  if (!run.ok()) return 0;  // a parameter's value may be wrong where its type is right
  Require((*run)->columns().size() == prepared->columns.size());
  Rows all(prepared->columns.size());
  if (!(*run)->Run(&all).ok()) return 0;
  call.resume_token = all.token;
  auto rest = store->queries->Open(call);
  Require(rest.ok());
  Rows others(prepared->columns.size());
  Require((*rest)->Run(&others).ok());
  Require(all.before_token + others.sent() == all.sent());
  call.resume_token = text;
  Require(text.empty() || !store->queries->Open(call).ok());
  return 0;
}
