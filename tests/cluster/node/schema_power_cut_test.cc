// Power cuts at any named point of a schema change, a flush or a start of a directory: the next
// start has the table and gives the same answers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/node/embedded_node.h"
#include "engine/base/crash_point.h"
#include "engine/base/random.h"
#include "engine/base/thread.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::cluster {
namespace {

constexpr char kDirectory[] = "/db";

class SchemaPowerCut : public testing::Test {
 protected:
  void Open() {
    client_.reset();
    engine::StoreOptions options;
    options.fs = fs_.get();
    options.clock = engine::Clock::System();
    options.create_if_missing = true;
    auto opened = OpenEmbedded(kDirectory, options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    client_ = std::move(*opened);
  }

  std::string ReadAll() {
    auto cells = client_->data()->Read("t", {}, {});
    if (!cells.ok()) return cells.status().ToString();
    std::string text;
    for (; (*cells)->Valid(); (*cells)->Next()) {
      const engine::CellView& cell = (*cells)->cell();
      text.append(cell.row).append("=").append(cell.value).append(" ");
    }
    return (*cells)->status().ok() ? text : (*cells)->status().ToString();
  }

  void Disturb() {
    switch (random_.Uniform(3)) {
      case 0: {
        auto table = client_->admin()->Do(calls::GetTable{"t"});
        ASSERT_TRUE(table.ok()) << table.status();
        TableSchema next = table->schema;
        const bool has = next.FindGroup("g") != nullptr;
        for (auto& group : next.groups) std::erase(group.families, "f");
        if (has) {
          std::erase_if(next.groups, [](const auto& group) { return group.name == "g"; });
          next.FindGroup("default")->families.push_back("f");
        } else {
          next.groups.emplace_back().name = "g";
          next.groups.back().families = {"f"};
        }
        next.Normalize();
        Status status = client_->admin()->Do(calls::AlterTable{next, table->schema_version});
        ASSERT_TRUE(status.ok()) << status;
        break;
      }
      case 1:
        ASSERT_TRUE(client_->admin()->Do(calls::Flush{"t"}).ok());
        break;
      default:
        Open();
    }
  }

  engine::Random random_{1};
  std::unique_ptr<engine::MemoryFileSystem> fs_ = std::make_unique<engine::MemoryFileSystem>();
  std::unique_ptr<Client> client_;
};

// Disks as power losses would leave them. Servers work in the background, and a thread may still
// pass a crash point when it is disarmed.
struct Cuts {
  explicit Cuts(uint64_t seed) : chance(seed) {}
  engine::Mutex mutex;
  bool wanted = true;  // false: the test reads the rest without the mutex
  engine::Random chance;
  std::vector<std::unique_ptr<engine::MemoryFileSystem>> disks;
  std::vector<std::string> points;
};

TEST_F(SchemaPowerCut, TheTableIsThereAfterEachPowerCut) {
  Open();
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"e", engine::FamilyType::kBytes, {}}, {"f", engine::FamilyType::kBytes, {}}};
  schema.Normalize();
  ASSERT_TRUE(client_->admin()->Do(calls::CreateTable{schema, {"m"}}).ok());
  std::string expected;
  for (int step = 0; step < 12; ++step) {
    const std::string row = "row" + std::to_string(100 + step);
    engine::RowMutation mutation(row);
    mutation.Set("f", "q", "v");
    ASSERT_TRUE(client_->data()->Apply("t", mutation).ok());
    expected += row + "=v ";
    auto taken = std::make_shared<Cuts>(random_.Next());
    engine::CrashPoints::Arm([this, taken](const char* name) {
      engine::MutexLock lock(&taken->mutex);
      if (!taken->wanted || (taken->disks.size() >= 8 && !taken->chance.OneIn(4))) return;
      taken->disks.push_back(fs_->CrashClone(&taken->chance));
      taken->points.push_back(name);
    });
    ASSERT_NO_FATAL_FAILURE(Disturb());
    engine::CrashPoints::Arm(nullptr);
    {
      engine::MutexLock lock(&taken->mutex);
      taken->wanted = false;
    }
    for (size_t i = 0; i < taken->disks.size(); ++i) {
      if (!taken->chance.OneIn(3)) continue;
      client_.reset();
      std::swap(fs_, taken->disks[i]);
      ASSERT_NO_FATAL_FAILURE(Open());
      ASSERT_EQ(ReadAll(), expected) << "step " << step << " cut at " << taken->points[i];
      client_.reset();
      std::swap(fs_, taken->disks[i]);
      ASSERT_NO_FATAL_FAILURE(Open());
    }
  }
}

}  // namespace
}  // namespace sippar::cluster
