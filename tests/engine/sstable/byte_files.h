// A file system whose files are strings that a test may inspect and change: for damage, truncation
// and golden bytes. It supports only the calls that SSTables need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/fs/file_system.h"

namespace sippar::engine {

class ByteFiles final : public FileSystem {
 public:
  std::map<std::string, std::string> files;
  std::atomic<size_t> reads{0};
  bool fail_appends = false;

  StatusOr<std::unique_ptr<AppendFile>> Create(const std::string& path) override {
    if (!files.try_emplace(path).second) return AlreadyExists(path);
    return std::make_unique<Appender>(this, path);
  }
  StatusOr<std::unique_ptr<RandomFile>> OpenRandom(const std::string& path) override {
    if (!files.contains(path)) return NotFound(path);
    return std::make_unique<Random>(this, path);
  }
  Status Rename(const std::string& source, const std::string& target) override {
    auto moved = files.extract(source);
    if (moved.empty()) return NotFound(source);
    files.erase(target);
    moved.key() = target;
    files.insert(std::move(moved));
    return OkStatus();
  }
  Status RenameNew(const std::string& source, const std::string& target) override {
    return files.contains(target) ? AlreadyExists(target) : Rename(source, target);
  }
  Status Link(const std::string&, const std::string&) override { return Unimplemented("link"); }
  Status Remove(const std::string& path) override {
    return files.erase(path) == 1 ? OkStatus() : NotFound(path);
  }
  Status RemoveDir(const std::string&) override { return Unimplemented("rmdir"); }
  Status CreateDir(const std::string&) override { return Unimplemented("mkdir"); }
  Status SyncDir(const std::string&) override { return OkStatus(); }
  Status SyncFile(const std::string&) override { return OkStatus(); }
  StatusOr<std::vector<std::string>> List(const std::string&) override {
    return Unimplemented("list");
  }
  StatusOr<bool> Exists(const std::string& path) override { return files.contains(path); }
  StatusOr<uint64_t> FileSize(const std::string& path) override { return files.at(path).size(); }
  StatusOr<std::unique_ptr<FileLock>> Lock(const std::string&, const std::string&) override {
    return Unimplemented("lock");
  }
  std::string Identity() override { return ""; }
  Status Fence(const std::string&, const std::string&) override { return Unimplemented("fence"); }
  StatusOr<std::string> Kind(const std::string&) override { return std::string("other"); }

 private:
  class Appender final : public AppendFile {
   public:
    Appender(ByteFiles* fs, std::string path) : fs_(fs), path_(std::move(path)) {}
    Status Append(std::string_view bytes) override {
      if (fs_->fail_appends) return DiskFull("append: " + path_ + ": disk full");
      fs_->files[path_].append(bytes);
      return OkStatus();
    }
    Status Sync() override { return OkStatus(); }
    Status Close() override { return OkStatus(); }
    uint64_t size() const override { return fs_->files.at(path_).size(); }

   private:
    ByteFiles* fs_;
    std::string path_;
  };
  class Random final : public RandomFile {
   public:
    Random(ByteFiles* fs, std::string path) : fs_(fs), path_(std::move(path)) {}
    Status Read(uint64_t offset, size_t size, std::string* out) const override {
      const std::string& bytes = fs_->files.at(path_);
      ++fs_->reads;
      if (offset > bytes.size() || size > bytes.size() - offset) return DataLoss(path_ + ": short");
      out->assign(bytes, offset, size);
      return OkStatus();
    }
    uint64_t size() const override { return fs_->files.at(path_).size(); }

   private:
    ByteFiles* fs_;
    std::string path_;
  };
};

}  // namespace sippar::engine
