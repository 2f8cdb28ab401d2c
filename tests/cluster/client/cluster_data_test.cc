// The client and servers whose tablets move during calls. Some tests are named after rows N3, N6,
// N7, N8 and N14 of tests/FAULTS.md.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/cluster_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "cluster/lock/lock_paths.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "tests/cluster/client/fake_cluster.h"

namespace sippar::cluster {
namespace {

using Fate = FakeCluster::Fate;

#define ASSERT_OK(expression) ASSERT_TRUE(sippar::IsOk(expression))

RowMutation Set(const std::string& row, const std::string& value, int64_t time_us = 1) {
  return RowMutation(row).Set("f", "q", value, time_us);
}

std::string Drain(StatusOr<std::unique_ptr<CellStream>> cells) {
  EXPECT_OK(cells);
  if (!cells.ok()) return "";
  std::string text;
  for (; (*cells)->Valid(); (*cells)->Next()) {
    const CellView& cell = (*cells)->cell();
    text += fmt::format("{} {}:{}@{}={}\n", cell.row, cell.family, cell.qualifier,
                        cell.timestamp_us, cell.value);
  }
  EXPECT_OK((*cells)->status());
  return text;
}

std::string ReadAll(DataApi* data, bool reverse = false) {
  ReadSpec read;
  read.reverse = reverse;
  return Drain(data->Read("t", read, {}));
}

int64_t Counter(FakeCluster* cluster, const std::string& row) {
  ReadSpec read;
  read.rows = engine::RowSet(RowRange::Single(row));
  read.columns = {engine::ColumnPattern::Exact("n", "q")};
  read.versions_per_column = 1;
  auto cells = cluster->store()->Read("t", read, {});
  EXPECT_OK(cells);
  if (!(*cells)->Valid()) return 0;
  return *engine::DecodeInt64((*cells)->cell().value);
}

// Writes the rows r00..r29 with two columns each.
void Fill(DataApi* data) {
  for (int i = 0; i < 30; ++i) {
    RowMutation mutation = Set(fmt::format("r{:02}", i), "a");
    mutation.Set("f", "z", "b", 1);
    EXPECT_OK(data->Apply("t", mutation));
  }
}

TEST(ClusterData, ThreeRoundTripsWhenNothingIsKnown) {
  FakeCluster cluster({"g", "p"});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "1")));
  EXPECT_EQ(client->location_round_trips(), 3u);
  // The locations of neighbouring tablets were read as well.
  EXPECT_OK(client->Apply("t", Set("h", "1")));
  EXPECT_OK(client->Apply("t", Set("z", "1")));
  EXPECT_EQ(client->location_round_trips(), 3u);
}

TEST(ClusterData, SixRoundTripsWhenAllThatIsKnownIsStale) {
  FakeCluster cluster({"g", "p"});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "1")));
  cluster.Move(5, "a", {"c", 1});
  cluster.Move(kMetadataTableId, MetaRowKey(5, "g"), {"d", 1});
  cluster.Move(kMetadataTableId, "", {"d", 1});
  uint64_t before = client->location_round_trips();
  uint64_t calls = cluster.calls();
  EXPECT_OK(client->Apply("t", Set("a", "2")));
  // 5 round trips besides the rejected call: METADATA, root, lock file, root, METADATA.
  EXPECT_EQ(client->location_round_trips() - before, 5u);
  // The last call is the write; reading the lock file is not a call.
  EXPECT_EQ(cluster.calls() - calls, 6u);
  EXPECT_EQ(ReadAll(cluster.store()), "a f:q@1=2\n");
}

TEST(ClusterData, MetadataInManyTablets) {
  FakeCluster cluster({"g", "p"});
  cluster.Split(kMetadataTableId, engine::RowSuccessor(MetaRowKey(5, "g")));
  cluster.Split(kMetadataTableId, MetaRowKey(5, ""));
  for (const char* row : {"a", "g", "o", "p", "z"}) {
    auto client = cluster.NewClient();
    EXPECT_OK(client->Apply("t", Set(row, "1")));
    // Only the second cut is right before a record. A look-up of this record begins before the cut.
    EXPECT_EQ(client->location_round_trips(), row < std::string("p") ? 3u : 4u) << row;
  }
}

