// Runs the work of one life.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_script.h"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "engine/base/clock.h"
#include "engine/base/thread.h"

namespace sippar::engine {
namespace {

// Limit for a busy machine; a longer wait means that the store hangs.
constexpr int64_t kAwaitMicros = 60'000'000;
constexpr int64_t kPauseMicros = 400;

}  // namespace

WalkScript::WalkScript(WalkStore* store, FaultFileSystem* faults, const WalkJournal* journal,
                       uint64_t life)
    : store_(store),
      faults_(faults),
      journal_(journal),
      life_(life),
      random_(journal->seed() * 1'000'003 + life) {}

Status WalkScript::Run(uint64_t writers) {
  std::vector<Thread> threads;
  for (uint64_t i = 1; i <= writers; ++i) {
    threads.emplace_back("writer", [this, i] { WriteUntilStopped(i); });
  }
  std::vector<Status (WalkScript::*)()> episodes = {
      &WalkScript::Reshape, &WalkScript::MoveFamily, &WalkScript::ExtraTable, &WalkScript::Merging,
      &WalkScript::Major,   &WalkScript::SlowSync,   &WalkScript::Backup};
  Status status = AwaitWrites(20);
  while (status.ok() && !episodes.empty()) {
    auto next = episodes.begin() + static_cast<ptrdiff_t>(random_.Uniform(episodes.size()));
    status = (this->**next)();
    episodes.erase(next);
  }
  stop_ = true;
  return status;
}

void WalkScript::WriteUntilStopped(uint64_t thread) {
  Random pause(life_ + thread);
  for (uint64_t number = 1; !stop_; ++number) {
    Status status = Call({life_, thread, number, 'w'});
    if (!status.ok()) {
      fmt::print(stderr, "a write failed: {}\n", MessageOf(status));
      _exit(3);
    }
    ++written_;
    Clock::System()->SleepMicros(static_cast<int64_t>(pause.Uniform(kPauseMicros)));
  }
}

Status WalkScript::Call(const WalkCall& call) {
  std::vector<WalkAtom> atoms = AtomsOf(journal_->seed(), call);
  journal_->Begin(call);
  Status status;
  switch (atoms[0].kind) {
    case WalkAtom::kWrite:
      status = Write(atoms);
      break;
    case WalkAtom::kCreateTable:
      status = store_->CreateTable(ExtraSchema(), {"r20"});
      break;
    case WalkAtom::kDropTable:
      status = store_->DropTable("u");
      break;
    case WalkAtom::kAddFamily:
      status = Alter([](TableSchema* schema) {
        schema->families.push_back({"x", FamilyType::kBytes, GcPolicy::KeepAll()});
      });
      break;
    case WalkAtom::kDropFamily:
      status = Alter([](TableSchema* schema) {
        std::erase_if(schema->families, [](const auto& family) { return family.name == "x"; });
        for (auto& group : schema->groups) std::erase(group.families, "x");
      });
      break;
  }
  if (status.ok()) journal_->Acknowledge(call.thread, atoms.size());
  return status;
}

Status WalkScript::Write(const std::vector<WalkAtom>& atoms) {
  std::vector<RowMutation> batch;
  for (const WalkAtom& atom : atoms) batch.push_back(atom.mutation);
  for (const Status& status : store_->Apply(atoms[0].table, batch)) RETURN_IF_ERROR(status);
  return OkStatus();
}

Status WalkScript::CallScript(char kind) {
  return Call({life_, kScriptThread, ++next_call_, kind});
}

Status WalkScript::Await(const std::string& what, const std::function<bool()>& done) {
  for (int64_t waited_us = 0; !done(); waited_us += 1000) {
    if (waited_us > kAwaitMicros) return DeadlineExceeded("no " + what);
    Clock::System()->SleepMicros(1000);
  }
  return OkStatus();
}

Status WalkScript::AwaitWrites(uint64_t count) {
  uint64_t until = written_ + count;
  return Await("writes", [&] { return written_ >= until; });
}

Status WalkScript::Alter(const std::function<void(TableSchema*)>& change) {
  ASSIGN_OR_RETURN(WalkTable table, store_->GetTable("t"));
  change(&table.schema);
  table.schema.Normalize();
  return store_->AlterTable(table.schema, table.schema_version);
}

// Family births differ in tablets that were written to, so the merge first has to forget them.
Status WalkScript::Reshape() {
  RETURN_IF_ERROR(store_->Split("t", WalkRow(&random_, 2)));
  RETURN_IF_ERROR(AwaitWrites(10));
  ASSIGN_OR_RETURN(WalkTable table, store_->GetTable("t"));
  if (table.schema.FindFamily("x") != nullptr) {
    RETURN_IF_ERROR(Move("x"));
    RETURN_IF_ERROR(CallScript('<'));
  }
  RETURN_IF_ERROR(AwaitWrites(10));
  RETURN_IF_ERROR(CallScript('>'));
  for (int i = 0; i < 5; ++i) RETURN_IF_ERROR(CallScript('x'));
  return store_->Merge("t");
}

// Moves the family to the other of the two groups.
Status WalkScript::Move(const std::string& family) {
  return Alter([&](TableSchema* schema) {
    std::string target = schema->GroupOf(family).name == "g" ? "default" : "g";
    for (auto& group : schema->groups) std::erase(group.families, family);
    schema->FindGroup(target)->families.push_back(family);
  });
}

Status WalkScript::MoveFamily() {
  RETURN_IF_ERROR(Move(random_.OneIn(2) ? "b" : "s"));
  RETURN_IF_ERROR(AwaitWrites(20));
  return store_->CompactMajor("t", random_.OneIn(2) ? "" : "g");
}

Status WalkScript::ExtraTable() {
  if (!store_->GetTable("u").ok()) RETURN_IF_ERROR(CallScript('+'));
  for (char kind : std::string_view("uuu-+uuu")) RETURN_IF_ERROR(CallScript(kind));
  if (random_.OneIn(2)) RETURN_IF_ERROR(store_->Flush("u"));
  return random_.OneIn(2) ? CallScript('-') : OkStatus();
}

Status WalkScript::Merging() {
  auto merged = [this] { return Metric("merging_compactions") + Metric("major_compactions"); };
  uint64_t before = merged();
  while (merged() == before) {
    RETURN_IF_ERROR(AwaitWrites(8));
    RETURN_IF_ERROR(store_->Flush("t"));  // the server merges the flushed runs by itself
  }
  return OkStatus();
}

Status WalkScript::Major() { return store_->CompactMajor("t", ""); }

// A killed earlier life may have left any of these.
Status WalkScript::Backup() {
  if (!store_->HasBackup("b")) RETURN_IF_ERROR(store_->CreateBackup("b", "t"));
  if (!store_->GetTable("v").ok()) RETURN_IF_ERROR(store_->Restore("b", "v"));
  RETURN_IF_ERROR(store_->CompactMajor("v", ""));
  RETURN_IF_ERROR(store_->DropAndKeep("v"));
  RETURN_IF_ERROR(store_->Undelete("v"));
  RETURN_IF_ERROR(store_->Verify("v"));
  RETURN_IF_ERROR(store_->DropTable("v"));
  return store_->DeleteBackup("b");
}

Status WalkScript::SlowSync() {
  uint64_t before = Metric("log_switches");
  ASSIGN_OR_RETURN(FaultRule slow, FaultRule::Parse("delay:100 sync *.log 3"));
  while (Metric("log_switches") == before) {
    faults_->AddRule(slow);
    RETURN_IF_ERROR(AwaitWrites(20));
    faults_->ClearRules();
  }
  return OkStatus();
}

}  // namespace sippar::engine
