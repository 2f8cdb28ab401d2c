// A client of a directory that another process has open: it can do everything that the owner can,
// with the same calls and the same answers.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"
#include "engine/base/thread.h"
#include "engine/model/change_config.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kDayMicros = int64_t{24} * 3600 * 1'000'000;

class JoinedClientTest : public testing::Test {
 protected:
  JoinedClientTest() : directory_(MakeDirectory()) {
    owner_ = Open();
    joined_ = Open();
    TableSchema schema;
    schema.name = "t";
    schema.families.resize(2);
    schema.families[0].name = "f";
    schema.families[1].name = "g";
    schema.Normalize();
    EXPECT_TRUE(joined_->admin()->Do(calls::CreateTable{schema, {}}).ok());
    schema.name = "kept";
    engine::SetChangeStream(engine::ChangeStreamConfig{kDayMicros, 0}, &schema);
    EXPECT_TRUE(joined_->admin()->Do(calls::CreateTable{schema, {}}).ok());
  }
  ~JoinedClientTest() override {
    joined_.reset();
    owner_.reset();
    std::filesystem::remove_all(directory_);
  }

  static std::string MakeDirectory() {
    std::string pattern = testing::TempDir() + "sippar_joined.XXXXXX";
    const char* made = ::mkdtemp(pattern.data());
    EXPECT_NE(made, nullptr);
    return pattern;
  }
  std::unique_ptr<Client> Open() {
    ClientOptions options;
    options.create_if_missing = true;
    return std::move(*OpenClient(directory_, options));
  }
  // Returns all changes until a second passes without any or the stream is over; *last is the last
  // batch.
  static std::vector<Change> Drain(ChangeStream* stream, ChangeBatch* last) {
    std::vector<Change> changes;
    while (true) {
      auto batch = stream->Next(1'000'000);
      EXPECT_TRUE(batch.ok()) << batch.status();
      if (!batch.ok()) return changes;
      *last = *batch;
      if (batch->changes.empty()) return changes;
      for (Change& change : batch->changes) changes.push_back(std::move(change));
    }
  }
  static ChangesRequest From(int64_t start_us) {
    ChangesRequest wanted;
    wanted.partition = RowRange::All();
    wanted.start_us = start_us;
    return wanted;
  }