TEST(ClusterData, TablesAreFoundByName) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  EXPECT_CODE(client->Apply("nope", Set("a", "1")), StatusCode::kNotFound);
  EXPECT_CODE(client->Read("nope", {}, {}), StatusCode::kNotFound);
}

// N3: the client is cut off from one server.
TEST(ClusterData, N3ACutServerIsAnErrorInTimeAndOthersServe) {
  FakeCluster cluster({"g", "p"});
  auto client = cluster.NewClient(/*timeout_us=*/5'000'000);
  Fill(client.get());
  cluster.fate = [](const ServerId& server, bool) {
    return server.name == "d" ? Fate::kRefuse : Fate::kServe;
  };
  int64_t start_us = cluster.lock()->clock.NowMicros();
  EXPECT_CODE(client->Apply("t", Set("z", "1")), StatusCode::kUnavailable);
  EXPECT_LE(cluster.lock()->clock.NowMicros() - start_us, 5'000'000);
  EXPECT_GE(cluster.lock()->clock.NowMicros() - start_us, 2'000'000);
  EXPECT_OK(client->Apply("t", Set("a", "1")));
  CallOptions options;
  options.timeout_us = 1'000'000;
  auto cells = client->Read("t", {}, options);  // the rows of server d come last
  Status ended = cells.ok() ? OkStatus() : cells.status();
  while (ended.ok() && (*cells)->Valid()) (*cells)->Next();
  if (ended.ok()) ended = (*cells)->status();
  EXPECT_TRUE(ended.code() == StatusCode::kUnavailable ||
              ended.code() == StatusCode::kDeadlineExceeded)
      << ended;
}

// While METADATA is away, each lookup takes its full time; a batch must not spend that time for
// each of its rows.
TEST(ClusterData, N3ABatchEndsInTimeWhileMetadataIsAway) {
  FakeCluster cluster({"g", "p"});
  auto client = cluster.NewClient(/*timeout_us=*/30'000'000);
  cluster.fate = [&](const ServerId& server, bool) {
    if (server.name != "a") return Fate::kServe;
    cluster.lock()->Pass(5 * kSecond);
    return Fate::kRefuse;
  };
  const int64_t start_us = cluster.lock()->clock.NowMicros();
  std::vector<RowMutation> batch;
  for (int i = 0; i < 1000; ++i) batch.push_back(Set(fmt::format("a{:04}", i), "1"));
  for (const Status& status : client->ApplyBatch("t", batch)) {
    EXPECT_CODE(status, StatusCode::kUnavailable);
  }
  EXPECT_LE(cluster.lock()->clock.NowMicros() - start_us, 100 * kSecond);
}

// N6: the call is carried out, the answer is lost, and the call is repeated with the client's own
// timestamp.
TEST(ClusterData, N6ARepeatedSetIsOneVersion) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  int lost = 0;
  cluster.fate = [&](const ServerId&, bool is_write) {
    return is_write && lost++ < 2 ? Fate::kLoseAnswer : Fate::kServe;
  };
  EXPECT_OK(client->Apply("t", Set("a", "1", 7)));
  EXPECT_EQ(lost, 3);
  EXPECT_EQ(ReadAll(cluster.store()), "a f:q@7=1\n");
}

// N7: increments, appends and row transactions take effect once, however often they are sent.
TEST(ClusterData, N7RepeatedWritesAreDoneOnce) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    engine::Random random(seed);
    engine::Mutex mutex;  // a batch calls several servers concurrently
    FakeCluster cluster({"m"});
    auto client = cluster.NewClient();
    cluster.fate = [&](const ServerId& server, bool is_write) {
      engine::MutexLock lock(&mutex);
      bool lose = server.name != "a" && is_write && random.OneIn(2);
      return lose ? Fate::kLoseAnswer : Fate::kServe;
    };
    for (int i = 0; i < 50; ++i) {
      const char* row = random.OneIn(2) ? "a" : "z";
      if (random.OneIn(8)) cluster.Move(5, row, {random.OneIn(2) ? "b" : "c", 1});
      ASSERT_OK(client->Apply("t", RowMutation(row).Increment("n", "q", 1)));
    }
    std::vector<RowMutation> batch;
    for (int i = 0; i < 20; ++i) {
      batch.push_back(RowMutation(i % 2 == 0 ? "a" : "z").Increment("n", "q", 1));
    }
    for (const Status& status : client->ApplyBatch("t", batch)) ASSERT_OK(status);
    ASSERT_EQ(Counter(&cluster, "a") + Counter(&cluster, "z"), 70) << "seed " << seed;
  }
}

