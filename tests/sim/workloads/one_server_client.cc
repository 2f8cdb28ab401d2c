// The clients of a single server, and how they reach it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/sim/workloads/one_server.h"

namespace sippar::sim {
namespace {

using engine::Cell;
using engine::ReadSpec;
using engine::RowMutation;

constexpr int64_t kThinkMaxMicros = 8'000;

constexpr char kTable[] = "t";

StatusOr<std::vector<Cell>> ReadCells(cluster::Client* client, const ReadSpec& read) {
  ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> stream,
                   client->data()->Read(kTable, read, {}));
  std::vector<Cell> cells;
  for (; stream->Valid(); stream->Next()) cells.emplace_back(stream->cell()).sequence = 0;
  RETURN_IF_ERROR(stream->status());
  return cells;
}

StatusOr<RowWithDigest> ReadRowWithDigest(cluster::Client* client, const ReadSpec& read) {
  ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> row, client->data()->Read(kTable, read, {}));
  return Digested(row.get());
}

}  // namespace

class OneServer::Store final : public RowStore {
 public:
  explicit Store(OneServer* server) : server_(server) {}

  StatusOr<std::vector<Cell>> Read(const ReadSpec& read, int64_t timeout_us) override {
    return server_->OnServer<std::vector<Cell>>(
        [read](cluster::Client* client) { return ReadCells(client, read); }, timeout_us);
  }
  StatusOr<RowWithDigest> ReadWithDigest(const ReadSpec& read) override {
    return server_->OnServer<RowWithDigest>(
        [read](cluster::Client* client) { return ReadRowWithDigest(client, read); });
  }
  std::vector<Status> Apply(const std::vector<RowMutation>& batch) override {
    using Answer = std::vector<Status>;
    auto statuses = server_->OnServer<Answer>([batch](cluster::Client* client) -> StatusOr<Answer> {
      return client->data()->ApplyBatch(kTable, batch);
    });
    return statuses.ok() ? *std::move(statuses) : Answer(batch.size(), statuses.status());
  }
  Status Commit(const RowMutation& mutation, const ReadSpec& read, uint64_t digest) override {
    cluster::ReadCheck check{read, digest};
    auto committed =
        server_->OnServer<bool>([check, mutation](cluster::Client* client) -> StatusOr<bool> {
          RETURN_IF_ERROR(client->data()->CommitRow(kTable, mutation, {check}));
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
    // A client waits a little after a failure, because with too many unknown outcomes any history
    // can be explained.
    if (!client.OneOperation()) world_->SleepMicros(10'000);
  }
  --clients_left_;
}

}  // namespace sippar::sim
