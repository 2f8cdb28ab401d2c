// Two programs for kill_loop.py:
//   kill_writer write DIR SEED    writes rows from 4 threads for ever; prints "row value" for each
//                                 acknowledged write, one line, flushed before the next begins
//   kill_writer check DIR         prints "row value" for every row stored
// Small memtables and segments, so that kills hit flushes and compactions.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"

namespace sippar {
namespace {

int Fail(const Status& status) {
  fmt::print(stderr, "kill_writer: {}\n", MessageOf(status));
  return 1;
}

void WriteForEver(cluster::Client* client, uint64_t seed, uint64_t thread) {
  engine::Random random(seed * 1000 + thread);
  for (uint64_t i = 0;; ++i) {
    // Each row belongs to one thread, so the last acknowledged value of a row is known.
    std::string row = fmt::format("row-{}-{:05}", thread, random.Uniform(2000));
    std::string value = fmt::format("{}.{}.{}", seed, thread, i);
    engine::RowMutation mutation(row);
    mutation.Set("a", "v", value).Set("b", "v", value + std::string(random.Uniform(400), '.'));
    if (!client->data()->Apply("t", mutation).ok()) _exit(3);
    std::string line = fmt::format("{} {}\n", row, value);
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(4);
  }
}

int Check(cluster::Client* client) {
  engine::ReadSpec read;
  read.versions_per_column = 1;
  auto cells = client->data()->Read("t", read, {});
  if (!cells.ok()) return Fail(cells.status());
  std::string row;
  std::string first;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    const engine::CellView& cell = (*cells)->cell();
    if (cell.family == "a") {
      row = cell.row;
      first = cell.value;
      fmt::print("{} {}\n", row, first);
    } else if (row != cell.row || !cell.value.starts_with(first)) {
      return Fail(DataLoss(fmt::format("row {} is torn: a {} b {}", cell.row, first, cell.value)));
    }
  }
  if (!(*cells)->status().ok()) return Fail((*cells)->status());
  return 0;
}

int Main(int argc, char** argv) {
  if (argc < 3) return Fail(InvalidArgument("usage: kill_writer write|check DIR [SEED]"));
  cluster::ClientOptions options;
  options.create_if_missing = true;
  options.memory_limit = 2 << 20;
  auto client = cluster::OpenClient(argv[2], options);
  if (!client.ok()) return Fail(client.status());
  if (std::string_view(argv[1]) == "check") return Check(client->get());
  engine::TableSchema schema;
  schema.name = "t";
  schema.families = {{"a", engine::FamilyType::kBytes, engine::GcPolicy::MaxVersions(1)},
                     {"b", engine::FamilyType::kBytes, engine::GcPolicy::MaxVersions(1)}};
  schema.groups.emplace_back().name = "second";
  schema.groups.back().families = {"b"};
  Status created = (*client)->admin()->Do(cluster::calls::CreateTable{schema, {"row-2"}});
  if (!created.ok() && created.code() != StatusCode::kAlreadyExists) return Fail(created);
  uint64_t seed = argc > 3 ? std::stoull(argv[3]) : 1;
  std::vector<engine::Thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back("writer", [&, t] { WriteForEver(client->get(), seed, t); });
  }
  return 0;
}

}  // namespace
}  // namespace sippar

int main(int argc, char** argv) { return sippar::Main(argc, argv); }