TEST(ClusterData, N7ARepeatedTransactionGetsItsFirstAnswer) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  engine::RowUpdate next;  // as INCREMENT n:q BY 1 RETURNING n:q
  next.row = "a";
  next.families.counters = {"n"};
  next.read.columns = {engine::ColumnPattern::Exact("n", "q")};
  next.read.versions_per_column = 1;
  next.slots = {{engine::SlotDef::kNewest, 0}};
  engine::RowWrite& write = next.writes.emplace_back();
  write.kind = engine::RowWrite::kIncrement;
  write.family = "n";
  write.qualifier = "q";
  write.value = engine::Expression::Literal(engine::Value::Int64(1));
  next.returning = {engine::Expression::Slot(0)};
  int sent = 0;
  cluster.fate = [&](const ServerId& server, bool is_write) {
    bool lose = server.name != "a" && is_write && sent++ % 3 != 2;
    return lose ? Fate::kLoseAnswer : Fate::kServe;
  };
  for (int64_t i = 1; i <= 5; ++i) {
    auto result = client->Update("t", next);
    ASSERT_OK(result);
    EXPECT_EQ(result->returning[0].integer(), i);
    // Other writes happen between the attempts; the returned number remains that of this call.
    EXPECT_EQ(Counter(&cluster, "a"), i);
  }
  ReadSpec read;
  read.rows = engine::RowSet(RowRange::Single("a"));
  auto cells = client->Read("t", read, {});
  ASSERT_OK(cells);
  ReadCheck check{read, *engine::DigestCells(cells->get())};
  EXPECT_OK(client->CommitRow("t", Set("a", "committed"), {check}));
  EXPECT_CODE(client->CommitRow("t", Set("a", "again"), {check}), StatusCode::kAborted);
}

