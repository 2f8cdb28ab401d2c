// A model of the lock service on a std::map: the result and the effect of each call, from the
// contract alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster {

class LockModel {
 public:
  struct Session {
    int64_t timeout_us = 0;
    int64_t over_at_us = 0;
    bool alive = true;
  };

  void Begin(uint64_t id, int64_t timeout_us, int64_t now_us) {
    sessions_[id] = {timeout_us, now_us + timeout_us, true};
  }
  void Pass(int64_t now_us) {
    for (auto& [id, session] : sessions_) {
      if (session.alive && session.timeout_us > 0 && session.over_at_us <= now_us) End(id);
    }
  }
  void End(uint64_t id) {
    sessions_[id].alive = false;
    std::erase_if(files_, [id](const auto& entry) {
      return entry.second.ephemeral && entry.second.holder == id;
    });
    for (auto& [path, file] : files_) {
      if (file.holder == id) file.holder = file.fence = 0;
    }
  }
  void EndAll() {
    for (auto& [id, session] : sessions_) End(id);
  }
  bool Alive(uint64_t id) const { return sessions_.at(id).alive; }
  bool TimesOut(uint64_t id) const { return sessions_.at(id).timeout_us > 0; }
  StatusCode Heartbeat(uint64_t id, int64_t now_us) {
    if (!Alive(id)) return StatusCode::kFailedPrecondition;
    sessions_[id].over_at_us = now_us + sessions_[id].timeout_us;
    return StatusCode::kOk;
  }
  // `fence`: the fence that the service returned, 0 if it rejected the call.
  StatusCode Create(uint64_t id, const std::string& path, const std::string& content,
                    LockFileKind kind, uint64_t fence) {
    if (!Alive(id)) return StatusCode::kFailedPrecondition;
    if (files_.contains(path)) return StatusCode::kAlreadyExists;
    bool held = kind != LockFileKind::kLasting;
    files_[path] = {content, 1, kind == LockFileKind::kEphemeral, held ? id : 0, fence};
    return StatusCode::kOk;
  }
  StatusCode Write(uint64_t id, const std::string& path, const std::string& content,
                   uint64_t version) {
    StatusCode code = Check(id, path, version);
    if (code != StatusCode::kOk) return code;
    files_[path].content = content;
    ++files_[path].version;
    return StatusCode::kOk;
  }
  StatusCode Remove(uint64_t id, const std::string& path, uint64_t version) {
    StatusCode code = Check(id, path, version);
    if (code == StatusCode::kOk) files_.erase(path);
    return code;
  }
  StatusCode Acquire(uint64_t id, const std::string& path, uint64_t fence) {
    if (!Alive(id)) return StatusCode::kFailedPrecondition;
    if (!files_.contains(path)) return StatusCode::kNotFound;
    LockFile& file = files_[path];
    if (file.holder != 0 && file.holder != id) return StatusCode::kAlreadyExists;
    file.holder = id;
    file.fence = fence;
    return StatusCode::kOk;
  }
  StatusCode Release(uint64_t id, const std::string& path) {
    if (!Alive(id)) return StatusCode::kFailedPrecondition;
    if (!files_.contains(path)) return StatusCode::kNotFound;
    LockFile& file = files_[path];
    if (file.ephemeral) return StatusCode::kInvalidArgument;
    if (file.holder != id) return StatusCode::kAborted;
    file.holder = file.fence = 0;
    return StatusCode::kOk;
  }
  const LockFile* Find(const std::string& path) const {
    auto found = files_.find(path);
    return found == files_.end() ? nullptr : &found->second;
  }
  std::vector<std::string> List(const std::string& directory) const {
    std::vector<std::string> names;
    for (const auto& [path, file] : files_) {
      if (path.starts_with(directory + "/")) names.push_back(path.substr(directory.size() + 1));
    }
    return names;
  }

 private:
  StatusCode Check(uint64_t id, const std::string& path, uint64_t version) const {
    if (!Alive(id)) return StatusCode::kFailedPrecondition;
    const LockFile* file = Find(path);
    if (file == nullptr) return StatusCode::kNotFound;
    return file->version == version ? StatusCode::kOk : StatusCode::kAborted;
  }

  std::map<std::string, LockFile> files_;
  std::map<uint64_t, Session> sessions_;
};

}  // namespace sippar::cluster
