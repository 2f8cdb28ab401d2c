// A store that is served: every call through the wire returns what the same call returns in this
// process, and ends when its caller wants.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cluster/api/row_codec.h"
#include "cluster/net/channel.h"
#include "cluster/net/failure.h"
#include "cluster/node/server_client.h"
#include "cluster/serve/listen_address.h"
#include "cluster/wire/methods.h"
#include "cluster/wire/stream_messages.h"
#include "engine/program/program_error.h"
#include "tests/cluster/serve/api_fixture.h"
#include "tests/support/random_history.h"

namespace sippar::cluster {
namespace {

using engine::ReadCounters;

constexpr int64_t kNowUs = 1'700'000'000'123'456;  // time of the fixture's clock

struct Drained {
  std::vector<Cell> cells;
  Status status;
  ReadCounters counters;
};

class ServedStoreTest : public ApiTest {
 protected:
  ServedStoreTest()
      : remote_(ConnectServer(server_->address(), "the server", &clock_, nullptr).value()) {}

  Drained Drain(Client* client, const std::string& table, const ReadSpec& read, bool skips_rows) {
    Drained drained;
    CallOptions options;
    options.counters = &drained.counters;
    auto cells = client->data()->Read(table, read, options);
    drained.status = cells.status();
    if (!cells.ok()) return drained;
    while ((*cells)->Valid()) {
      drained.cells.emplace_back((*cells)->cell());
      skips_rows ? (*cells)->NextRow() : (*cells)->Next();
    }
    drained.status = (*cells)->status();
    cells->reset();
    return drained;
  }

  std::unique_ptr<RemoteClient> remote_;
};

void ExpectSame(const Status& here, const Status& there) {
  EXPECT_EQ(here, there);  // compares code, text and payloads
}

class Collected final : public engine::ProgramSink {
 public:
  explicit Collected(size_t batches_max = ~size_t{0}) : batches_max_(batches_max) {}
  bool Emit(engine::ProgramBatch batch) override {
    for (engine::Row& row : batch.rows) rows.push_back(std::move(row));
    last_row = batch.last_row;
    rows_seen += batch.rows_seen;
    cells_seen += batch.cells_seen;
    return ++batches_ < batches_max_;
  }
  std::vector<engine::Row> rows;
  std::string last_row;
  uint64_t rows_seen = 0;
  uint64_t cells_seen = 0;

