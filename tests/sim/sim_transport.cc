// Sends the calls to servers and masters over the simulated network.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_transport.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "cluster/api/row_codec.h"
#include "engine/base/check.h"

namespace sippar::sim {
namespace {

using cluster::Cell;
using cluster::CellStream;
using cluster::CellView;
using cluster::ReadSpec;
using cluster::ServerId;
using cluster::TabletAddress;

// Small, so that moves, splits and deaths happen in the middle of streams.
constexpr size_t kPageCells = 5;

// Calls to one life of one server.
class ServerCalls {
 public:
  ServerCalls(World* world, MachineId machine, ServerId id, int64_t timeout_us)
      : world_(world), machine_(machine), id_(std::move(id)), timeout_us_(timeout_us) {}

  template <typename T>
  StatusOr<T> Ask(std::function<StatusOr<T>(ServerEndpoint*)> work, int64_t timeout_us = 0) const {
    auto on_its_life = [id = id_, work = std::move(work)](ServerEndpoint* endpoint) -> StatusOr<T> {
      if (endpoint->server->id() != id) return Unavailable(id.ToString() + " is not here any more");
      return work(endpoint);
    };
    CallOptions call;
    call.timeout_us = timeout_us > 0 ? std::min(timeout_us, timeout_us_) : timeout_us_;
    call.may_repeat = true;
    auto answer =
        world_->network()->Call<ServerEndpoint, T>(machine_, std::move(on_its_life), call);
    if (answer.status().code() != StatusCode::kDeadlineExceeded) return answer;
    return Unavailable(std::string(MessageOf(answer.status())));
  }
  // Sends a call as bytes to the port that `port_of` finds on the server; calls `after` if it
  // succeeds.
  template <typename AnyCall, typename PortOf>
  void Carry(const AnyCall& call, const cluster::CallOptions& options, PortOf port_of,
             const std::function<void(ServerEndpoint*)>& after = {}) const {
    auto perform = [port_of, after, name = std::string(cluster::RuleOf(call).name),
                    bytes = cluster::EncodeCall(call)](ServerEndpoint* to) {
      auto reply = cluster::DoNamed(port_of(to).get(), name, bytes, {});
      if (reply.ok() && after) after(to);
      return reply;
    };
    cluster::TakeReply(Ask<std::string>(perform, options.timeout_us), call);
  }

 private:
  World* const world_;
  const MachineId machine_;
  const ServerId id_;
  const int64_t timeout_us_;
};

struct Page {
  std::vector<Cell> cells;
  uint64_t cursor = 0;  // cursor of the remaining cells; 0: none remain
};

StatusOr<Page> NextPage(ServerEndpoint* endpoint, uint64_t cursor) {
  auto found = endpoint->cursors.find(cursor);
  if (found == endpoint->cursors.end()) return Unavailable("no such stream here");
  std::shared_ptr<CellStream> cells = std::move(found->second);
  endpoint->cursors.erase(found);  // a repeated call does not find the cursor
  Page page;
  for (; cells->Valid() && page.cells.size() < kPageCells; cells->Next()) {
    page.cells.emplace_back(cells->cell());
  }
  RETURN_IF_ERROR(cells->status());
  if (!cells->Valid()) return page;
  page.cursor = endpoint->next_cursor++;
  endpoint->cursors[page.cursor] = std::move(cells);
  return page;
}

class PagedStream final : public CellStream {
 public:
  PagedStream(ServerCalls calls, Page first) : calls_(std::move(calls)), page_(std::move(first)) {
    Settle();
  }
  bool Valid() const override { return status_.ok() && next_ < page_.cells.size(); }
  const CellView& cell() const override { return cell_; }
  void Next() override {
    ++next_;
    Settle();
  }
  void NextRow() override {
    for (std::string row(cell_.row); Valid() && cell_.row == row;) Next();
  }
  Status status() const override { return status_; }

 private:
  void Settle() {
    if (next_ == page_.cells.size() && page_.cursor != 0) {
      auto page = calls_.Ask<Page>(
          [cursor = page_.cursor](ServerEndpoint* endpoint) { return NextPage(endpoint, cursor); });
      status_ = page.status();
      page_ = page.ok() ? *std::move(page) : Page();
      next_ = 0;
    }
    if (Valid()) cell_ = page_.cells[next_].view();
  }

  const ServerCalls calls_;
  Page page_;
  size_t next_ = 0;
  CellView cell_;
  Status status_;
};

// Keeps the batches of a program, to pass them to the caller's sink.
class KeepingSink final : public engine::ProgramSink {
 public:
  bool Emit(engine::ProgramBatch batch) override {
    batches.push_back(std::move(batch));
    return true;
  }
  std::vector<engine::ProgramBatch> batches;
};

class SimTablets final : public cluster::TabletService {
 public:
  explicit SimTablets(ServerCalls calls) : calls_(std::move(calls)) {}

