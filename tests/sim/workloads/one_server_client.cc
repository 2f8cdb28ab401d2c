// How the clients of one server reach it. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/workloads/one_server.h"

namespace sippar::sim {
namespace {

using engine::Cell;
using engine::ReadSpec;
using engine::RowMutation;

constexpr int64_t kThinkMaxMicros = 8'000;

// All cells of the read, tablet by tablet.
StatusOr<std::vector<Cell>> ReadCells(engine::Store* store, const ReadSpec& read) {
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<engine::Tablet>> tablets, store->Tablets("t"));
  if (read.reverse) std::reverse(tablets.begin(), tablets.end());
  std::vector<Cell> cells;
  for (const auto& tablet : tablets) {
    ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> stream, tablet->Read(read));
    for (; stream->Valid(); stream->Next()) cells.emplace_back(stream->cell()).sequence = 0;
    RETURN_IF_ERROR(stream->status());
  }
  return cells;
}

StatusOr<RowWithDigest> ReadRowWithDigest(engine::Store* store, const ReadSpec& read) {
  ASSIGN_OR_RETURN(std::shared_ptr<engine::Tablet> tablet,
                   store->FindTablet("t", read.rows.ranges()[0].start));
  ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> row, tablet->Read(read));
  return Digested(row.get());
}

}  // namespace

class OneServer::Store final : public RowStore {
 public:
  explicit Store(OneServer* server) : server_(server) {}

  StatusOr<std::vector<Cell>> Read(const ReadSpec& read, int64_t timeout_us) override {
    return server_->OnServer<std::vector<Cell>>(
        [read](engine::Store* store) { return ReadCells(store, read); }, timeout_us);
  }
  StatusOr<RowWithDigest> ReadWithDigest(const ReadSpec& read) override {
    return server_->OnServer<RowWithDigest>(
        [read](engine::Store* store) { return ReadRowWithDigest(store, read); });
  }
  std::vector<Status> Apply(const std::vector<RowMutation>& batch) override {
    using Answer = std::vector<Status>;
    auto statuses = server_->OnServer<Answer>([batch](engine::Store* store) -> StatusOr<Answer> {
      std::vector<const RowMutation*> pointers;
      for (const RowMutation& mutation : batch) pointers.push_back(&mutation);
      return store->Apply("t", pointers);
    });
    return statuses.ok() ? *std::move(statuses) : Answer(batch.size(), statuses.status());
  }
  Status Commit(const RowMutation& mutation, const ReadSpec& read, uint64_t digest) override {
    engine::RowCheck check{read, digest};
    auto committed =
        server_->OnServer<bool>([check, mutation](engine::Store* store) -> StatusOr<bool> {
          RETURN_IF_ERROR(store->CommitRow("t", mutation, {&check, 1}));
          return true;
        });
    return committed.status();
  }

 private:
  OneServer* const server_;
};

OneServer::OneServer(World* world, const OneServerKnobs& knobs)
    : world_(world),
      knobs_(knobs),
      histories_(knobs.schema),
      rows_(std::make_unique<Store>(this)) {}

RowClient OneServer::Client(const std::string& by) {
  return {world_, &histories_, &knobs_.rows, rows_.get(), by};
}

void OneServer::ClientMain(uint64_t number) {
  RowClient client = Client(fmt::format("client{}", number));
  for (uint64_t i = 0; i < knobs_.operations_each && trouble_; ++i) {
    world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(kThinkMaxMicros)));
    if (!WaitForServer(Server::kUp, 2'000'000)) continue;
    // Who meets trouble waits a little: too many unknown outcomes explain everything.
    if (!client.OneOperation()) world_->SleepMicros(10'000);
  }
  --clients_left_;
}

}  // namespace sippar::sim
