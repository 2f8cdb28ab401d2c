// The clients of a simulated cluster.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/sim/workloads/cluster.h"

namespace sippar::sim {
namespace {

using cluster::CellStream;
using engine::Cell;
using engine::ReadSpec;
using engine::RowMutation;

constexpr int64_t kThinkMaxMicros = 40'000;
constexpr char kTable[] = "t";

}  // namespace

class Cluster::Store final : public RowStore {
 public:
  Store(Cluster* cluster, cluster::DataApi* data)
      : cluster_(cluster), scheduler_(cluster->world_->scheduler()), data_(data) {}

  StatusOr<std::vector<Cell>> Read(const ReadSpec& read, int64_t timeout_us) override {
    auto cells = ReadCells(read, timeout_us);
    if (!cells.ok()) Judge(cells.status());
    if (cells.ok()) {
      for (Cell& cell : *cells) cell.sequence = 0;
    }
    return cells;
  }
  StatusOr<RowWithDigest> ReadWithDigest(const ReadSpec& read) override {
    cluster::CallOptions options;
    options.timeout_us = 1'000'000;
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells, data_->Read(kTable, read, options));
    ASSIGN_OR_RETURN(RowWithDigest row, Digested(cells.get()));
    std::erase_if(row.cells, [](const Cell& cell) { return cell.family == kOwnFamily; });
    return row;
  }
  std::vector<Status> Apply(const std::vector<RowMutation>& batch) override {
    ++cluster_->writes_under_way_;
    std::vector<Status> statuses = batch.size() == 1
                                       ? std::vector<Status>{data_->Apply(kTable, batch[0])}
                                       : data_->ApplyBatch(kTable, batch);
    --cluster_->writes_under_way_;
    for (const Status& status : statuses) {
      Judge(status);
      if (status.ok()) ++cluster_->writes_done_;
    }
    return statuses;
  }
  Status Commit(const RowMutation& mutation, const ReadSpec& read, uint64_t digest) override {
    ++cluster_->writes_under_way_;
    Status status = data_->CommitRow(kTable, mutation, {{read, digest}});
    --cluster_->writes_under_way_;
    Judge(status);
    if (status.ok()) ++cluster_->writes_done_;
    return status;
  }

 private:
  StatusOr<std::vector<Cell>> ReadCells(const ReadSpec& read, int64_t timeout_us) {
    cluster::CallOptions options;
    options.timeout_us = timeout_us;
    ASSIGN_OR_RETURN(std::unique_ptr<CellStream> stream, data_->Read(kTable, read, options));
    std::vector<Cell> cells;
    for (; stream->Valid(); stream->Next()) {
      if (stream->cell().family != kOwnFamily) cells.emplace_back(stream->cell());
    }
    RETURN_IF_ERROR(stream->status());
    return cells;
  }
  // Fails the run for errors that cannot be right: the table exists, no disk returns wrong bytes,
  // and all requests are valid.
  void Judge(const Status& status) {
    if (status.ok()) return;
    scheduler_->Note(status.ToString());
    if (status.code() == StatusCode::kNotFound || status.code() == StatusCode::kDataLoss ||
        status.code() == StatusCode::kInternal) {
      scheduler_->Fail("a client was told: " + status.ToString());
    }
  }
  Cluster* const cluster_;
  Scheduler* const scheduler_;
  cluster::DataApi* const data_;
};

void Cluster::ClientMain(MachineId id) {
  auto* process = new Process(this, id);
  process->Join();
  Store store(this, process->data.get());
  RowClient client(world_, &histories_, &knobs_.rows, &store,
                   fmt::format("client{}", id - kFirstClient));
  for (uint64_t i = 0; i < knobs_.operations_each && trouble_; ++i) {
    world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(kThinkMaxMicros)));
    // A client waits a little after a failure, because with too many unknown outcomes any history
    // can be explained.
    if (!client.OneOperation()) world_->SleepMicros(20'000);
  }
  --clients_left_;
}

bool Cluster::ServesAll(int64_t limit_us) {
  Store store(this, supervisor_->data.get());
  RowClient client(world_, &histories_, &knobs_.rows, &store, "supervisor");
  return client.WriteAll() && client.ReadTable(limit_us - world_->NowMicros());
}

}  // namespace sippar::sim
