// Sippar in the comparison, opened as any process opens a directory: one table, one family that
// keeps one version, one column a row. The server sets the timestamps, so each overwrite makes a
// new version and turns the old one into garbage.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/embedded_node.h"
#include "engine/fs/file_system.h"
#include "tests/bench/peers/peer.h"

namespace sippar::bench {
namespace {

constexpr const char* kTable = "bench";

void Check(const Status& status) {
  if (!status.ok()) Fail("sippar", MessageOf(status));
}

template <typename T>
T Take(StatusOr<T> result) {
  Check(result.status());
  return std::move(*result);
}

class CountSink final : public engine::ProgramSink {
 public:
  bool Emit(engine::ProgramBatch batch) override {
    for (const engine::Row& row : batch.rows) count_ += static_cast<uint64_t>(row[0].integer());
    return true;
  }
  uint64_t count() const { return count_; }

 private:
  uint64_t count_ = 0;
};

class SipparPeer final : public Peer {
 public:
  explicit SipparPeer(const PeerSettings& settings) : fs_(engine::NewPosixFileSystem()) {
    engine::StoreOptions options;
    options.fs = fs_.get();
    options.clock = engine::Clock::System();
    options.create_if_missing = true;
    options.sync_writes = settings.sync;
    options.memtable_size = settings.memtable_bytes;
    options.memtable_budget = 4 * settings.memtable_bytes;
    options.block_cache_size = settings.cache_bytes;
    options.memory_limit = 0;
    client_ = Take(cluster::OpenEmbedded(settings.directory, options));
    engine::TableSchema schema;
    schema.name = kTable;
    engine::FamilySchema& family = schema.families.emplace_back();
    family.name = "f";
    family.gc = engine::GcPolicy::MaxVersions(1);
    engine::LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = engine::kDefaultGroup;
    group.families = {"f"};
    group.bloom = engine::BloomKind::kRowColumn;
    if (!settings.compress) {
      group.compression = engine::Compression::kNone;
      group.dictionary = false;
    }
    Check(client_->admin()->Do(cluster::calls::CreateTable{schema, {}}));
  }
  ~SipparPeer() override { Check(client_->Close()); }

  void Put(std::string_view key, std::string_view value) override {
    engine::RowMutation mutation(key);
    mutation.Set("f", "q", value);
    Check(client_->data()->Apply(kTable, mutation));
  }

  bool Get(std::string_view key, size_t* value_size) override {
    engine::ReadSpec read;
    read.rows = engine::RowSet(engine::RowRange::Single(key));
    return ReadOne(read, value_size);
  }

  bool GetAbsentColumn(std::string_view key) override {
    engine::ReadSpec read;
    read.rows = engine::RowSet(engine::RowRange::Single(key));
    read.columns = {engine::ColumnPattern::Exact("f", "absent")};
    size_t size = 0;
    return ReadOne(read, &size);
  }

  uint64_t Iterate(uint64_t* value_bytes) override {
    uint64_t count = 0;
    std::unique_ptr<engine::CellStream> cells = Take(client_->data()->Read(kTable, {}, {}));
    for (; cells->Valid(); cells->Next(), ++count) *value_bytes += cells->cell().value.size();
    Check(cells->status());
    return count;
  }

  uint64_t CountRows() override {
    engine::Program program;
    program.read.keys_only = true;
    program.aggregate = true;
    program.aggregates.emplace_back().kind = engine::AggregateDef::kCountRows;
    CountSink sink;
    for (const engine::RowRange& tablet : Take(client_->data()->TabletRanges(kTable))) {
      Check(client_->data()->Run(kTable, tablet, program, {}, &sink));
    }
    return sink.count();
  }

  void Compact() override { Check(client_->admin()->Do(cluster::calls::Compact{kTable, ""})); }

 private:
  bool ReadOne(const engine::ReadSpec& read, size_t* value_size) {
    auto cells = Take(client_->data()->Read(kTable, read, {}));
    Check(cells->status());
    if (!cells->Valid()) return false;
    *value_size = cells->cell().value.size();
    return true;
  }

  std::unique_ptr<engine::FileSystem> fs_;
  std::unique_ptr<cluster::Client> client_;
};

}  // namespace

std::unique_ptr<Peer> OpenSippar(const PeerSettings& settings) {
  return std::make_unique<SipparPeer>(settings);
}

}  // namespace sippar::bench
