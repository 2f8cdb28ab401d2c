// Changes over a read-only file system: visible in the overlay, but never made in the base.
// SPDX-License-Identifier: Apache-2.0
#include "engine/fs/overlay_file_system.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/base/random.h"
#include "engine/fs/fault_file_system.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kCapacity = 1 << 20;

Status WriteNew(FileSystem* fs, const std::string& path, std::string_view content) {
  ASSIGN_OR_RETURN(auto file, fs->Create(path));
  RETURN_IF_ERROR(file->Append(content));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

// Prints every name below `path` with its content, in order.
std::string Show(FileSystem* fs, const std::string& path) {
  std::string text;
  auto names = fs->List(path);
  EXPECT_TRUE(names.ok()) << names.status();
  for (const std::string& name : *names) {
    const std::string below = path + "/" + name;
    auto content = ReadFile(fs, below);
    text += content.ok() ? below + "=" + *content + "\n" : below + "/\n" + Show(fs, below);
    if (content.ok()) EXPECT_EQ(*fs->FileSize(below), content->size());
    EXPECT_TRUE(*fs->Exists(below));
  }
  return text;
}

void FillSmallTree(FileSystem* fs) {
  for (const char* directory : {"/db", "/db/a", "/db/b", "/db/a/d"}) {
    ASSERT_TRUE(fs->CreateDir(directory).ok());
  }
  for (const char* file : {"/db/f", "/db/a/f", "/db/a/g", "/db/a/d/h", "/db/b/f"}) {
    ASSERT_TRUE(WriteNew(fs, file, std::string("old ") + file).ok());
  }
}

// Makes one random change, the same on both file systems. Uses only what the contract of
// file_system.h covers.
Status ChangeOnce(FileSystem* fs, Random* random, uint64_t number) {
  static constexpr std::array kDirectories = {"/db", "/db/a", "/db/b", "/db/a/d", "/db/c"};
  static constexpr std::array kNames = {"/f", "/g", "/h", "/i"};
  const std::string directory = kDirectories[random->Uniform(kDirectories.size())];
  const std::string source = directory + kNames[random->Uniform(kNames.size())];
  const std::string target = directory + kNames[random->Uniform(kNames.size())];
  const std::string other = kDirectories[1 + random->Uniform(kDirectories.size() - 1)];
  switch (random->Uniform(8)) {
    case 0:
      return WriteNew(fs, source, std::to_string(number));
    case 1:
      return source == target ? OkStatus() : fs->Rename(source, target);
    case 2:
      return fs->RenameNew(source, target);
    case 3:
      return fs->Link(source, other + kNames[random->Uniform(kNames.size())]);
    case 4:
      return fs->Remove(source);
    case 5:
      return fs->CreateDir(other);
    case 6:
      return fs->RemoveDir(other);
    default: {  // renames a directory with its contents to a free name
      if (other == "/db/a/d") return OkStatus();
      bool is_moved = *fs->Exists("/db/e");
      if (is_moved && *fs->Exists(other)) return OkStatus();
      return is_moved ? fs->Rename("/db/e", other) : fs->Rename(other, "/db/e");
    }
  }
}

TEST(OverlayFileSystem, LooksAsIfChangesWereMade) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    MemoryFileSystem lower;
    MemoryFileSystem twin;
    FillSmallTree(&lower);
    FillSmallTree(&twin);
    const std::string before = Show(&lower, "/db");
    {
      FaultFileSystem denied(&lower);
      for (const char* what : {"create", "write", "rename", "link", "remove", "mkdir"}) {
        denied.AddRule(*FaultRule::Parse(std::string("deny ") + what + " * 1+"));
      }
      OverlayFileSystem overlay(&denied, kCapacity);
      Random random(seed);
      Random again(seed);
      for (uint64_t i = 0; i < 150; ++i) {
        Status done = ChangeOnce(&overlay, &random, i);
        Status wanted = ChangeOnce(&twin, &again, i);
        ASSERT_EQ(done.ok(), wanted.ok())
            << "seed " << seed << " change " << i << ": " << done << "; expected " << wanted;
        ASSERT_EQ(Show(&overlay, "/db"), Show(&twin, "/db")) << "seed " << seed << " change " << i;
      }
    }
    ASSERT_EQ(Show(&lower, "/db"), before) << "seed " << seed;
  }
}

TEST(OverlayFileSystem, TakesNoMoreThanItMay) {
  MemoryFileSystem lower;
  OverlayFileSystem overlay(&lower, 100);
  ASSERT_TRUE(WriteNew(&overlay, "/a", std::string(90, 'x')).ok());
  EXPECT_EQ(WriteNew(&overlay, "/b", std::string(20, 'x')).code(), StatusCode::kResourceExhausted);
  ASSERT_TRUE(overlay.Remove("/a").ok());
  EXPECT_TRUE(WriteNew(&overlay, "/c", std::string(80, 'x')).ok()) << "room is given back";
}

TEST(OverlayFileSystem, FromTheRefusalOnNothingChanges) {
  MemoryFileSystem lower;
  ASSERT_TRUE(lower.CreateDir("/db").ok());
  ASSERT_TRUE(WriteNew(&lower, "/db/a", "old").ok());
  OverlayFileSystem overlay(&lower, kCapacity);
  auto begun = overlay.Create("/db/log");
  ASSERT_TRUE(begun.ok() && (*begun)->Append("12").ok());
  overlay.Refuse(PermissionDenied("read-only"));
  EXPECT_FALSE(overlay.has_refused());
  const std::string before = Show(&overlay, "/db");
  EXPECT_FALSE(overlay.has_refused()) << "reading asks for nothing";
  std::vector<Status> answers = {(*begun)->Append("3"),
                                 WriteNew(&overlay, "/db/b", "x"),
                                 overlay.Rename("/db/a", "/db/b"),
                                 overlay.RenameNew("/db/a", "/db/b"),
                                 overlay.Link("/db/a", "/db/b"),
                                 overlay.Remove("/db/a"),
                                 overlay.RemoveDir("/db"),
                                 overlay.CreateDir("/new")};
  for (size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].code(), StatusCode::kPermissionDenied) << i;
  }
  EXPECT_TRUE(overlay.has_refused());
  EXPECT_EQ(Show(&overlay, "/db"), before);
  EXPECT_TRUE((*begun)->Close().ok());
}

TEST(OverlayFileSystem, LocksWhatIsThereAmongProcesses) {
  MemoryFileSystem lower;
  ASSERT_TRUE(lower.CreateDir("/db").ok());
  ASSERT_TRUE(WriteNew(&lower, "/db/LOCK", "").ok());
  OverlayFileSystem overlay(&lower, kCapacity);
  {
    auto other = lower.Lock("/db/LOCK", "other");
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(overlay.Lock("/db/LOCK", "me").status().code(), StatusCode::kUnavailable);
  }
  auto mine = overlay.Lock("/db/LOCK", "me");
  ASSERT_TRUE(mine.ok()) << mine.status();
  EXPECT_EQ(lower.Lock("/db/LOCK", "other").status().code(), StatusCode::kUnavailable);
  auto fresh = overlay.Lock("/db/OWNER", "me");
  ASSERT_TRUE(fresh.ok()) << fresh.status();
  EXPECT_EQ(overlay.Lock("/db/OWNER", "me").status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(*lower.Exists("/db/OWNER"));
}

}  // namespace
}  // namespace sippar::engine