 private:
  const size_t batches_max_;
  size_t batches_ = 0;
};

engine::Program RandomProgram(engine::RandomHistory* history, const TableSchema& schema) {
  engine::Random* random = history->random();
  engine::Program program;
  program.read = history->Read(schema, kNowUs);
  program.read.reverse = false;
  program.read.columns = {engine::ColumnPattern::Exact("a", "q"), {}};
  program.source = random->OneIn(2) ? engine::Program::kCells : engine::Program::kRows;
  program.slots.push_back({engine::SlotDef::kRow, 0});
  program.slots.push_back(program.source == engine::Program::kCells
                              ? engine::SlotDef{engine::SlotDef::kValue, 0}
                              : engine::SlotDef{engine::SlotDef::kMap, 1});
  if (random->OneIn(2)) {
    program.aggregate = true;
    program.group_by.push_back(engine::Expression::Slot(0));
    program.aggregates.push_back({});
    return program;
  }
  program.outputs = {engine::Expression::Slot(0), engine::Expression::Slot(1)};
  if (random->OneIn(3)) program.order_by.push_back({engine::Expression::Slot(0), true});
  if (random->OneIn(2)) program.limit = 1 + random->Uniform(5);
  return program;
}

TEST_F(ServedStoreTest, RandomHistoriesAreTheSame) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    engine::RandomHistory history(seed);
    TableSchema schema = history.Schema();
    std::vector<std::string> keys = history.SplitKeys();
    schema.name = fmt::format("here{}", seed);
    ASSERT_TRUE(client_->admin()->Do(calls::CreateTable{schema, keys}).ok());
    const std::string here = schema.name;
    schema.name = fmt::format("there{}", seed);
    ASSERT_TRUE(remote_->admin()->Do(calls::CreateTable{schema, keys}).ok());
    for (int step = 0; step < 60; ++step) {
      std::vector<RowMutation> batch;
      for (uint64_t i = 1 + history.random()->Uniform(5); i > 0; --i) {
        batch.push_back(history.Mutation(schema, kNowUs));
      }
      if (batch.size() == 1) {
        ExpectSame(client_->data()->Apply(here, batch[0]),
                   remote_->data()->Apply(schema.name, batch[0]));
      } else {
        EXPECT_EQ(client_->data()->ApplyBatch(here, batch),
                  remote_->data()->ApplyBatch(schema.name, batch));
      }
      ReadSpec read = history.Read(schema, kNowUs);
      bool skips = history.random()->OneIn(4);
      Drained want = Drain(client_.get(), here, read, skips);
      Drained got = Drain(remote_.get(), schema.name, read, skips);
      ExpectSame(want.status, got.status);
      ASSERT_EQ(want.cells.size(), got.cells.size());
      for (size_t i = 0; i < got.cells.size(); ++i) got.cells[i].sequence = want.cells[i].sequence;
      EXPECT_EQ(want.cells, got.cells);
      // Reads one table in both ways, so sequences and counters must agree as well.
      want = Drain(client_.get(), schema.name, read, false);
      got = Drain(remote_.get(), schema.name, read, false);
      EXPECT_EQ(want.cells, got.cells);
      EXPECT_EQ(want.counters.cells_returned, got.counters.cells_returned);
      EXPECT_EQ(want.counters.reads, got.counters.reads);
      engine::Program program = RandomProgram(&history, schema);
      Collected mine, theirs;
      ExpectSame(client_->data()->Run(here, RowRange::All(), program, {}, &mine),
                 remote_->data()->Run(schema.name, RowRange::All(), program, {}, &theirs));
      EXPECT_EQ(mine.rows, theirs.rows);
      EXPECT_EQ(mine.last_row, theirs.last_row);
      EXPECT_EQ(mine.rows_seen, theirs.rows_seen);
      EXPECT_EQ(mine.cells_seen, theirs.cells_seen);
    }
  }
}

TEST_F(ServedStoreTest, RowTransactions) {
  CreateTable();
  DataApi* data = remote_->data();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  ASSERT_TRUE(data->Apply(table, RowMutation("r").Set("f", "q", "1")).ok());
  ReadCheck check;
  check.read.rows = engine::RowSet(RowRange::Single("r"));
  auto cells = data->Read(table, check.read, {});
  check.digest = *DigestCells(cells->get());
  EXPECT_TRUE(data->CommitRow(table, RowMutation("r").Set("f", "q", "2"), {check}).ok());
  Status lost = data->CommitRow(table, RowMutation("r").Set("f", "q", "3"), {check});
  EXPECT_EQ(lost.code(), StatusCode::kAborted);

  engine::RowUpdate update;
  update.row = "r";
  update.read.columns = {engine::ColumnPattern::Exact("f", "q")};
  update.slots = {{engine::SlotDef::kNewest, 0}};
  engine::RowWrite& write = update.writes.emplace_back();
  write.kind = engine::RowWrite::kAppend;
  write.family = "f";
  write.qualifier = "q";
  write.value = engine::Expression::Literal(engine::Value::Bytes("!"));
  update.returning = {engine::Expression::Slot(0)};
  auto result = data->Update(table, update);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->returning.size(), 1u);
  EXPECT_EQ(result->returning[0].bytes(), "2!");
  // An error with a code word of the query language, which is sent separately from the text.
  engine::RowWrite& failure = update.writes.emplace_back();
  failure.kind = engine::RowWrite::kFail;
  failure.value = engine::Expression::Literal(engine::Value::Text("no"));
  Status here = client_->data()->Update(table, update).status();
  EXPECT_FALSE(engine::ProgramErrorCode(here).empty());
  ExpectSame(here, data->Update(table, update).status());
  // Sending the same request twice carries it out once.
  update.writes.pop_back();
  update.request = {7, 1, 1};
  EXPECT_EQ(data->Update(table, update)->returning[0].bytes(), "2!!");
  EXPECT_EQ(data->Update(table, update)->returning[0].bytes(), "2!!");
}