// A bug that the simulation found: the write was reported as rejected.
TEST(ClusterData, ALostSessionLeavesTheOutcomeOpen) {
  FakeCluster cluster({});
  auto client = cluster.NewClient(/*timeout_us=*/300'000);
  bool is_lost = false;
  cluster.fate = [&](const ServerId& server, bool is_write) {
    if (server.name == "a") return is_lost ? Fate::kRefuse : Fate::kServe;  // METADATA
    if (is_write && !std::exchange(is_lost, true)) (void)cluster.session()->Close();
    return is_write ? Fate::kLoseAnswer : Fate::kServe;
  };
  EXPECT_CODE(client->Apply("t", Set("a", "1")), StatusCode::kUnavailable);
  EXPECT_TRUE(is_lost);
  for (const Status& status : client->ApplyBatch("t", {Set("a", "2")})) {
    EXPECT_CODE(status, StatusCode::kUnavailable);
  }
  EXPECT_EQ(ReadAll(cluster.store()), "a f:q@1=1\n");
}

TEST(ClusterData, ConcurrentWritesToATabletShareCalls) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "0")));
  uint64_t before = cluster.writes();
  cluster.before_call = [] { engine::Clock::System()->SleepMicros(2'000); };
  std::atomic<int> failures{0};
  std::vector<engine::Thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back("writer", [&, t] {
      for (int i = 0; i < 25; ++i) {
        if (!client->Apply("t", RowMutation("a").Increment("n", "q", 1)).ok()) ++failures;
        if (!client->Apply("t", Set(fmt::format("t{}i{}", t, i), "1")).ok()) ++failures;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_LT(cluster.writes() - before, 200u);  // fewer calls than the 400 writes
  cluster.before_call = {};
  EXPECT_EQ(Counter(&cluster, "a"), 200);
}

// N8: a call is in flight while its tablet moves away and back.
TEST(ClusterData, N8ALateCallIsRefusedByTheEpoch) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  bool moved = false;
  cluster.before_call = [&] {
    if (std::exchange(moved, true)) return;
    cluster.Move(5, "a", {"c", 1});
    cluster.Move(5, "a", {"b", 1});
  };
  uint64_t writes = cluster.writes();
  EXPECT_OK(client->Apply("t", Set("a", "1")));
  EXPECT_OK(client->Apply("t", Set("a", "2", 2)));
  EXPECT_GE(cluster.writes() - writes, 2u);
  EXPECT_EQ(ReadAll(cluster.store()), "a f:q@2=2\na f:q@1=1\n");
}

// N14: the client's locations are stale, but it never returns rows of another tablet.
TEST(ClusterData, N14StaleLocationsNeverGiveWrongRows) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    engine::Random random(seed);
    FakeCluster cluster({"r10", "r20"});
    auto client = cluster.NewClient();
    Fill(client.get());
    std::string all = ReadAll(cluster.store());
    std::string downwards = ReadAll(cluster.store(), true);
    uint64_t calls = 0;
    bool acting = false;  // true while a move runs, whose own calls must not move tablets
    cluster.before_call = [&] {
      if (acting || ++calls % 3 != 0) return;
      acting = true;
      std::string row = fmt::format("r{:02}", random.Uniform(30));
      ServerId server{std::string(1, static_cast<char>('b' + random.Uniform(3))), 1};
      switch (random.Uniform(3)) {
        case 0:
          cluster.Move(5, row, server);
          break;
        case 1:
          cluster.Split(5, row);
          break;
        default:
          cluster.Merge(5, row);
      }
      acting = false;
    };
    cluster.break_streams_after = 3 + random.Uniform(8);  // a row has 2 cells
    ASSERT_EQ(ReadAll(client.get()), all) << "seed " << seed;
    ASSERT_EQ(ReadAll(client.get(), true), downwards) << "seed " << seed;
  }
}

class NoRows final : public engine::ProgramSink {
 public:
  bool Emit(engine::ProgramBatch batch) override { return batch.rows.empty(); }
};

// Other programs run here over the cells of both halves, but no call returns stored entries.
TEST(ClusterData, AProgramOverStoredEntriesDoesNotRunOnCellsAfterASplit) {
  FakeCluster cluster({"r10"});
  auto client = cluster.NewClient();
  Fill(client.get());
  engine::Program program;
  program.source = engine::Program::kEntries;
  program.slots = {{engine::SlotDef::kRow, 0}};
  program.outputs = {engine::Expression::Slot(0)};
  NoRows sink;
  Status status = client->Run("t", RowRange::All(), program, {}, &sink);
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
}

TEST(ClusterData, AStreamGoesOnAtTheCellBehindTheLast) {
  FakeCluster cluster({"r10"});
  auto client = cluster.NewClient();
  Fill(client.get());
  for (uint64_t cells = 3; cells < 25; ++cells) {
    cluster.break_streams_after = cells;
    EXPECT_EQ(ReadAll(client.get()), ReadAll(cluster.store())) << cells;
    EXPECT_EQ(ReadAll(client.get(), true), ReadAll(cluster.store(), true)) << cells;
  }
}

TEST(ClusterData, AStreamSkipsRowsAcrossMoves) {
  FakeCluster cluster({"r10"});
  auto client = cluster.NewClient();
  Fill(client.get());
  cluster.break_streams_after = 4;
  auto cells = client->Read("t", {}, {});
  EXPECT_OK(cells);
  int rows = 0;
  for (; (*cells)->Valid(); (*cells)->NextRow()) {
    EXPECT_EQ((*cells)->cell().row, fmt::format("r{:02}", rows++));
    EXPECT_EQ((*cells)->cell().qualifier, "q");
  }
  EXPECT_OK((*cells)->status());
  EXPECT_EQ(rows, 30);
}

// A row that is half from before a write and half from after it would be a state that never
// existed.
TEST(ClusterData, ARowThatChangedInTheMiddleIsAnError) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  Fill(client.get());
  auto cells = client->Read("t", {}, {});
  EXPECT_OK(cells);
  (*cells)->Next();  // the next cell is r00 f:z
  EXPECT_OK(cluster.store()->Apply("t", Set("r00", "new", 5)));
  cluster.Move(5, "a", {"c", 1});
  while ((*cells)->Valid()) (*cells)->Next();
  EXPECT_CODE((*cells)->status(), StatusCode::kAborted);
}

