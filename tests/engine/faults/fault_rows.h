// A store on a memory file system with faults, small enough that a test can break every part of it.
// Tests are named after the rows of README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "engine/base/crash_point.h"
#include "engine/fs/fault_file_system.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {

class FaultRows : public testing::Test {
 protected:
  using RowValues = std::map<std::string, std::string>;

  FaultRows() : fs_(&memory_), clock_(1'000'000'000) {
    options_.fs = &fs_;
    options_.clock = &clock_;
    options_.background = false;
  }
  ~FaultRows() override { CrashPoints::Arm(nullptr); }

  StatusOr<std::unique_ptr<HostedTables>> OpenOn(FileSystem* fs) {
    StoreOptions options = options_;
    options.fs = fs;
    return HostedTables::Open("/db", options);
  }

  void Open() {
    store_.reset();
    auto opened = OpenOn(&fs_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }

  // Creates families a and b, each in a locality group of the same name; tablets are split at
  // `split_keys`.
  void Create(const std::vector<std::string>& split_keys = {}) {
    TableSchema schema;
    schema.name = "t";
    for (const char* name : {"a", "b"}) {
      schema.families.push_back({name, FamilyType::kBytes, {}});
      LocalityGroupSchema& group = schema.groups.emplace_back();
      group.name = name;
      group.families = {name};
      group.block_size = 1024;
      group.compression = Compression::kNone;
    }
    Status status = store_->CreateTable(schema, split_keys);
    ASSERT_TRUE(status.ok()) << status;
  }

  void OpenAndCreate() {
    Open();
    Create();
  }

  static RowMutation RowOf(const std::string& row, const std::string& value) {
    RowMutation mutation(row);
    mutation.Set("a", "q", value, 1).Set("b", "q", value, 1);
    return mutation;
  }

  Status Put(const std::string& row, const std::string& value) {
    RowMutation mutation = RowOf(row, value);
    return store_->Apply("t", {&mutation}).front();
  }

  // Writes the rows r000, r001, ... with the numbers [first, limit); each must be acknowledged.
  void PutRows(int first, int limit, size_t value_size = 10) {
    for (int i = first; i < limit; ++i) {
      Status status = Put(Row(i), Value(i, value_size));
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  static std::string Row(int i) { return fmt::format("r{:03}", i); }
  static std::string Value(int i, size_t size = 10) {
    std::string value = std::to_string(i);
    return value + std::string(size - std::min(size, value.size()), '.');
  }
  static RowValues Expected(int limit, size_t value_size = 10) {
    RowValues rows;
    for (int i = 0; i < limit; ++i) rows[Row(i)] = Value(i, value_size);
    return rows;
  }

  // Returns the value of each row. Returns an error also if the families of a row disagree.
  static StatusOr<RowValues> ReadRows(HostedTables* store) {
    std::map<std::string, RowValues> families;
    ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Tablet>> tablets, store->Tablets("t"));
    for (const auto& tablet : tablets) {
      ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, tablet->Read({}));
      for (; cells->Valid(); cells->Next()) {
        const CellView& cell = cells->cell();
        families[std::string(cell.family)][std::string(cell.row)] = cell.value;
      }
      RETURN_IF_ERROR(cells->status());
    }
    if (families["a"] != families["b"]) return Internal("a row is torn");
    return families["a"];
  }

  RowValues Rows(HostedTables* store = nullptr) {
    auto rows = ReadRows(store == nullptr ? store_.get() : store);
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.ok() ? *rows : RowValues();
  }

  Status ReadStatus(const std::string& row, const std::string& family) {
    ReadSpec read;
    read.rows = RowSet(RowRange::Single(row));
    read.columns = {ColumnPattern::Exact(family, "q")};
    auto tablet = store_->FindTablet("t", row);
    RETURN_IF_ERROR(tablet.status());
    auto cells = (*tablet)->Read(read);
    RETURN_IF_ERROR(cells.status());
    EXPECT_EQ((*cells)->Valid(), (*cells)->status().ok()) << row;
    return (*cells)->status();
  }

  static std::vector<GroupStats> Stats(HostedTables* store) {
    std::vector<GroupStats> all;
    auto tablets = store->Tablets("t");
    EXPECT_TRUE(tablets.ok()) << tablets.status();
    for (const auto& tablet : *tablets) {
      for (GroupStats& group : tablet->Stats()) all.push_back(std::move(group));
    }
    return all;
  }
  static size_t NamedFiles(HostedTables* store) {
    size_t named = 0;
    for (const GroupStats& group : Stats(store)) named += group.sstables;
    return named;
  }

  void Fault(const std::string& text) {
    auto rule = FaultRule::Parse(text);
    ASSERT_TRUE(rule.ok()) << rule.status();
    fs_.AddRule(*rule);
  }

  static std::vector<std::string> FilesOf(const MemoryFileSystem& fs, const std::string& glob) {
    std::vector<std::string> paths = fs.AllFiles();
    std::erase_if(paths, [&](const std::string& path) { return !GlobMatches(glob, path); });
    return paths;
  }
  std::vector<std::string> Files(const std::string& glob) const { return FilesOf(memory_, glob); }

  // The disk as a power loss now leaves it: all synced data, and a random part of newer data.
  std::unique_ptr<MemoryFileSystem> Disk() const {
    Random random(1);
    return memory_.CrashClone(&random);
  }

  MemoryFileSystem memory_;
  FaultFileSystem fs_;
  ManualClock clock_;
  StoreOptions options_;
  std::unique_ptr<HostedTables> store_;
};

}  // namespace sippar::engine