  void Carry(const AnyCall& call, const cluster::CallOptions& options) override {
    calls_.Carry(call, options, [](ServerEndpoint* to) { return to->server->Tablets(); });
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet, const ReadSpec& read,
                                             const cluster::CallOptions& options) override {
    auto open = [tablet, read](ServerEndpoint* to) -> StatusOr<Page> {
      ASSIGN_OR_RETURN(std::unique_ptr<CellStream> cells,
                       to->server->Tablets()->Read(tablet, read, {}));
      uint64_t cursor = to->next_cursor++;
      to->cursors[cursor] = std::move(cells);
      return NextPage(to, cursor);
    };
    ASSIGN_OR_RETURN(Page first, calls_.Ask<Page>(open, options.timeout_us));
    return std::unique_ptr<CellStream>(new PagedStream(calls_, std::move(first)));
  }
  Status Run(const TabletAddress& tablet, const engine::Program& program,
             const cluster::CallOptions& options, engine::ProgramSink* sink) override {
    auto run = [tablet,
                program](ServerEndpoint* to) -> StatusOr<std::vector<engine::ProgramBatch>> {
      KeepingSink kept;
      RETURN_IF_ERROR(to->server->Tablets()->Run(tablet, program, {}, &kept));
      return std::move(kept.batches);
    };
    ASSIGN_OR_RETURN(std::vector<engine::ProgramBatch> batches,
                     calls_.Ask<std::vector<engine::ProgramBatch>>(run, options.timeout_us));
    for (engine::ProgramBatch& batch : batches) {
      if (!sink->Emit(std::move(batch))) break;
    }
    return OkStatus();
  }

 private:
  const ServerCalls calls_;
};

// The record of a call that loads a tablet of a user's table; nullopt for other calls.
std::optional<cluster::TabletRecord> RecordToLoad(const cluster::TabletControl::AnyCall& any) {
  auto record_of =
      []<class Call>(
          const cluster::Pending<Call>& pending) -> std::optional<cluster::TabletRecord> {
    if constexpr (std::is_same_v<Call, cluster::calls::LoadTablet>) {
      const cluster::TabletRecord& record = pending.call.record;
      if (record.table_id != cluster::kMetadataTableId) return record;
    }
    return std::nullopt;
  };
  return std::visit(record_of, any);
}

class SimControl final : public cluster::TabletControl {
 public:
  explicit SimControl(ServerCalls calls) : calls_(std::move(calls)) {}

  void Carry(const AnyCall& call, const cluster::CallOptions& options) override {
    std::function<void(ServerEndpoint*)> after;
    if (auto record = RecordToLoad(call)) {
      after = [record](ServerEndpoint* to) {
        if (to->on_load) to->on_load(*record);
      };
    }
    calls_.Carry(
        call, options, [](ServerEndpoint* to) { return to->server->Control(); }, after);
  }

 private:
  const ServerCalls calls_;
};

// Sends each notice to every master, because the active one is not known.
class SimNotices final : public cluster::MasterNotices {
 public:
  SimNotices(World* world, const std::vector<MachineId>* masters, int64_t timeout_us)
      : world_(world), masters_(masters), timeout_us_(timeout_us) {}
  void Carry(const AnyCall& call, const cluster::CallOptions&) override {
    auto perform = [name = std::string(cluster::RuleOf(call).name),
                    bytes = cluster::EncodeCall(call)](MasterEndpoint* to) {
      return cluster::DoNamed(to->driver.get(), name, bytes, {});
    };
    CallOptions options;
    options.timeout_us = timeout_us_;
    for (MachineId master : *masters_) {
      auto told = world_->network()->Call<MasterEndpoint, std::string>(master, perform, options);
      if (told.ok()) return cluster::TakeReply(std::move(told), call);
    }
    cluster::Refuse(call, Unavailable("no master has heard of it"));
  }

 private:
  World* const world_;
  const std::vector<MachineId>* const masters_;
  const int64_t timeout_us_;
};

MachineId MachineOf(const Addresses& addresses, const ServerId& server) {
  auto found = addresses.servers.find(server.name);
  CHECK(found != addresses.servers.end());
  return found->second;
}

}  // namespace

std::shared_ptr<cluster::TabletService> SimTransport::Tablets(const ServerId& server, net::Lane) {
  return std::make_shared<SimTablets>(
      ServerCalls(world_, MachineOf(*addresses_, server), server, timeout_us_));
}

std::shared_ptr<cluster::TabletControl> SimTransport::Control(const ServerId& server) {
  return std::make_shared<SimControl>(
      ServerCalls(world_, MachineOf(*addresses_, server), server, timeout_us_));
}

std::shared_ptr<cluster::MasterNotices> SimTransport::Notices() {
  return std::make_shared<SimNotices>(world_, &addresses_->masters, timeout_us_);
}

}  // namespace sippar::sim
