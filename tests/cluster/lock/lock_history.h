// LockHistory: a random history of changes to lasting files, for tests with faults. `may_be` holds
// the contents that are allowed: during a change those before and after it, then those that its
// answer allows. An acknowledged change must be visible, a rejected one must not, and numbers never
// repeat.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {

class LockHistory {
 public:
  using Contents = std::map<std::string, std::string>;  // "version content" by path

  static const std::vector<std::string>& Paths() {
    static const std::vector<std::string> paths = {"master", "root", "servers/a.1", "tables/1"};
    return paths;
  }

  // `loses_answers`: a change without an answer may have been made; otherwise it was not made.
  explicit LockHistory(uint64_t seed, bool loses_answers = false)
      : loses_answers_(loses_answers), random_(seed) {}

  void Change(LockSession* session) {
    std::string path = Paths()[random_.Uniform(Paths().size())];
    auto before = ReadUntilAnswered(session, path);
    Contents old = Read(session);
    Contents after = old;
    std::function<Status()> call = Draw(session, path, before, &after);
    bool is_lasting = after != old;
    if (is_lasting) may_be_.push_back(after);
    Status status = call();
    if (!status.ok()) EXPECT_TRUE(Acceptable(status)) << status;
    if (is_lasting && status.ok()) may_be_ = {after};
    if (is_lasting && status.code() == StatusCode::kResourceExhausted) may_be_.pop_back();
    if (status.ok()) ++changed_;
    Contents now = Read(session);
    if (loses_answers_ && !status.ok()) {
      EXPECT_TRUE(now == old || now == after) << "found:" << Print(now);
      // The content that this session has now read stays: a late request is not carried out any
      // more.
      may_be_ = {now};
    } else {
      EXPECT_EQ(now, status.ok() ? after : old) << "visible is what was acknowledged";
    }
    for (const std::string& each : Paths()) {
      auto file = session->Read(each);
      if (file.ok() && file->fence != 0) Gave(file->fence);
    }
    auto epoch = session->NextEpoch();
    if (epoch.ok()) Gave(*epoch);
  }

  // Checks with a session that was opened later: its contents are allowed, and its number is above
  // all earlier ones.
  void CheckLeft(LockSession* session) const {
    EXPECT_GT(session->id(), last_number_);
    Contents found = Read(session);
    EXPECT_TRUE(std::find(may_be_.begin(), may_be_.end(), found) != may_be_.end())
        << "found:" << Print(found) << "\nallowed first:" << Print(may_be_.front());
  }
  void Gave(uint64_t number) { last_number_ = std::max(last_number_, number); }
  int changed() const { return changed_; }

  static bool Acceptable(const Status& status) {
    return status.code() == StatusCode::kUnavailable ||
           status.code() == StatusCode::kResourceExhausted;
  }

 private:
  // Draws a call. Changes `after` to the contents that the call leaves if it succeeds.
  std::function<Status()> Draw(LockSession* session, const std::string& path,
                               const StatusOr<LockFile>& before, Contents* after) {
    if (!before.ok()) {
      bool locked = random_.OneIn(2);
      std::string content = fmt::format("{}", random_.Next());
      (*after)[path] = "1 " + content;
      return [=] {
        return session
            ->Create(path, content, locked ? LockFileKind::kLocked : LockFileKind::kLasting)
            .status();
      };
    }
    uint64_t version = before->version;
    if (random_.OneIn(4)) {
      after->erase(path);
      return [=] { return session->Remove(path, version); };
    }
    if (random_.OneIn(3)) return [=] { return session->Acquire(path).status(); };
    std::string content(random_.Uniform(2'000), 'x');
    (*after)[path] = fmt::format("{} {}", version + 1, content);
    return [=] { return session->Write(path, content, version).status(); };
  }

  // Returns the answer of `ask()`, which it repeats while the answer is missing.
  template <typename Ask>
  auto UntilAnswered(const Ask& ask) const {
    auto answer = ask();
    for (int tries = 0;
         loses_answers_ && tries < 30 && answer.status().code() == StatusCode::kUnavailable;
         ++tries) {
      answer = ask();
    }
    return answer;
  }
  StatusOr<LockFile> ReadUntilAnswered(LockSession* session, const std::string& path) const {
    auto file = UntilAnswered([&] { return session->Read(path); });
    EXPECT_TRUE(file.ok() || file.status().code() == StatusCode::kNotFound) << file.status();
    return file;
  }
  Contents Read(LockSession* session) const {
    Contents contents;
    for (const std::string& path : Paths()) {
      auto file = ReadUntilAnswered(session, path);
      if (file.ok()) contents[path] = fmt::format("{} {}", file->version, file->content);
    }
    for (const std::string directory : {"servers", "tables"}) {
      auto files = UntilAnswered([&] { return session->ReadDirectory(directory); });
      EXPECT_OK(files);
      Contents below;
      for (const auto& [path, content] : contents) {
        if (path.starts_with(directory + "/")) below[path] = content;
      }
      if (files.ok()) EXPECT_EQ(ContentsIn(directory, *files), below);
    }
    return contents;
  }
  static Contents ContentsIn(const std::string& directory,
                             const std::vector<NamedLockFile>& files) {
    Contents contents;
    for (const auto& [name, file] : files) {
      contents[directory + "/" + name] = fmt::format("{} {}", file.version, file.content);
    }
    return contents;
  }
  static std::string Print(const Contents& contents) {
    std::string text;
    for (const auto& [path, content] : contents) {
      text += fmt::format(" {}=({})", path, content.substr(0, 30));
    }
    return text;
  }

  const bool loses_answers_;
  engine::Random random_;
  std::vector<Contents> may_be_ = {{}};
  uint64_t last_number_ = 0;
  int changed_ = 0;
};

}  // namespace sippar::cluster