TEST(ClusterData, BatchesGoToAllTablets) {
  FakeCluster cluster({"r10", "r20"});
  auto client = cluster.NewClient();
  std::vector<RowMutation> batch;
  for (int i = 0; i < 30; ++i) batch.push_back(Set(fmt::format("r{:02}", i), "1"));
  batch.push_back(Set("r05", "2", 2));
  batch.push_back(RowMutation("r06").Set("no", "q", "v", 1));
  uint64_t writes = cluster.writes();
  std::vector<Status> statuses = client->ApplyBatch("t", batch);
  EXPECT_EQ(cluster.writes() - writes, 3u);
  for (size_t i = 0; i + 1 < statuses.size(); ++i) EXPECT_OK(statuses[i]);
  EXPECT_FALSE(statuses.back().ok());
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), OkStatus()), 31);
  // Once more, after all tablets have moved, and with lost answers.
  for (const char* row : {"a", "r10", "r20"}) cluster.Move(5, row, {"e", 1});
  std::atomic<int> calls = 0;  // groups call concurrently
  cluster.fate = [&](const ServerId& server, bool is_write) {
    return is_write && server.name == "e" && calls++ < 2 ? Fate::kLoseAnswer : Fate::kServe;
  };
  statuses = client->ApplyBatch("t", batch);
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), OkStatus()), 31);
}

// The lookup of row a also finds the new place of row h, while one write of row h is already in the
// group for the old place.
TEST(ClusterData, WritesOfARowKeepTheirOrderWhenItsTabletIsFoundElsewhere) {
  FakeCluster cluster({"g", "p"});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("h", "0")));
  cluster.Move(5, "h", {"e", 1});
  for (const Status& status :
       client->ApplyBatch("t", {Set("h", "1"), Set("a", "1"), Set("h", "2")})) {
    EXPECT_OK(status);
  }
  EXPECT_EQ(ReadAll(cluster.store()), "a f:q@1=1\nh f:q@1=2\n");
}

TEST(ClusterData, ACancelledCallEnds) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  cluster.fate = [](const ServerId& server, bool) {
    return server.name == "b" ? Fate::kRefuse : Fate::kServe;
  };
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(true);
  EXPECT_CODE(client->Read("t", {}, options), StatusCode::kCancelled);
}

// In one process, a read of one range has no wrapping stream that checks the deadline and the flag.
TEST(ClusterData, ADeadlineOrAFlagEndsTheReadOfOneRange) {
  FakeCluster cluster({});
  cluster.loses_answers = false;
  auto client = cluster.NewClient();
  cluster.fate = [](const ServerId& server, bool) {
    return server.name == "b" ? Fate::kRefuse : Fate::kServe;
  };
  CallOptions options;
  options.timeout_us = 1'000'000;
  ReadSpec read;
  read.rows = engine::RowSet(RowRange{"a", "c"});
  const int64_t start_us = cluster.lock()->clock.NowMicros();
  EXPECT_CODE(client->Read("t", read, options), StatusCode::kUnavailable);
  EXPECT_LE(cluster.lock()->clock.NowMicros() - start_us, 1'000'000);
  options.cancel = std::make_shared<std::atomic<bool>>(true);
  EXPECT_CODE(client->Read("t", read, options), StatusCode::kCancelled);
  EXPECT_CODE(client->ReadChanges("t", {}, options), StatusCode::kCancelled);
}

