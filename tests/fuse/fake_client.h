// A client on std::map for tests of the mounted tree: no engine, no disk. Reads answer as
// read_spec.h says, for the parts of it that the tree uses; faults and calls are countable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/client/client.h"

namespace sippar::fuse {

class FakeClient final : public cluster::Client, cluster::DataApi, cluster::AdminApi {
 public:
  FakeClient();

  // --- What a test sets up ---
  void AddTable(const std::string& name, const std::vector<std::string>& families);
  void AddFamily(const std::string& table, const std::string& family);
  // A later Set of the same version replaces it with a higher sequence.
  void Set(const std::string& table, std::string_view row, std::string_view family,
           std::string_view qualifier, int64_t timestamp_us, std::string_view value);
  void DeleteColumn(const std::string& table, const std::string& row, const std::string& family,
                    const std::string& qualifier);
  void DeleteRow(const std::string& table, const std::string& row);
  // Begins to keep the changes of a table, which is one partition.
  void KeepChanges(const std::string& table);
  // Streams of changes end with this status from now on; OK: they go on.
  void FailChanges(Status status) { *changes_failure_ = std::move(status); }
  // The next read fails; `after_cells` >= 0: only behind that many cells.
  void FailNextRead(Status status, int64_t after_cells = -1);
  // Calls for the totals of this table fail from now on; they drop it first if `drops` is set.
  void FailStats(const std::string& table, Status status, bool drops) {
    stats_failures_[table] = {std::move(status), drops};
  }
  // Answers like a server of an earlier version, which does not know ReadSpec::value_part.
  void GiveWholeValues() { gives_whole_values_ = true; }
  uint64_t reads() const { return reads_; }
  uint64_t value_bytes_given() const { return value_bytes_given_; }  // by all reads, also unread
  uint64_t cells_taken() const { return *cells_taken_; }  // from the streams of all reads
  engine::ManualClock* manual_clock() { return &clock_; }

  // --- cluster::Client ---
  cluster::DataApi* data() override { return this; }
  cluster::AdminApi* admin() override { return this; }
  engine::Clock* clock() override { return &clock_; }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }

 private:
  static Status Unfaked() { return Unimplemented("the fake client only reads"); }

  using Changes = std::vector<cluster::Change>;

  struct Version {
    uint64_t sequence = 0;
    std::string value;
  };
  using ColumnKey = std::tuple<std::string, std::string, std::string>;
  using Versions = std::map<int64_t, Version, std::greater<>>;
  struct Table {
    cluster::TableInfo info;
    std::map<ColumnKey, Versions> columns;
    std::shared_ptr<Changes> changes = std::make_shared<Changes>();
  };
  void NoteChange(const std::string& table, engine::RowMutation mutation);

  StatusOr<std::unique_ptr<cluster::CellStream>> Read(const std::string& table,
                                                      const cluster::ReadSpec& read,
                                                      const cluster::CallOptions& options) override;
  StatusOr<std::unique_ptr<cluster::ChangeStream>> ReadChanges(
      const std::string& table, const cluster::ChangesRequest& request,
      const cluster::CallOptions& options) override;
  Status Run(const std::string& table, const cluster::RowRange& tablet_range,
             const engine::Program& program, const cluster::CallOptions& options,
             engine::ProgramSink* sink) override;
  void Carry(const cluster::DataApi::AnyCall& call, const cluster::CallOptions&) override {
    cluster::AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }
  void Carry(const cluster::AdminApi::AnyCall& call, const cluster::CallOptions&) override {
    cluster::AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }
  StatusOr<std::vector<cluster::TabletInfo>> Perform(const cluster::calls::ListTablets& asked);
  StatusOr<std::vector<cluster::RowRange>> Perform(const cluster::calls::TabletRanges& asked);
  StatusOr<cluster::TableInfo> Perform(const cluster::calls::GetTable& asked);
  StatusOr<std::vector<cluster::TableInfo>> Perform(const cluster::calls::ListTables&);
  StatusOr<std::vector<cluster::GroupStats>> Perform(const cluster::calls::Stats& asked);
  template <class Call>
  Status Perform(const Call&) {
    return Unfaked();
  }

  std::string target_ = "fake";
  engine::ManualClock clock_{1'000'000'000'000'000};
  std::map<std::string, Table> tables_;
  uint64_t next_table_id_ = 1;
  uint64_t next_sequence_ = 1;
  uint64_t reads_ = 0;
  uint64_t value_bytes_given_ = 0;
  const std::shared_ptr<uint64_t> cells_taken_ = std::make_shared<uint64_t>(0);
  bool gives_whole_values_ = false;
  const std::shared_ptr<Status> changes_failure_ = std::make_shared<Status>();
  Status next_failure_;
  int64_t failure_after_ = -1;
  std::map<std::string, std::pair<Status, bool>> stats_failures_;
};

}  // namespace sippar::fuse
