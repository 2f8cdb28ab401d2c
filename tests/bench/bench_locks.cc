// Measures how long a client's first look-up of a table by name and the master's list of servers
// take, with many files in the lock service: in the embedded one, and in ZooKeeper if its members
// run. Prints figures. For a single member:
//   python3 tests/cluster/lock/zookeeper/zookeeper_members.py 1 bench_locks [TABLES SERVERS]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/table_directory.h"
#include "cluster/location/table_file.h"
#include "cluster/lock/embedded_lock_service.h"
#include "cluster/lock/lock_paths.h"
#include "cluster/lock/zookeeper/zookeeper_lock_service.h"
#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/thread.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kSessionUs = 30'000'000;
constexpr uint64_t kFirstTable = 10;

struct Sizes {
  uint64_t tables = 10'000;
  uint64_t servers = 1'000;
};

// Returns the value of `answer`, or prints the error and ends the program.
template <typename T>
T Must(StatusOr<T> answer) {
  if (answer.ok()) return *std::move(answer);
  fmt::print(stderr, "bench_locks: {}\n", MessageOf(answer.status()));
  std::exit(1);
}

std::unique_ptr<LockSession> Open(LockService* locks) {
  return Must(locks->OpenSession({"bench", kSessionUs}));
}

// Calls `make(session, i)` for each i below `count`, in several sessions at once.
template <typename Make>
void InSessions(LockService* locks, uint64_t count, const Make& make) {
  std::atomic<uint64_t> next{0};
  std::vector<engine::Thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back("bench", [&] {
      std::unique_ptr<LockSession> session = Open(locks);
      for (uint64_t at = next++; at < count; at = next++) make(session.get(), at);
      CHECK(session->Close().ok());
    });
  }
}

void MakeTables(LockService* locks, uint64_t count) {
  InSessions(locks, count, [](LockSession* session, uint64_t i) {
    TableRecord table;
    table.table_id = kFirstTable + i;
    table.schema.name = fmt::format("table{}", i);
    table.schema.families.resize(3);
    for (size_t f = 0; f < 3; ++f) table.schema.families[f].name = fmt::format("family{}", f);
    table.schema.Normalize();
    Must(session->Create(lock_paths::Table(table.table_id), EncodeTableFile(table),
                         LockFileKind::kLasting));
  });
}

template <typename Call>
double SecondsOf(const Call& call) {
  const int64_t begin_nanos = engine::Clock::System()->MonotonicNanos();
  call();
  return static_cast<double>(engine::Clock::System()->MonotonicNanos() - begin_nanos) / 1e9;
}

void Measure(const std::string& name, LockService* locks, const Sizes& sizes) {
  MakeTables(locks, sizes.tables);
  std::unique_ptr<LockSession> holder = Open(locks);
  for (uint64_t epoch = 1; epoch <= sizes.servers; ++epoch) {
    const std::string path = lock_paths::Server({"server", epoch});
    Must(holder->Create(path, "host 127.0.0.1\n", LockFileKind::kLocked));
  }
  std::unique_ptr<LockSession> client = Open(locks);
  TableDirectory directory(client.get());
  const std::string last = fmt::format("table{}", sizes.tables - 1);
  const double first = SecondsOf([&] { Must(directory.Find(last)); });
  const double absent = SecondsOf([&] { CHECK(!directory.Find("absent").ok()); });
  const double list = SecondsOf(
      [&] { CHECK(Must(client->ReadDirectory(lock_paths::Servers())).size() == sizes.servers); });
  const double single = SecondsOf([&] {
    for (uint64_t epoch = 1; epoch <= sizes.servers; ++epoch) {
      Must(client->Read(lock_paths::Server({"server", epoch}), Freshness::kCached));
    }
  });
  fmt::print(
      "{}: look-up of one of {} tables {:.3f} s, of an absent one afterwards {:.3f} s; list of {} "
      "servers {:.3f} s, server by server {:.3f} s\n",
      name, sizes.tables, first, absent, sizes.servers, list, single);
  CHECK(client->Close().ok() && holder->Close().ok());
}

int Main(int argc, char** argv) {
  Sizes sizes;
  if (argc > 1) sizes.tables = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) sizes.servers = std::strtoull(argv[2], nullptr, 10);
  engine::MemoryFileSystem fs;
  auto embedded = Must(EmbeddedLockService::Open(&fs, "/lock", engine::Clock::System()));
  Measure("embedded", embedded.get(), sizes);
  const char* hosts = std::getenv("SIPPAR_ZOOKEEPER");
  if (hosts == nullptr) return 0;
  ZooKeeperOptions options;
  options.hosts = hosts;
  options.cluster = "bench";
  auto zookeeper = Must(OpenZooKeeper(options));
  Measure("ZooKeeper", zookeeper.get(), sizes);
  return 0;
}

}  // namespace
}  // namespace sippar::cluster

int main(int argc, char** argv) { return sippar::cluster::Main(argc, argv); }