std::vector<const RowMutation*> PointersTo(const std::vector<RowMutation>& batch) {
  std::vector<const RowMutation*> pointers;
  for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
  return pointers;
}

TEST(ClusterData, ABatchEndsBetweenTwoTablets) {
  FakeCluster cluster({"g", "p"});
  cluster.loses_answers = false;
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "0")));
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(false);
  cluster.before_call = [&] { options.cancel->store(true); };
  const std::vector<RowMutation> batch = {Set("a", "1"), Set("h", "1"), Set("z", "1")};
  auto answer =
      client->Do(calls::ApplyRows<LentTable>{std::string("t"), PointersTo(batch)}, options);
  ASSERT_OK(answer);
  EXPECT_OK((*answer)[0]);
  EXPECT_CODE((*answer)[1], StatusCode::kCancelled);
  EXPECT_CODE((*answer)[2], StatusCode::kCancelled);
  EXPECT_EQ(ReadAll(cluster.store()), "a f:q@1=1\n");
}

TEST(ClusterData, UpdatesAndListsEndBetweenTwoTablets) {
  FakeCluster cluster({"g", "p"});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "0")));
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(false);
  cluster.before_call = [&] { options.cancel->store(true); };
  const engine::RowUpdate here = engine::ReadModifyWriteOf("a", {{"f", "q", "!"}});
  const engine::RowUpdate there = engine::ReadModifyWriteOf("z", {{"f", "q", "!"}});
  const std::vector<const engine::RowUpdate*> updates = {&here, &there};
  auto answer = client->Do(calls::UpdateRows<LentTable>{std::string("t"), updates}, options);
  ASSERT_OK(answer);
  EXPECT_OK((*answer)[0]);
  EXPECT_CODE((*answer)[1], StatusCode::kCancelled);
  auto stranger = cluster.NewClient();  // a client that knows no tablet locations
  options.cancel->store(false);
  EXPECT_CODE(stranger->Do(calls::TabletRanges{"t"}, options), StatusCode::kCancelled);
  options.cancel->store(false);
  EXPECT_CODE(stranger->Do(calls::ListTablets{"t"}, options), StatusCode::kCancelled);
}

// Only a tablet that its server does not serve counts as loading, or one whose server has ended. A
// server that hangs for longer than its part of the caller's time is silent, and one that cannot be
// reached and holds its lock; any other error is returned to the caller.
TEST(ClusterData, OnlyATabletWithoutItsServerIsLoading) {
  FakeCluster cluster({"g"});
  auto client = cluster.NewClient();
  auto state_after = [&](const Status& outcome) -> StatusOr<std::string> {
    cluster.stats = [&] { return outcome; };
    ASSIGN_OR_RETURN(std::vector<TabletInfo> tablets, client->Do(calls::ListTablets{"t"}));
    EXPECT_EQ(tablets.size(), 2u);
    return tablets.front().state;
  };
  EXPECT_EQ(*state_after(OkStatus()), "online");
  EXPECT_EQ(*state_after(Unavailable("no answer")), "loading");
  EXPECT_EQ(*state_after(NotServed("it has left")), "loading");
  EXPECT_EQ(*state_after(DeadlineExceeded("late")), "silent");
  EXPECT_CODE(state_after(DataLoss("damaged")), StatusCode::kDataLoss);
  const std::string lock = lock_paths::Server({"b", 1});
  EXPECT_OK(cluster.session()->Create(lock, "", LockFileKind::kLocked));
  EXPECT_EQ(*state_after(Unavailable("no answer")), "silent");
  EXPECT_OK(cluster.session()->Release(lock));
  EXPECT_OK(cluster.session()->Create(lock_paths::Server({"b", 2}), "", LockFileKind::kLocked));
  EXPECT_EQ(*state_after(Unavailable("no answer")), "loading");  // b.2 is another life
  // The caller cancels during the second read of the list.
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(false);
  std::atomic<int> asked{0};
  cluster.stats = [&] {
    if (++asked == 2) options.cancel->store(true);
    return Unavailable("silent");
  };
  EXPECT_CODE(client->Do(calls::ListTablets{"t"}, options), StatusCode::kCancelled);
}