  static std::string RowName(int number) { return fmt::format("{:06}", number); }
  // Writes more rows than are buffered for a slow reader.
  void WriteRows(int rows, int cells) {
    std::vector<RowMutation> batch;
    for (int i = 0; i < rows; ++i) {
      RowMutation mutation(RowName(i));
      mutation.DeleteRow();
      for (int c = 0; c < cells; ++c) {
        mutation.Set("f", RowName(c), std::string(1000, 'v'), 1'000'000);
      }
      batch.push_back(std::move(mutation));
    }
    for (const Status& status : owner_->data()->ApplyBatch("t", batch)) {
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  // Reads table t, which WriteRows made: first from the owner, and then from the client itself.
  void ReadAcross(const engine::ReadSpec& read, int rows, int cells) {
    auto stream = joined_->data()->Read("t", read, {});
    ASSERT_TRUE(stream.ok()) << stream.status();
    for (int i = 0; i < rows * cells; ++i, (*stream)->Next()) {
      ASSERT_TRUE((*stream)->Valid()) << i << ": " << (*stream)->status();
      int row = read.reverse ? rows - 1 - i / cells : i / cells;
      ASSERT_EQ((*stream)->cell().row, RowName(row));
      ASSERT_EQ((*stream)->cell().qualifier, RowName(i % cells));
      if (i == 100) owner_.reset();
    }
    EXPECT_FALSE((*stream)->Valid());
    EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
  }
  // Like ReadAcross, for a program with one result row per cell.
  void RunAcross(engine::Program program, int rows, int cells) {
    for (uint32_t i = 0; i < program.slots.size(); ++i) {
      program.outputs.push_back(engine::Expression::Slot(i));
    }
    LeavingSink sink(&owner_);
    Status ran = joined_->data()->Run("t", RowRange::All(), program, {}, &sink);
    ASSERT_TRUE(ran.ok()) << ran;
    ASSERT_EQ(sink.rows().size(), static_cast<size_t>(rows) * static_cast<size_t>(cells));
    for (int i = 0; i < rows * cells; ++i) {
      const engine::Row& row = sink.rows()[static_cast<size_t>(i)];
      ASSERT_EQ(row[0].bytes(), RowName(i / cells));
      if (cells > 1) ASSERT_EQ(row[1].bytes(), RowName(i % cells));
    }
  }

  // Closes the owner at the first batch.
  class LeavingSink final : public engine::ProgramSink {
   public:
    explicit LeavingSink(std::unique_ptr<Client>* owner) : owner_(owner) {}
    bool Emit(engine::ProgramBatch batch) override {
      for (engine::Row& row : batch.rows) rows_.push_back(std::move(row));
      if (!rows_.empty()) owner_->reset();
      return true;
    }
    const std::vector<engine::Row>& rows() const { return rows_; }

   private:
    std::unique_ptr<Client>* owner_;
    std::vector<engine::Row> rows_;
  };

  const std::string directory_;
  std::unique_ptr<Client> owner_;
  std::unique_ptr<Client> joined_;
};

void ExpectSame(const std::vector<Change>& here, const std::vector<Change>& there) {
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(here[i].mutation.row, there[i].mutation.row);
    ASSERT_EQ(here[i].mutation.entries.size(), there[i].mutation.entries.size());
    for (size_t e = 0; e < here[i].mutation.entries.size(); ++e) {
      const engine::MutationEntry& mine = here[i].mutation.entries[e];
      const engine::MutationEntry& theirs = there[i].mutation.entries[e];
      EXPECT_EQ(mine.kind, theirs.kind);
      EXPECT_EQ(mine.family, theirs.family);
      EXPECT_EQ(mine.qualifier, theirs.qualifier);
      EXPECT_EQ(mine.timestamp_us, theirs.timestamp_us);
      EXPECT_EQ(mine.value, theirs.value);
    }
    EXPECT_EQ(here[i].commit_us, there[i].commit_us);
    EXPECT_EQ(here[i].token, there[i].token);
  }
}

TEST_F(JoinedClientTest, ChangesAreTheOwners) {
  const int64_t start_us = owner_->clock()->NowMicros();
  ASSERT_TRUE(owner_->data()->Apply("kept", RowMutation("a").Set("f", "q", "1", 5)).ok());
  ASSERT_TRUE(joined_->data()->Apply("kept", RowMutation("b").DeleteRow()).ok());
  ASSERT_TRUE(joined_->data()
                  ->Apply("kept", RowMutation("c").Set("g", "", std::string(3 << 20, 'x')))
                  .ok());
  auto here = owner_->data()->ReadChanges("kept", From(start_us), {});
  auto there = joined_->data()->ReadChanges("kept", From(start_us), {});
  ASSERT_TRUE(here.ok() && there.ok()) << there.status();
  ChangeBatch mine, theirs;
  std::vector<Change> changes = Drain(here->get(), &mine);
  ASSERT_EQ(changes.size(), 3u);
  ExpectSame(changes, Drain(there->get(), &theirs));
  EXPECT_GE(theirs.low_watermark_us, changes.back().commit_us);

  // Without changes, Next returns an empty batch with the position when its time is over.
  auto idle = (*there)->Next(1'000);
  ASSERT_TRUE(idle.ok());
  EXPECT_TRUE(idle->changes.empty() && !idle->is_over);
  EXPECT_FALSE(idle->token.empty());
  // Later writes arrive; a split ends the stream and returns the tokens to continue with.
  ASSERT_TRUE(owner_->data()->Apply("kept", RowMutation("d").Set("f", "q", "2")).ok());
  auto later = (*there)->Next(10'000'000);
  ASSERT_TRUE(later.ok());
  ASSERT_EQ(later->changes.size(), 1u);
  ASSERT_TRUE(joined_->admin()->Do(calls::Split{"kept", "b"}).ok());
  auto end = (*there)->Next(10'000'000);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->is_over);
  ASSERT_EQ(end->tokens.size(), 2u);
  EXPECT_EQ(end->new_partitions, *owner_->data()->Do(calls::TabletRanges{"kept"}));
  ChangesRequest right;
  right.partition = end->new_partitions[1];
  right.tokens = {end->tokens[1]};
  EXPECT_TRUE(joined_->data()->ReadChanges("kept", right, {}).ok());
}

TEST_F(JoinedClientTest, AWriteWithAnIdOfItsCallerIsDoneOnce) {
  // A new version each time it is applied.
  RowMutation mutation = RowMutation("r").Set("f", "q", "v");
  mutation.request = {7, 9};
  for (Client* client : {owner_.get(), joined_.get(), owner_.get()}) {
    ASSERT_TRUE(client->data()->Apply("t", mutation).ok());
    for (const Status& status : client->data()->ApplyBatch("t", {mutation})) {
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  engine::ReadSpec read;
  read.rows = engine::RowSet::All();
  auto cells = owner_->data()->Read("t", read, {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  int versions = 0;
  for (; (*cells)->Valid(); (*cells)->Next()) ++versions;
  EXPECT_EQ(versions, 1);
}

TEST_F(JoinedClientTest, ChangesAreRefusedAsTheOwnerDoes) {
  for (const char* table : {"t", "nope"}) {
    Status here = owner_->data()->ReadChanges(table, From(0), {}).status();
    EXPECT_FALSE(here.ok());
    EXPECT_EQ(here, joined_->data()->ReadChanges(table, From(0), {}).status());
  }
  Status too_old = joined_->data()->ReadChanges("kept", From(1), {}).status();
  EXPECT_EQ(too_old.code(), StatusCode::kOutOfRange);
  EXPECT_TRUE(HasCause(too_old, Cause::kTooOld)) << "the cause goes through our protocol";
  EXPECT_FALSE(HasCause(too_old, Cause::kNotServed));
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(false);
  auto stream = joined_->data()->ReadChanges("kept", From(owner_->clock()->NowMicros()), options);
  ASSERT_TRUE(stream.ok());
  options.cancel->store(true);
  EXPECT_EQ((*stream)->Next(60'000'000).status().code(), StatusCode::kCancelled);
}

TEST_F(JoinedClientTest, ChangesGoOnWhenTheOwnerHasLeft) {
  const int64_t start_us = owner_->clock()->NowMicros();
  ASSERT_TRUE(joined_->data()->Apply("kept", RowMutation("a").Set("f", "q", "1")).ok());
  auto stream = joined_->data()->ReadChanges("kept", From(start_us), {});
  ASSERT_TRUE(stream.ok());
  ChangeBatch last;
  EXPECT_EQ(Drain(stream->get(), &last).size(), 1u);
  owner_.reset();
  ASSERT_TRUE(joined_->data()->Apply("kept", RowMutation("b").Set("f", "q", "2")).ok());
  std::vector<Change> changes = Drain(stream->get(), &last);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].mutation.row, "b");
}

// The owner has left, and a process that does not serve the store has opened it. A call without a
// deadline would wait for Patience::wait_us.
TEST_F(JoinedClientTest, ACallLooksForTheStoreWithinItsOwnTime) {
  owner_.reset();
  auto fs = engine::NewPosixFileSystem();
  ClientOptions silent;
  silent.fs = fs.get();
  auto holder = OpenClient(directory_, silent);
  ASSERT_TRUE(holder.ok()) << holder.status();
  engine::Clock* clock = engine::Clock::System();
  const int64_t start_us = clock->MonotonicNanos() / 1000;
  EXPECT_FALSE(joined_->data()->Do(calls::TabletRanges{"t"}, {nullptr, 200'000}).ok());
  EXPECT_FALSE(joined_->admin()->Do(calls::DropTable{"t"}, {nullptr, 200'000}).ok());
  CallOptions options;
  options.cancel = std::make_shared<std::atomic<bool>>(false);
  engine::Thread canceller("cancel", [&] {
    clock->SleepMicros(200'000);
    options.cancel->store(true);
  });
  EXPECT_EQ(joined_->data()->Do(calls::TabletRanges{"t"}, options).status().code(),
            StatusCode::kCancelled);
  canceller.Join();
  EXPECT_LT(clock->MonotonicNanos() / 1000 - start_us, 20'000'000);
}

TEST_F(JoinedClientTest, WritesGoOnWhenTheOwnerHasLeft) {
  const std::vector<RowMutation> batch = {RowMutation("a").Set("f", "q", "1"),
                                          RowMutation("b").Set("f", "q", "1")};
  std::vector<engine::RowUpdate> updates;
  for (const RowMutation& mutation : batch) {
    updates.push_back(engine::ReadModifyWriteOf(mutation.row, {{"f", "q", "!"}}));
  }
  owner_.reset();
  EXPECT_EQ(joined_->data()->ApplyBatch("t", batch), std::vector<Status>(2));
  for (const auto& answer : joined_->data()->UpdateBatch("t", updates)) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->cells.front().value, "1!");
  }
  EXPECT_TRUE(joined_->data()->CommitRow("t", batch[0], {}).ok());
  EXPECT_EQ(joined_->data()->ApplyBatch("nope", batch)[1].code(), StatusCode::kNotFound);
}

// Every row and cell arrives once and in order, even if the owner leaves in the middle.
TEST_F(JoinedClientTest, F_J1_AReadGoesOnAfterTheLastCellWhenTheOwnerLeaves) {
  const int kRows = 20'000;
  WriteRows(kRows, 1);
  ReadAcross({}, kRows, 1);
}

TEST_F(JoinedClientTest, F_J1_AReadGoesOnInTheMiddleOfARow) {
  WriteRows(2, 20'000);
  ReadAcross({}, 2, 20'000);
}

TEST_F(JoinedClientTest, F_J1_AReadDownwardsGoesOn) {
  WriteRows(10'000, 2);
  engine::ReadSpec read;
  read.reverse = true;
  ReadAcross(read, 10'000, 2);
}

TEST_F(JoinedClientTest, F_J1_ARowThatHasChangedIsNotMixed) {
  WriteRows(1, 20'000);
  auto cells = joined_->data()->Read("t", {}, {});
  ASSERT_TRUE(cells.ok()) << cells.status();
  for (int i = 0; i < 1'000; ++i) (*cells)->Next();
  ASSERT_TRUE(owner_->data()->Apply("t", RowMutation(RowName(0)).Set("f", "", "first")).ok());
  owner_.reset();
  while ((*cells)->Valid()) (*cells)->Next();
  EXPECT_EQ((*cells)->status().code(), StatusCode::kAborted) << (*cells)->status();
}

TEST_F(JoinedClientTest, F_J1_AProgramGoesOnAfterTheLastRowWhenTheOwnerLeaves) {
  WriteRows(20'000, 1);
  engine::Program program;
  program.read.columns = {engine::ColumnPattern{}};
  program.slots = {{engine::SlotDef::kRow, 0}, {engine::SlotDef::kMap, 0}};
  RunAcross(program, 20'000, 1);
}

TEST_F(JoinedClientTest, F_J1_AProgramOverCellsGoesOnInTheMiddleOfARow) {
  WriteRows(2, 15'000);
  engine::Program program;
  program.source = engine::Program::kCells;
  program.read.columns = {engine::ColumnPattern{}};
  program.slots = {
      {engine::SlotDef::kRow, 0}, {engine::SlotDef::kQualifier, 0}, {engine::SlotDef::kValue, 0}};
  RunAcross(program, 2, 15'000);
}

// An owner that leaves has finished a change of tables, or reports that it has not begun it.
TEST_F(JoinedClientTest, F_J1_ChangesOfTablesAreMadeOnceWhileOwnersComeAndGo) {
  TableSchema schema = **joined_->admin()->Do(calls::GetSchema{"t"});
  for (int i = 0; i < 15; ++i) {
    schema.name = "made" + std::to_string(i);
    engine::Thread leaves("leaves", [this] { owner_.reset(); });
    Status made = joined_->admin()->Do(calls::CreateTable{schema, {}});
    EXPECT_TRUE(made.ok()) << made;
    leaves.Join();
    EXPECT_TRUE(joined_->admin()->Do(calls::GetTable{schema.name}).ok());
    owner_ = std::exchange(joined_, Open());  // the joined client has opened the directory itself
  }
}

// Schemas of the Cloud Bigtable API name no locality groups.
TEST_F(JoinedClientTest, SchemasNeedNotBeNormalized) {
  TableSchema schema;
  schema.name = "plain";
  schema.families.resize(2);
  schema.families[0].name = "z";
  schema.families[1].name = "a";
  Status made = joined_->admin()->Do(calls::CreateTable{schema, {}});
  ASSERT_TRUE(made.ok()) << made;
  TableInfo info = *joined_->admin()->Do(calls::GetTable{"plain"});
  EXPECT_EQ(info.schema.FamilyNames(), (std::vector<std::string>{"a", "z"}));
  info.schema.families.emplace_back().name = "m";
  Status altered = joined_->admin()->Do(calls::AlterTable{info.schema, info.schema_version});
  EXPECT_TRUE(altered.ok()) << altered;
  EXPECT_EQ(owner_->admin()->Do(calls::GetTable{"plain"})->schema.families.size(), 3u);
}

void ExpectSame(const BackupInfo& here, const BackupInfo& there) {
  EXPECT_EQ(here.name, there.name);
  EXPECT_EQ(here.is_dropped_table, there.is_dropped_table);
  EXPECT_EQ(here.source_table, there.source_table);
  EXPECT_EQ(here.source_backup, there.source_backup);
  EXPECT_EQ(here.started_us, there.started_us);
  EXPECT_EQ(here.ended_us, there.ended_us);
  EXPECT_EQ(here.expires_us, there.expires_us);
  EXPECT_EQ(here.size_bytes, there.size_bytes);
}

TEST_F(JoinedClientTest, BackupsAreTheOwners) {
  ASSERT_TRUE(joined_->data()->Apply("t", RowMutation("a").Set("f", "q", "1")).ok());
  AdminApi* here = owner_->admin();
  AdminApi* there = joined_->admin();
  const int64_t expires_us = owner_->clock()->NowMicros() + kDayMicros;
  auto made = there->Do(calls::CreateBackup{"b", "t", expires_us});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->source_table, "t");
  EXPECT_EQ(made->expires_us, expires_us);
  EXPECT_GT(made->size_bytes, 0u);
  ExpectSame(*here->Do(calls::GetBackup{"b"}), *made);
  ExpectSame(*here->Do(calls::GetBackup{"b"}), *there->Do(calls::GetBackup{"b"}));
  EXPECT_EQ(here->Do(calls::CreateBackup{"b", "t", expires_us}).status(),
            there->Do(calls::CreateBackup{"b", "t", expires_us}).status());
  EXPECT_EQ(here->Do(calls::GetBackup{"nope"}).status(),
            there->Do(calls::GetBackup{"nope"}).status());
  ASSERT_TRUE(there->Do(calls::CopyBackup{"b", "c", expires_us}).ok());
  EXPECT_EQ(there->Do(calls::GetBackup{"c"})->source_backup, "b");
  ASSERT_TRUE(there->Do(calls::SetBackupExpiry{"c", expires_us + 1}).ok());
  EXPECT_EQ(here->Do(calls::GetBackup{"c"})->expires_us, expires_us + 1);
  std::vector<BackupInfo> all = *there->Do(calls::ListBackups{});
  ASSERT_EQ(all.size(), here->Do(calls::ListBackups{})->size());
  ASSERT_EQ(all.size(), 2u);
  ExpectSame(here->Do(calls::ListBackups{})->back(), all.back());

  ASSERT_TRUE(there->Do(calls::RestoreTable{"b", "again"}).ok());
  auto cells = joined_->data()->Read("again", {}, {});
  ASSERT_TRUE(cells.ok() && (*cells)->Valid());
  EXPECT_EQ((*cells)->cell().value, "1");
  EXPECT_EQ(here->Do(calls::RestoreTable{"b", "again"}),
            there->Do(calls::RestoreTable{"b", "again"}));
  ASSERT_TRUE(there->Do(calls::DeleteBackup{"b"}).ok());
  EXPECT_EQ(here->Do(calls::GetBackup{"b"}).status().code(), StatusCode::kNotFound);

  ASSERT_TRUE(there->Do(calls::DropAndKeepTable{"t", kDayMicros}).ok());
  EXPECT_EQ(owner_->admin()->Do(calls::GetTable{"t"}).status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(there->Do(calls::UndeleteTable{"t"}).ok());
  EXPECT_EQ(*owner_->admin()->Do(calls::GetSchema{"t"}).value(),
            *joined_->admin()->Do(calls::GetSchema{"t"}).value());
  EXPECT_EQ(here->Do(calls::UndeleteTable{"t"}), there->Do(calls::UndeleteTable{"t"}));

  // After the owner has left, the client answers from the store that it has opened itself.
  owner_.reset();
  EXPECT_EQ(there->Do(calls::ListBackups{})->size(), 1u);
  EXPECT_TRUE(there->Do(calls::DeleteBackup{"c"}).ok());
}

}  // namespace
}  // namespace sippar::cluster