// Each part of a batch has its own answer, independent of the others.
TEST_F(ServedStoreTest, BatchesAreAnsweredPartByPart) {
  CreateTable({"m"});
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  std::vector<RowMutation> batch;
  for (const char* row : {"a", "", "n", "z"}) batch.push_back(RowMutation(row).Set("f", "q", "1"));
  batch[2].entries.assign(limits::kMutationEntriesMax + 1, batch[0].entries[0]);
  const std::vector<Status> here = client_->data()->ApplyBatch(table, batch);
  EXPECT_TRUE(here[0].ok() && here[3].ok());
  EXPECT_EQ(here[2], InvalidArgument("mutation has 100001 entries; the limit is 100000"));
  EXPECT_EQ(remote_->data()->ApplyBatch(table, batch), here);
  ExpectSame(remote_->data()->Apply(table, batch[2]), here[2]);
  ExpectSame(remote_->data()->CommitRow(table, batch[2], {}), here[2]);
  EXPECT_TRUE(remote_->data()->ApplyBatch(table, {}).empty());

  std::vector<engine::RowUpdate> updates;
  for (const char* row : {"a", "", "z"}) {
    updates.push_back(engine::ReadModifyWriteOf(row, {{"f", "q", "!"}}));
  }
  auto mine = client_->data()->UpdateBatch(table, updates);
  auto theirs = remote_->data()->UpdateBatch(table, updates);
  ASSERT_EQ(theirs.size(), 3u);
  for (size_t i : {0u, 2u}) {
    ASSERT_TRUE(mine[i].ok() && theirs[i].ok()) << mine[i].status() << theirs[i].status();
    EXPECT_EQ(mine[i]->cells.front().value, "1!");
    EXPECT_EQ(theirs[i]->cells.front().value, "1!!");
  }
  EXPECT_FALSE(mine[1].ok());
  ExpectSame(mine[1].status(), theirs[1].status());
}