// After a move only the tablets without figures are asked for again.
TEST(ClusterData, TheTabletsOfAServerAreListedWithOneCall) {
  FakeCluster cluster({"c", "e", "g", "i", "k", "m", "o", "q"});  // of b.1, c.1 and d.1 in turn
  auto client = cluster.NewClient();
  auto tablets = client->Do(calls::ListTablets{"t"});
  ASSERT_OK(tablets);
  EXPECT_EQ(tablets->size(), 9u);
  EXPECT_EQ(cluster.stats_calls(), 3u);
  std::atomic<int> asked{0};
  cluster.stats = [&] { return ++asked == 1 ? NotServed("it has left") : OkStatus(); };
  tablets = client->Do(calls::ListTablets{"t"});
  ASSERT_OK(tablets);
  EXPECT_EQ(cluster.stats_calls(), 6u);
  EXPECT_EQ(asked, 4);
  for (size_t i = 0; i < tablets->size(); ++i) {
    EXPECT_EQ((*tablets)[i].state, "online");
    const std::string before = i == 0 ? "" : (*tablets)[i - 1].range.limit;
    EXPECT_EQ((*tablets)[i].range.start, before);
  }
}

// A single write passes its deadline to the server; a shared call gets the last deadline of its
// writes.
TEST(ClusterData, AGatheredCallEndsAtTheLastDeadline) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "0")));
  EXPECT_EQ(cluster.timeout_us(), 0);
  const RowMutation mutation = Set("a", "1");
  const RowMutation* only = &mutation;
  auto apply = [&](int64_t timeout_us) {
    return OnlyPart(client->Do(calls::ApplyRows<LentTable>{std::string("t"), {&only, 1}},
                               {nullptr, timeout_us}));
  };
  EXPECT_OK(apply(7'000'000));
  EXPECT_EQ(cluster.timeout_us(), 7'000'000);
  // The first call waits until the other writers have arrived. They share the next call, unless one
  // of them is slow to join the queue; then the test tries again.
  std::vector<int64_t> timeouts;
  for (int tries = 0; tries < 100 && timeouts.size() != 2; ++tries) {
    timeouts.clear();
    const uint64_t before = cluster.writes();
    std::atomic<int> begun{0};
    cluster.before_call = [&] {
      timeouts.push_back(cluster.timeout_us());
      while (begun < 3) engine::Clock::System()->SleepMicros(1'000);
      engine::Clock::System()->SleepMicros(20'000);
    };
    std::vector<engine::Thread> threads;
    for (int64_t timeout_us : {9'000'000, 2'000'000, 5'000'000}) {
      threads.emplace_back("writer", [&, timeout_us] {
        ++begun;
        EXPECT_OK(apply(timeout_us));
      });
      while (cluster.writes() == before) engine::Clock::System()->SleepMicros(1'000);
    }
  }
  EXPECT_EQ(timeouts, (std::vector<int64_t>{9'000'000, 5'000'000}));
}

TEST(ClusterData, EachTryGetsWhatIsLeftOfTheTime) {
  FakeCluster cluster({});
  auto client = cluster.NewClient();
  EXPECT_OK(client->Apply("t", Set("a", "0")));
  std::vector<int64_t> timeouts;
  cluster.fate = [&](const ServerId&, bool is_write) {
    if (!is_write) return Fate::kServe;
    timeouts.push_back(cluster.timeout_us());
    cluster.lock()->clock.SleepMicros(300'000);
    return Fate::kRefuse;
  };
  CallOptions options;
  options.timeout_us = 2'000'000;
  const RowMutation mutation = Set("a", "1");
  EXPECT_FALSE(
      client->Do(calls::CommitRow<LentTable>{std::string("t"), mutation, {}}, options).ok());
  ASSERT_GE(timeouts.size(), 2u);
  EXPECT_EQ(timeouts.front(), 2'000'000);
  EXPECT_LE(timeouts.back(), 2'000'000 - 300'000 * (static_cast<int64_t>(timeouts.size()) - 1));
}

}  // namespace
}  // namespace sippar::cluster
