// A client whose calls hang where a test wants them to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "engine/base/thread.h"

namespace sippar::cluster {

// Calls for rows that begin with "stuck" wait until LetGo or until they are cancelled.
class StuckData final : public DataApi {
 public:
  explicit StuckData(DataApi* data) : data_(data) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    if (const auto* apply = std::get_if<Pending<calls::ApplyRows<LentTable>>>(&call)) {
      batch_max_ = std::max<size_t>(batch_max_, apply->call.batch.size());
      for (const RowMutation* mutation : apply->call.batch.values()) Wait(mutation->row, nullptr);
    }
    data_->Carry(call, options);
  }
  std::optional<uint64_t> BundleOf(const std::string&, std::string_view row) override {
    return row.starts_with("stuck") ? 1 : 2;
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override {
    if (options.from_memory) return Unavailable("row: reading it may wait");
    Wait(read.rows.ranges().front().start, options.cancel);
    return data_->Read(table, read, options);
  }
  Status Run(const std::string& table, const RowRange& range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override {
    return data_->Run(table, range, program, options, sink);
  }

  void AwaitStuck(int calls) {
    engine::MutexLock lock(&mutex_);
    while (stuck_ < calls) changed_.WaitFor(&mutex_, 10'000);
  }
  void LetGo() {
    engine::MutexLock lock(&mutex_);
    let_go_ = true;
    changed_.NotifyAll();
  }
  size_t batch_max() const { return batch_max_; }
  int stuck() {  // number of calls that have got stuck so far
    engine::MutexLock lock(&mutex_);
    return stuck_;
  }

 private:
  void Wait(std::string_view row, const CancelFlag& cancel) {
    if (!row.starts_with("stuck")) return;
    engine::MutexLock lock(&mutex_);
    ++stuck_;
    changed_.NotifyAll();
    while (!let_go_ && !(cancel != nullptr && *cancel)) changed_.WaitFor(&mutex_, 10'000);
  }

  DataApi* const data_;
  engine::Mutex mutex_;
  engine::CondVar changed_;
  int stuck_ = 0;
  bool let_go_ = false;
  std::atomic<size_t> batch_max_ = 0;
};

class StuckClient final : public Client {
 public:
  StuckClient(std::unique_ptr<Client> client, StuckData** data)
      : client_(std::move(client)), data_(client_->data()) {
    *data = &data_;
  }
  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return client_->admin(); }
  engine::Clock* clock() override { return client_->clock(); }
  const std::string& target() const override { return client_->target(); }
  Status Close() override { return client_->Close(); }

 private:
  const std::unique_ptr<Client> client_;
  StuckData data_;
};

}  // namespace sippar::cluster
