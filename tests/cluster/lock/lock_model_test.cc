// Random calls from several sessions, while time passes, sessions end and the process restarts:
// every answer and every state equals the model's.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "engine/base/random.h"
#include "tests/cluster/lock/contract_world.h"
#include "tests/cluster/lock/lock_model.h"

namespace sippar::cluster {
namespace {

const std::vector<std::string> kPaths = {"master",      "root",     "servers/a.1",
                                         "servers/b.2", "tables/1", "tables/2"};

class RandomCalls {
 public:
  RandomCalls(uint64_t seed, ContractWorld* world) : random_(seed), world_(*world) {}

  void Run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      SCOPED_TRACE(fmt::format("step {}", step));
      model_.Pass(world_.clock->NowMicros());
      Step();
      if (step % 16 == 0) CompareAll();
    }
    EXPECT_GT(acquisitions_, steps / 100) << "the history has too few locks to show anything";
  }

 private:
  void Step() {
    if (sessions_.size() < 2 || random_.OneIn(40)) return Begin();
    auto& session = sessions_[random_.Uniform(sessions_.size())];
    switch (random_.Uniform(12)) {
      case 0:
        return world_.Pass(static_cast<int64_t>(random_.Uniform(4)) * kSecond);
      case 1:
      case 2:
        EXPECT_CODE(session->Heartbeat(),
                    model_.Heartbeat(session->id(), world_.clock->NowMicros()));
        return;
      case 3:
        if (random_.OneIn(20)) return Restart();
        if (random_.OneIn(8)) End(&session);
        return;
      case 4: {
        auto epoch = session->NextEpoch();
        if (epoch.ok()) Rise(*epoch);
        EXPECT_EQ(epoch.ok(), model_.Alive(session->id()));
        return;
      }
      default:
        OnePath(session.get(), kPaths[random_.Uniform(kPaths.size())]);
    }
  }

  void OnePath(LockSession* session, const std::string& path) {
    uint64_t id = session->id();
    const LockFile* file = model_.Find(path);
    uint64_t version = file == nullptr || random_.OneIn(4) ? random_.Uniform(4) : file->version;
    std::string content = fmt::format("{}", random_.Next());
    switch (random_.Uniform(6)) {
      case 0: {
        auto kind = static_cast<LockFileKind>(random_.Uniform(3));
        auto fence = session->Create(path, content, kind);
        EXPECT_CODE(fence, model_.Create(id, path, content, kind, fence.value_or(0)));
        if (fence.ok() && kind != LockFileKind::kLasting) Rise(*fence);
        return;
      }
      case 1: {
        auto written = session->Write(path, content, version);
        EXPECT_CODE(written, model_.Write(id, path, content, version));
        if (written.ok()) EXPECT_EQ(*written, version + 1);
        return;
      }
      case 2:
        if (random_.OneIn(3)) {
          EXPECT_CODE(session->Remove(path, version), model_.Remove(id, path, version));
        }
        return;
      case 3: {
        bool mine = file != nullptr && file->holder == id;
        auto fence = session->Acquire(path);
        EXPECT_CODE(fence, model_.Acquire(id, path, fence.value_or(0)));
        if (fence.ok() && !mine) Rise(*fence);
        return;
      }
      case 4:
        EXPECT_CODE(session->Release(path), model_.Release(id, path));
        return;
      default:
        if (random_.OneIn(2)) return CompareDirectory(session, path.substr(0, path.find('/')));
        Compare(session, path);
    }
  }

  void Begin() {
    int64_t timeout_us = static_cast<int64_t>(random_.Uniform(4)) * 3 * kSecond;
    sessions_.push_back(world_.Session("s", timeout_us));
    Rise(sessions_.back()->id());
    model_.Begin(sessions_.back()->id(), timeout_us, world_.clock->NowMicros());
  }
  void End(std::shared_ptr<LockSession>* session) {
    uint64_t id = (*session)->id();
    if (random_.OneIn(2))
      EXPECT_OK((*session)->Close());
    else if (model_.TimesOut(id))
      id = 0;  // dropped without Close, as in a crash
    if (id != 0) model_.End(id);
    sessions_.erase(sessions_.begin() + (session - sessions_.data()));
  }
  void Restart() {
    sessions_.clear();
    model_.EndAll();
    world_.Restart();
  }
  // Sessions, fences and epochs take their numbers from one counter.
  void Rise(uint64_t number) {
    EXPECT_GT(number, last_number_);
    last_number_ = number;
    ++acquisitions_;
  }

  void Compare(LockSession* session, const std::string& path) {
    auto read = session->Read(path);
    const LockFile* file = model_.Find(path);
    if (!model_.Alive(session->id())) {
      EXPECT_CODE(read, StatusCode::kFailedPrecondition);
    } else if (file == nullptr) {
      EXPECT_CODE(read, StatusCode::kNotFound);
    } else {
      ASSERT_TRUE(read.ok()) << path << " " << read.status();
      CompareFile(*read, *file, path);
    }
  }
  void CompareDirectory(LockSession* session, const std::string& directory) {
    const std::vector<std::string> names = model_.List(directory);
    std::set<std::string> except;
    if (!names.empty() && random_.OneIn(3)) except.insert(names[random_.Uniform(names.size())]);
    auto read = session->ReadDirectory(directory, except);
    if (!model_.Alive(session->id())) {
      EXPECT_CODE(read, StatusCode::kFailedPrecondition);
      return;
    }
    ASSERT_TRUE(read.ok()) << directory << " " << read.status();
    auto found = read->begin();
    for (const std::string& name : names) {
      if (except.contains(name)) continue;
      ASSERT_TRUE(found != read->end() && found->name == name) << directory << "/" << name;
      const std::string path = directory + "/" + name;
      CompareFile(found++->file, *model_.Find(path), path);
    }
    EXPECT_TRUE(found == read->end()) << directory << "/" << found->name;
  }
  static void CompareFile(const LockFile& found, const LockFile& file, const std::string& path) {
    EXPECT_EQ(found.content, file.content) << path;
    EXPECT_EQ(found.version, file.version) << path;
    EXPECT_EQ(found.ephemeral, file.ephemeral) << path;
    EXPECT_EQ(found.holder, file.holder) << path;
    EXPECT_EQ(found.fence, file.fence) << path;
  }
  void CompareAll() {
    model_.Pass(world_.clock->NowMicros());
    auto reader = world_.Session("reader", 0);
    Rise(reader->id());
    model_.Begin(reader->id(), 0, 0);
    for (const std::string& path : kPaths) Compare(reader.get(), path);
    for (const char* directory : {"servers", "tables"}) {
      EXPECT_EQ(reader->List(directory).value(), model_.List(directory));
      CompareDirectory(reader.get(), directory);
    }
  }

  engine::Random random_;
  ContractWorld& world_;
  LockModel model_;
  std::vector<std::shared_ptr<LockSession>> sessions_;
  uint64_t last_number_ = 0;
  int acquisitions_ = 0;
};

TEST(LockModel, RandomCallsAnswerAsTheModel) {
  for (uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    auto fresh = NewContractWorld();
    RandomCalls(seed, fresh.get()).Run(2'000 / fresh->slowness());
  }
}

}  // namespace
}  // namespace sippar::cluster