TEST_F(ServedStoreTest, AdministratorsCalls) {
  CreateTable({"m"});
  AdminApi* here = client_->admin();
  AdminApi* there = remote_->admin();
  const std::string table = here->Do(calls::ListTables{})->front().schema.name;
  ExpectSame(here->Do(calls::GetTable{"nope"}).status(),
             there->Do(calls::GetTable{"nope"}).status());
  ExpectSame(here->Do(calls::DropTable{"nope"}), there->Do(calls::DropTable{"nope"}));
  ASSERT_TRUE(remote_->data()->Apply(table, RowMutation("r").Set("f", "q", "1")).ok());
  ASSERT_TRUE(remote_->data()->Apply(table, RowMutation("a").Set("g", "q", "1")).ok());
  EXPECT_TRUE(there->Do(calls::Flush{table}).ok());
  EXPECT_TRUE(there->Do(calls::Split{table, "c"}).ok());
  EXPECT_EQ(there->Do(calls::GetTable{table})->tablet_count, 3u);
  EXPECT_EQ(*client_->data()->Do(calls::TabletRanges{table}),
            *remote_->data()->Do(calls::TabletRanges{table}));
  EXPECT_TRUE(there->Do(calls::Merge{table, {"a", "d"}}).ok());
  EXPECT_TRUE(there->Do(calls::Compact{table, ""}).ok());
  EXPECT_TRUE(there->Do(calls::Verify{table}).ok());
  TableInfo info = *there->Do(calls::GetTable{table});
  TableSchema schema = info.schema;
  schema.families.push_back({"new", engine::FamilyType::kBytes, {}});
  schema.Normalize();
  EXPECT_TRUE(there->Do(calls::AlterTable{schema, info.schema_version}).ok());
  ExpectSame(here->Do(calls::AlterTable{schema, info.schema_version}),
             there->Do(calls::AlterTable{schema, info.schema_version}));
  std::vector<TableInfo> wanted = *here->Do(calls::ListTables{});
  std::vector<TableInfo> got = *there->Do(calls::ListTables{});
  ASSERT_EQ(wanted.size(), got.size());
  EXPECT_EQ(wanted[0].schema, got[0].schema);
  EXPECT_EQ(wanted[0].table_id, got[0].table_id);
  EXPECT_EQ(wanted[0].schema_version, got[0].schema_version);
  EXPECT_EQ(wanted[0].changed_at_us, got[0].changed_at_us);
  EXPECT_EQ(wanted[0].tablet_count, got[0].tablet_count);
  std::vector<GroupStats> stats = *here->Do(calls::Stats{table});
  std::vector<GroupStats> their_stats = *there->Do(calls::Stats{table});
  ASSERT_EQ(stats.size(), their_stats.size());
  EXPECT_EQ(stats[0].families, their_stats[0].families);
  EXPECT_EQ(stats[0].raw_bytes, their_stats[0].raw_bytes);
  EXPECT_EQ(stats[0].stored_bytes, their_stats[0].stored_bytes);
  EXPECT_EQ(stats[0].rows, their_stats[0].rows);
  EXPECT_EQ(*here->Do(calls::DumpTablets{table}), *there->Do(calls::DumpTablets{table}));
  EXPECT_EQ(here->Do(calls::Metrics{})->size(), there->Do(calls::Metrics{})->size());
  std::vector<CompactionInfo> compactions = *here->Do(calls::Compactions{});
  std::vector<CompactionInfo> their_compactions = *there->Do(calls::Compactions{});
  ASSERT_EQ(compactions.size(), their_compactions.size());
  EXPECT_EQ(compactions.back().reason, their_compactions.back().reason);
  std::vector<TabletInfo> tablets = *client_->data()->Do(calls::ListTablets{table});
  std::vector<TabletInfo> their_tablets = *remote_->data()->Do(calls::ListTablets{table});
  ASSERT_EQ(tablets.size(), their_tablets.size());
  EXPECT_EQ(tablets[0].tablet_id, their_tablets[0].tablet_id);
  EXPECT_EQ(tablets[0].server, their_tablets[0].server);
  EXPECT_EQ(tablets[0].stored_bytes, their_tablets[0].stored_bytes);
  std::vector<ServerInfo> servers = *there->Do(calls::ListServers{});
  ASSERT_EQ(servers.size(), 1u);
  EXPECT_EQ(servers[0].id, here->Do(calls::ListServers{})->front().id);
  EXPECT_EQ(servers[0].tablet_count, here->Do(calls::ListServers{})->front().tablet_count);
  EXPECT_TRUE(there->Do(calls::PutRecord{"a/b", std::string("x\0y", 3), 0}).ok());
  ExpectSame(here->Do(calls::PutRecord{"a/b", "z", 0}), there->Do(calls::PutRecord{"a/b", "z", 0}));
  EXPECT_EQ(*here->Do(calls::GetRecord{"a/b"}), *there->Do(calls::GetRecord{"a/b"}));
  EXPECT_EQ(*here->Do(calls::ListRecords{"a/"}), *there->Do(calls::ListRecords{"a/"}));
  EXPECT_EQ(there->Do(calls::ListRecords{"a/"})->size(), 1u);
  EXPECT_TRUE(there->Do(calls::DeleteRecord{"a/b", 1}).ok());
  ExpectSame(here->Do(calls::GetRecord{"a/b"}).status(),
             there->Do(calls::GetRecord{"a/b"}).status());
  EXPECT_TRUE(there->Do(calls::DropTable{table}).ok());
  EXPECT_EQ(here->Do(calls::GetTable{table}).status().code(), StatusCode::kNotFound);
}

