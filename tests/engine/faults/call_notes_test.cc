// Where a call spends its time: each wait is recorded under its name, in the notes of the waiting
// thread.
// SPDX-License-Identifier: Apache-2.0
#include "engine/base/call_notes.h"

#include <array>
#include <atomic>
#include <vector>

#include "engine/tablet/row_lock.h"
#include "tests/engine/faults/fault_rows.h"

namespace sippar::engine {
namespace {

constexpr int64_t kDelayNanos = 60'000'000;
constexpr const char* kDelay = "delay:60 ";

class CallNotesTest : public FaultRows {
 protected:
  CallNotesTest() { options_.clock = Clock::System(); }
  void Delay(const std::string& what) { fs_.AddRule(*FaultRule::Parse(kDelay + what)); }
  // Reads all rows; returns the number of cells.
  int ReadAll() {
    auto cells = *store_->Tablets("t")->front()->Read(ReadSpec(), nullptr, nullptr);
    int count = 0;
    for (; cells->Valid(); cells->Next()) ++count;
    return count;
  }
};

TEST_F(CallNotesTest, ASlowSyncIsTimeOfTheLog) {
  OpenAndCreate();
  PutRows(0, 1);  // creates the segment
  Delay("sync *.log 1+");
  CallNotes notes;
  {
    CallNotesScope scope(&notes);
    PutRows(1, 2);
  }
  EXPECT_GE(notes.sync_nanos, kDelayNanos);
  EXPECT_GE(notes.log_nanos, notes.sync_nanos);
  EXPECT_EQ(notes.row_lock_nanos, 0);
  EXPECT_EQ(notes.disk_nanos, 0);
}

TEST_F(CallNotesTest, AWriteInTheGroupOfAnotherKnowsTheTimeOfItsSync) {
  OpenAndCreate();
  PutRows(0, 1);
  Delay("sync *.log 1+");
  std::array<CallNotes, 4> notes;
  std::vector<Thread> writers;
  for (size_t i = 0; i < notes.size(); ++i) {
    writers.emplace_back("writer", [this, i, &notes] {
      CallNotesScope scope(&notes[i]);
      EXPECT_TRUE(Put(Row(static_cast<int>(i)), "v").ok());
    });
  }
  for (Thread& writer : writers) writer.Join();
  for (const CallNotes& of_one : notes) {
    EXPECT_GE(of_one.sync_nanos, kDelayNanos);
    EXPECT_GE(of_one.log_nanos, of_one.sync_nanos);
  }
}

TEST_F(CallNotesTest, AReadFromDiskIsTimeOfTheDiskOnce) {
  OpenAndCreate();
  PutRows(0, 1);
  ASSERT_TRUE(store_->Flush("t").ok());
  Open();  // empties the cache
  Delay("read *.sst 1+");
  CallNotes notes;
  {
    CallNotesScope scope(&notes);
    EXPECT_EQ(ReadAll(), 2);
  }
  EXPECT_GE(notes.disk_nanos, kDelayNanos);
  EXPECT_GT(notes.cache_nanos, 0);
  EXPECT_EQ(notes.log_nanos, 0);
  const CallNotes before = notes;
  EXPECT_EQ(ReadAll(), 2);  // no notes are active for this read
  EXPECT_EQ(notes.disk_nanos, before.disk_nanos);
}

// Holds a lock while another thread requests it; returns the notes of that thread. If the thread
// comes only after the lock is free again, it records nothing.
CallNotes NotesOfWaiter(RowLock::Mode wanted) {
  RowLock lock;
  lock.Lock(RowLock::kAlone);
  CallNotes notes;
  std::atomic<bool> comes{false};
  Thread waiter("waiter", [&] {
    CallNotesScope scope(&notes);
    comes = true;
    lock.Lock(wanted);
  });
  while (!comes) Clock::System()->SleepMicros(100);
  Clock::System()->SleepMicros(1'000);
  lock.Unlock(RowLock::kAlone);
  waiter.Join();
  return notes;
}

TEST(RowLockNotesTest, AHeldRowLockIsTimeOfTheRowLock) {
  for (RowLock::Mode wanted : {RowLock::kShared, RowLock::kInOrder, RowLock::kAlone}) {
    CallNotes notes;
    while (notes.row_lock_nanos == 0) notes = NotesOfWaiter(wanted);
    EXPECT_GT(notes.row_lock_nanos, 0);
    EXPECT_EQ(notes.log_nanos, 0);
    EXPECT_EQ(notes.disk_nanos, 0);
  }
}

TEST(RowLockNotesTest, AFreeRowLockCostsNoLookAtTheClock) {
  RowLock lock;
  CallNotes notes;
  CallNotesScope scope(&notes);
  lock.Lock(RowLock::kShared);
  lock.Unlock(RowLock::kShared);
  EXPECT_EQ(notes.row_lock_nanos, 0);
}

TEST(CallNotesScopeTest, ScopesNestAndHelpersHaveTheTraceAlone) {
  EXPECT_EQ(CurrentCallNotes(), nullptr);
  CallNotes outer{.trace = TraceId::New()};
  CallNotesScope scope(&outer);
  {
    CallNotes inner;
    CallNotesScope nested(&inner);
    EXPECT_EQ(CurrentCallNotes(), &inner);
  }
  EXPECT_EQ(CurrentCallNotes(), &outer);
  const CarriedTrace carried;
  TraceId seen;
  Thread helper("helper", [&] {
    EXPECT_EQ(CurrentCallNotes(), nullptr);
    carried.Run([&] {
      CallNotes* notes = CurrentCallNotes();
      ASSERT_NE(notes, nullptr);
      seen = notes->trace;
      notes->disk_nanos = 1;
    });
  });
  helper.Join();
  EXPECT_EQ(seen, outer.trace);
  EXPECT_EQ(outer.disk_nanos, 0);
}

TEST(CallNotesScopeTest, TheFirstTableAndRowAreNotedAndCut) {
  CallNotes notes;
  notes.About("t", std::string(1000, 'r'));
  notes.About("u", "other");
  EXPECT_EQ(notes.table.text(), "t");
  EXPECT_EQ(notes.row.text(), std::string(64, 'r'));
}

}  // namespace
}  // namespace sippar::engine
