// Measures a store in one process, through the client: `bench_store DIR`. Prints a table with each
// figure and its target. Not a test, because machines differ; needs a quiet machine.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "query/query.h"

namespace sippar {
namespace {

using cluster::Client;

constexpr uint64_t kRows = 1'000'000;
constexpr uint64_t kValueRows = 100'000;

void Die(const Status& status) {
  if (status.ok()) return;
  fmt::print(stderr, "bench_store: {}\n", MessageOf(status));
  std::exit(1);
}

int64_t Now() { return engine::Clock::System()->MonotonicNanos(); }
double Since(int64_t start) { return static_cast<double>(Now() - start) / 1e9; }

void Print(const char* what, const std::string& measured, const char* target) {
  fmt::print("{:<58} {:>16}   {}\n", what, measured, target);
  std::fflush(stdout);
}

std::unique_ptr<Client> Open(const std::string& directory, bool sync) {
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.sync_writes = sync;
  auto client = cluster::OpenClient(directory, options);
  Die(client.status());
  return std::move(*client);
}

void CreateTable(Client* client, const std::string& name) {
  engine::TableSchema schema;
  schema.name = name;
  schema.families.emplace_back().name = "f";
  Die(client->admin()->Do(cluster::calls::CreateTable{schema, {}}));
}

std::string Key(uint64_t n) { return fmt::format("row{:08}", n); }

void Fill(Client* client, const std::string& table, uint64_t rows, size_t value_size) {
  engine::Random random(1);
  std::vector<engine::RowMutation> batch;
  for (uint64_t i = 0; i < rows; ++i) {
    std::string value(value_size, '\0');
    for (size_t at = 0; at + 8 <= value_size; at += 16) {
      uint64_t bits = random.Next();
      value.replace(at, 8, reinterpret_cast<const char*>(&bits), 8);
    }
    batch.emplace_back(Key(i)).Set("f", "q", value, 1);
    if (batch.size() == 1000 || i + 1 == rows) {
      for (const Status& status : client->data()->ApplyBatch(table, batch)) Die(status);
      batch.clear();
    }
  }
}

void PointReads(Client* client) {
  engine::Random random(2);
  auto get = [&](uint64_t row) {
    engine::ReadSpec read;
    read.rows = engine::RowSet(engine::RowRange::Single(Key(row)));
    auto cells = client->data()->Read("values", read, {});
    Die(cells.status());
    if (!(*cells)->Valid()) Die(NotFound("a row that was written"));
  };
  constexpr uint64_t kWarm = 50'000;  // 50 MB, which fits the block cache
  for (uint64_t i = 0; i < kWarm; ++i) get(i);
  for (uint64_t i = 0; i < kWarm; ++i) get(random.Uniform(kWarm));
  int64_t start = Now();
  constexpr uint64_t kReads = 200'000;
  for (uint64_t i = 0; i < kReads; ++i) get(random.Uniform(kWarm));
  Print("random point reads, warm cache, 1 thread, 1,000 B values",
        fmt::format("{:.0f} /s", kReads / Since(start)), ">= 100,000 /s");
}

double SyncedWrites(Client* client, int threads, int writes) {
  int64_t start = Now();
  {
    std::vector<engine::Thread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back("writer", [&, t] {
        for (int i = 0; i < writes; ++i) {
          engine::RowMutation mutation(fmt::format("w{}-{}", t, i));
          Die(client->data()->Apply("synced", mutation.Set("f", "q", std::string(100, 'x'), 1)));
        }
      });
    }
  }
  return threads * writes / Since(start);
}

void GroupCommit(const std::string& directory) {
  auto client = Open(directory + "-synced", true);
  CreateTable(client.get(), "synced");
  double one = SyncedWrites(client.get(), 1, 2000);
  double sixteen = SyncedWrites(client.get(), 16, 2000);
  Print("synced writes, 1 thread", fmt::format("{:.0f} /s", one), "");
  Print("synced writes, 16 threads (group commit)", fmt::format("{:.0f} /s", sixteen), "");
  Print("  ratio", fmt::format("{:.1f}", sixteen / one), ">= 10");
}

void CountRows(Client* client) {
  auto session = query::Session::New(client, {});
  for (int round = 0; round < 3; ++round) {
    query::ResultTable rows;
    int64_t start = Now();
    Die(session->Execute("SELECT COUNT(*) FROM small", &rows).status());
    if (round == 2) {
      Print("SELECT COUNT(*) over 1 M small rows", fmt::format("{:.2f} s", Since(start)), "< 1 s");
    }
  }
}

void Main(const std::string& directory) {
  auto client = Open(directory, false);
  CreateTable(client.get(), "small");
  CreateTable(client.get(), "values");
  int64_t start = Now();
  Fill(client.get(), "small", kRows, 16);
  Print("1 M small rows written in batches, no sync",
        fmt::format("{:.0f} /s", kRows / Since(start)), "");
  start = Now();
  Fill(client.get(), "values", kValueRows, 1000);
  Print("1,000 B rows written in batches, no sync",
        fmt::format("{:.0f} /s", kValueRows / Since(start)), "");
  CountRows(client.get());
  Die(client->admin()->Do(cluster::calls::Compact{"small", ""}));
  Die(client->admin()->Do(cluster::calls::Compact{"values", ""}));
  CountRows(client.get());
  PointReads(client.get());
  GroupCommit(directory);
  Die(client->Close());
}

}  // namespace
}  // namespace sippar

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_store NEW_DIRECTORY\n");
    return 2;
  }
  sippar::Main(argv[1]);
  return 0;
}