TEST_F(ServedStoreTest, AStatementThatOneClientReportsIsListedAndCancelledByAnother) {
  AdminApi* here = client_->admin();
  AdminApi* there = remote_->admin();
  calls::ReportStatements report{7, {{"a-1", "host", 9, "t", "SELECT 1", 200'000, 3}}};
  EXPECT_TRUE(there->Do(report)->empty());
  for (AdminApi* admin : {here, there}) {
    const std::vector<StatementInfo> listed = *admin->Do(calls::ListStatements{});
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(listed[0].id, "a-1");
    EXPECT_EQ(listed[0].text, "SELECT 1");
    EXPECT_EQ(listed[0].rows_read, 3u);
    EXPECT_GE(listed[0].elapsed_us, 200'000);
  }
  EXPECT_EQ(here->Do(calls::CancelStatement{{"a-1", "another"}})->pid, 9u);
  const std::vector<StatementOrder> orders = *there->Do(report);
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].by, "another");
  report.statements.clear();
  EXPECT_TRUE(there->Do(report)->empty());
  EXPECT_TRUE(here->Do(calls::ListStatements{})->empty());
  const Status unknown = there->Do(calls::CancelStatement{{"a-1", "another"}}).status();
  EXPECT_EQ(unknown.code(), StatusCode::kNotFound);
  ExpectSame(here->Do(calls::CancelStatement{{"a-1", "another"}}).status(), unknown);
}

TEST_F(ServedStoreTest, LargeCellsAndManyCells) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  engine::Random random(3);
  std::vector<RowMutation> batch;
  for (size_t size : {1U, 70'000U, 9'000'000U, 16'383U, 65'536U, 65'537U, 0U, 1'048'576U, 5U}) {
    std::string value(size, 'x');
    for (size_t i = 0; i < size; i += 100) value[i] = static_cast<char>(random.Next());
    batch.push_back(RowMutation(fmt::format("r{}", batch.size())).Set("f", "q", value));
    for (int i = 0; i < 300; ++i) batch.back().Set("g", std::to_string(i), std::string(200, 'y'));
  }
  for (const Status& status : remote_->data()->ApplyBatch(table, batch)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  Drained want = Drain(client_.get(), table, {}, false);
  EXPECT_EQ(want.cells.size(), batch.size() * 301);
  EXPECT_EQ(want.cells, Drain(remote_.get(), table, {}, false).cells);
  engine::Program program;
  program.read.columns = {engine::ColumnPattern::Exact("f", "q")};
  program.slots = {{engine::SlotDef::kNewest, 0}};
  program.outputs = {engine::Expression::Slot(0)};
  Collected mine, theirs, first(1);
  EXPECT_TRUE(client_->data()->Run(table, RowRange::All(), program, {}, &mine).ok());
  EXPECT_TRUE(remote_->data()->Run(table, RowRange::All(), program, {}, &theirs).ok());
  EXPECT_EQ(mine.rows, theirs.rows);
  EXPECT_TRUE(remote_->data()->Run(table, RowRange::All(), program, {}, &first).ok());
}

// The parts of the cells `f:q`, with the sizes of the values.
std::vector<std::pair<std::string, uint64_t>> PartsOfValues(Client* client,
                                                            const std::string& table,
                                                            engine::ValuePart part) {
  ReadSpec read;
  read.columns = {engine::ColumnPattern::Exact("f", "q")};
  read.value_part = part;
  std::vector<std::pair<std::string, uint64_t>> parts;
  auto cells = client->data()->Read(table, read, {});
  if (!cells.ok()) return {{cells.status().ToString(), 0}};
  for (; (*cells)->Valid(); (*cells)->Next()) {
    const CellView& cell = (*cells)->cell();
    parts.emplace_back(cell.value, cell.value.size() + cell.omitted_size);
  }
  EXPECT_TRUE((*cells)->status().ok()) << (*cells)->status();
  return parts;
}

TEST_F(ServedStoreTest, APartOfEachValueIsReadFromMemoryFromFilesAndOverTheWire) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  std::vector<std::string> values;
  for (size_t size : {0U, 10U, 5'000'000U, 3U}) {
    std::string value(size, 'x');
    for (size_t i = 0; i < size; ++i) value[i] = static_cast<char>(i / 7);
    values.push_back(value);
    RowMutation row(fmt::format("r{}", values.size()));
    ASSERT_TRUE(client_->data()->Apply(table, row.Set("f", "q", value)).ok());
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (engine::ValuePart part : {engine::ValuePart{0, 4},
                                   {2, 3},
                                   {4'999'999, 10},
                                   {1'000'000, 2'000'000},
                                   {3, 1u << 30}}) {
      std::vector<std::pair<std::string, uint64_t>> want;
      for (const std::string& value : values) {
        want.emplace_back(value.substr(std::min(part.offset, value.size()), part.size),
                          value.size());
      }
      EXPECT_TRUE(PartsOfValues(client_.get(), table, part) == want) << part.offset;
      EXPECT_TRUE(PartsOfValues(remote_.get(), table, part) == want) << part.offset;
    }
    ASSERT_TRUE(client_->admin()->Do(calls::Flush{table}).ok());
  }
}

TEST_F(ServedStoreTest, CancelledCallsAndLostServersAreTold) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  std::vector<RowMutation> batch;
  for (int i = 0; i < 40; ++i) {
    batch.push_back(RowMutation(fmt::format("r{}", i)).Set("f", "q", std::string(500'000, 'x')));
  }
  for (const Status& status : remote_->data()->ApplyBatch(table, batch)) ASSERT_TRUE(status.ok());
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(false);
  auto cells = remote_->data()->Read(table, {}, options);
  ASSERT_TRUE(cells.ok());
  options.cancel->store(true);
  while ((*cells)->Valid()) (*cells)->Next();
  EXPECT_EQ((*cells)->status().code(), StatusCode::kCancelled);
  CallOptions hurried;
  hurried.timeout_us = 1;
  Drained late;
  auto slow = remote_->data()->Read(table, {}, hurried);
  if (slow.ok()) {
    while ((*slow)->Valid()) (*slow)->Next();
    late.status = (*slow)->status();
  } else {
    late.status = slow.status();
  }
  EXPECT_EQ(late.status.code(), StatusCode::kDeadlineExceeded);

  auto reading = std::move(*remote_->data()->Read(table, {}, {}));
  EXPECT_FALSE(remote_->is_lost());
  server_->Stop(0);
  while (reading->Valid()) reading->Next();
  EXPECT_EQ(reading->status().code(), StatusCode::kUnavailable);
  Status write = remote_->data()->Apply(table, RowMutation("r").Set("f", "q", "1"));
  EXPECT_EQ(write.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(net::IsNotBegun(write) ||
              MessageOf(write).find("not known") != std::string_view::npos)
      << write;
  EXPECT_TRUE(remote_->is_lost());
  auto nobody = ConnectServer(server_->address(), "the server", &clock_, nullptr);
  EXPECT_EQ(nobody.status().code(), StatusCode::kUnavailable);
}

void CheckAllRefused(const std::string& name, const std::string& reply) {
  if (name == "ApplyRows") {
    calls::ApplyRows<LentTable>::Reply parts;
    ASSERT_TRUE(DecodeValue(reply, &parts));
    for (const Status& part : parts) EXPECT_FALSE(part.ok());
  } else if (name == "UpdateRows") {
    calls::UpdateRows<LentTable>::Reply parts;
    ASSERT_TRUE(DecodeValue(reply, &parts));
    for (const auto& part : parts) EXPECT_FALSE(part.ok());
  } else {
    ADD_FAILURE() << name;
  }
}

// A caller that sends what no sippar client would send.
class RawCaller {
 public:
  explicit RawCaller(const std::string& address) {
    const ListenAddress place = ListenAddress::Parse(address).value();
    net::ChannelOptions options;
    options.host = place.Numeric();
    options.port = place.port;
    channel_ = net::Channel::New(std::move(options), &loops_).value();
  }
  ~RawCaller() { channel_->Close(); }

  StatusOr<std::string> Call(Method method, std::string_view name, const std::string& call) {
    return channel_->Call(static_cast<uint16_t>(method), EncodeNamedCall({name, call}), {});
  }
  // Returns how the stream ends at its server, or the failure.
  Status Drain(Method method, std::string request) {
    auto stream = channel_->Open(static_cast<uint16_t>(method), std::move(request), 0);
    for (;;) {
      StatusOr<std::optional<std::string>> part = stream->Next();
      if (!part.ok()) return part.status();
      if (part->has_value()) continue;
      LastPart last;
      return DecodeValue(stream->End(), &last) ? last.end.outcome : Internal("no end");
    }
  }

 private:
  net::LaneLoops loops_{"raw"};
  std::shared_ptr<net::Channel> channel_;
};

// Random bytes that encode nothing, and encodings with one byte changed.
TEST_F(ServedStoreTest, DamagedBytesAreRefused) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  RawCaller caller(server_->address());
  engine::Random random(11);
  engine::RandomHistory history(5);
  TableSchema schema = client_->admin()->Do(calls::ListTables{})->front().schema;
  for (int i = 0; i < 400; ++i) {
    engine::Program program = RandomProgram(&history, schema);
    std::string bytes = i % 2 == 0 ? program.Encode() : std::string(random.Uniform(60), '\1');
    for (int flips = 0; flips < 3 && !bytes.empty(); ++flips) {
      bytes[random.Uniform(bytes.size())] = static_cast<char>(random.Next());
    }
    for (const char* name : {"ApplyRows", "UpdateRows", "CommitRow", "CreateTable"}) {
      const Method method =
          name == std::string_view("CreateTable") ? Method::kAdmin : Method::kData;
      auto reply = caller.Call(method, name, EncodeValue(table) + bytes);
      EXPECT_NE(reply.status().code(), StatusCode::kUnavailable) << reply.status();
      // Some are valid by chance: an empty batch, or a batch whose parts are rejected.
      if (reply.ok()) CheckAllRefused(name, *reply);
    }
    // Some of these are valid by chance as well.
    for (Method method : {Method::kRunTable, Method::kReadTable, Method::kTableChanges}) {
      Status ended = caller.Drain(method, EncodeValue(table) + bytes);
      EXPECT_NE(ended.code(), StatusCode::kUnavailable) << ended;
    }
  }
  EXPECT_TRUE(remote_->Probe().ok());
}

TEST_F(ServedStoreTest, ACallThatTheServerDoesNotKnowIsRefusedByItsName) {
  RawCaller caller(server_->address());
  EXPECT_EQ(
      caller.Call(Method::kAdmin, "Defragment", "").status(),
      Unimplemented(
          "call Defragment is not supported by the server; use the same version of sippar for "
          "server and client"));
}

// On a busy machine the answer may arrive before the client checks its clock again.
template <class Call>
bool EndsAtDeadline(const Call& call) {
  for (int i = 0; i < 100; ++i) {
    if (call(i).code() == StatusCode::kDeadlineExceeded) return true;
  }
  return false;
}

TEST_F(ServedStoreTest, ACallEndsWithItsCallersDeadlineOrCancelFlag) {
  CreateTable();
  const std::string table = client_->admin()->Do(calls::ListTables{})->front().schema.name;
  CallOptions hurried;
  hurried.timeout_us = 1;
  EXPECT_TRUE(EndsAtDeadline([&](int) {
    return remote_->admin()->Do(calls::Compact{table, ""}, hurried);
  }));
  Status split = OkStatus();
  EXPECT_TRUE(EndsAtDeadline([&](int i) {
    split = remote_->admin()->Do(calls::Split{table, fmt::format("m{}", i)}, hurried);
    return split;
  }));
  // Either the client or the server may find that the time is over before the call begins.
  EXPECT_TRUE(MessageOf(split).find("not known") != std::string_view::npos ||
              MessageOf(split).find("longer than its timeout") != std::string_view::npos)
      << split;
  CallOptions cancelled;
  cancelled.cancel = std::make_shared<std::atomic<bool>>(false);
  EXPECT_TRUE(remote_->admin()->Do(calls::Compact{table, ""}, cancelled).ok());
  cancelled.cancel->store(true);
  for (Client* client : {client_.get(), static_cast<Client*>(remote_.get())}) {
    EXPECT_EQ(client->admin()->Do(calls::Compact{table, ""}, cancelled).code(),
              StatusCode::kCancelled);
    EXPECT_TRUE(client->data()->Do(calls::ListTablets{table}).ok());
  }
  EXPECT_EQ(remote_->data()->Do(calls::ListTablets{table}, cancelled).status().code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(EndsAtDeadline(
      [&](int) { return remote_->data()->Do(calls::ListTablets{table}, hurried).status(); }));
  EXPECT_FALSE(remote_->is_lost());  // the connection is still usable
  EXPECT_TRUE(remote_->admin()->Do(calls::GetTable{table}).ok());
}

}  // namespace
}  // namespace sippar::cluster
