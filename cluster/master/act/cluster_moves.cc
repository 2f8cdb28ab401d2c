// The calls of AdminApi that decide where tablets are: moves, drains, balancing, and letting back a
// tablet that was set aside.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cluster/master/act/cluster_admin.h"
#include "cluster/master/act/standing_orders.h"
#include "cluster/master/decide/placement_step.h"
#include "cluster/net/failure.h"
#include "engine/base/printable.h"

namespace sippar::cluster::master {
namespace {

constexpr int64_t kPollMicros = 20'000;
constexpr int kPollsOfMove = 1'500;   // 30 s in all
constexpr int kPollsOfOrders = 500;   // 10 s; a master reads the orders every second
constexpr int kPollsOfServers = 100;  // 2 s
constexpr int kMovesBegun = 3;        // most times that one call begins the move of its tablet
constexpr int kOrderTries = 10;       // most repeated writes of orders that others change, too

std::string NameOfMove(const calls::MoveTablet& asked, const ServerId& target) {
  return fmt::format("tablet of table {} with row '{}', on its way to server {}", asked.table,
                     engine::PrintableBytes(asked.row), target.ToString());
}

// Adds the name to the drained servers, or removes it.
void SetDrained(const std::string& name, bool on, StandingOrders* orders) {
  std::erase(orders->drained, name);
  if (!on) return;
  orders->drained.push_back(name);
  std::sort(orders->drained.begin(), orders->drained.end());
}

}  // namespace

StatusOr<ClusterAdmin::MoveCourse> ClusterAdmin::CourseOf(const calls::MoveTablet& asked,
                                                          const ServerId& target) {
  StatusOr<MoveCourse> course = MoveCourse();
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    auto found = FindTabletOf(&state, asked.table, asked.row);
    if (!found.ok()) {
      course = found.status();
      return;
    }
    const Tablet& tablet = **found;
    const bool is_there =
        tablet.facts.phase == TabletPhase::kAssigned && tablet.facts.server == target;
    course->is_served = is_there && tablet.loaded && tablet.target.IsNone();
    course->is_moving = tablet.target == target || (is_there && !tablet.refused);
    course->error = tablet.error;
  }));
  return course;
}

// A split, a recovery or a refusal during the move can send the tablet to another server. This
// function then begins the move again, up to kMovesBegun times in all.
Status ClusterAdmin::Perform(const calls::MoveTablet& asked, const CallTime& time) {
  RETURN_IF_ERROR(LookAtServers(time));
  StatusOr<ServerId> target = ServerId();
  // The target is looked up once, so that a move that is begun again goes to the same process, not
  // to a later process of that name.
  RETURN_IF_ERROR(
      driver_->Look([&](MasterState& state) { target = FindLiveServer(state, asked.server); }));
  RETURN_IF_ERROR(target.status());
  int begun = 0;
  std::string error;
  for (int i = 0; i < kPollsOfMove; ++i) {
    ASSIGN_OR_RETURN(MoveCourse course, CourseOf(asked, *target));
    if (course.is_served) return OkStatus();
    if (!course.error.empty()) error = ": " + course.error;
    if (!course.is_moving && begun++ == kMovesBegun) {
      return FailedPrecondition(
          fmt::format("{}: the server did not take the tablet{}; `sippar admin events TARGET` "
                      "shows what happened",
                      NameOfMove(asked, *target), error));
    }
    if (!course.is_moving) {
      Status asks = driver_->Request(time, [&](uint64_t request) {
        return event::MoveTablet{request, asked.table, asked.row, target->ToString()};
      });
      // An earlier attempt may have begun the move, so the error must not look as if nothing was
      // done.
      if (!asks.ok()) return net::OfBegunCall(asks);
    }
    RETURN_IF_ERROR(time.Check());
    clock_->SleepMicros(kPollMicros);
  }
  return DeadlineExceeded(
      fmt::format("{}: the tablet is not served there after 30 s{}; the move goes on, and "
                  "`sippar admin tablets TARGET` shows where the tablet is",
                  NameOfMove(asked, *target), error));
}

Status ClusterAdmin::Perform(const calls::BalanceNow&, const CallTime& time) {
  return driver_->Request(time, [](uint64_t request) { return event::BalanceNow{request}; });
}

Status ClusterAdmin::Perform(const calls::LetBack& asked, const CallTime& time) {
  std::string error;
  for (int i = 0; i < kPollsOfMove; ++i) {
    StatusOr<bool> is_set_aside = false;
    bool is_asked = false;
    RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
      auto tablet = FindTabletOf(&state, asked.table, asked.row);
      is_set_aside = tablet.ok() ? StatusOr<bool>((*tablet)->facts.set_aside) : tablet.status();
      if (!tablet.ok()) return;
      is_asked = (*tablet)->wants_back;
      error = (*tablet)->error;
    }));
    RETURN_IF_ERROR(is_set_aside.status());
    if (!*is_set_aside) return OkStatus();
    if (!is_asked) {
      RETURN_IF_ERROR(driver_->Request(time, [&](uint64_t request) {
        return event::LetBack{request, asked.table, asked.row};
      }));
    }
    RETURN_IF_ERROR(time.Check());
    clock_->SleepMicros(kPollMicros);
  }
  return DeadlineExceeded(fmt::format(
      "tablet of table {} with row '{}': it is still set aside after 30 s{}; "
      "the master keeps trying to let it back",
      asked.table, engine::PrintableBytes(asked.row), error.empty() ? "" : ": " + error));
}

Status ClusterAdmin::Perform(const calls::SetBalancing& asked, const CallTime& time) {
  return ChangeOrders(time, [&](StandingOrders* orders) { orders->balancing = asked.on; });
}

Status ClusterAdmin::Perform(const calls::DrainServer& asked, const CallTime& time) {
  RETURN_IF_ERROR(LookAtServers(time));
  ASSIGN_OR_RETURN(std::string name,
                   asked.on ? NameToDrain(asked.server) : NameToTakeBack(asked.server));
  return ChangeOrders(time, [&](StandingOrders* orders) { SetDrained(name, asked.on, orders); });
}

// The master lists its servers only every second, and when its watch fires. An operator's script
// may start a server and name it in a call sooner than that.
Status ClusterAdmin::LookAtServers(const CallTime& time) {
  uint64_t newer = 0;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) { newer = state.next_op; }));
  driver_->ServersChanged();
  bool is_known = false;
  for (int i = 0; i < kPollsOfServers && !is_known; ++i) {
    if (i > 0) clock_->SleepMicros(kPollMicros);
    RETURN_IF_ERROR(time.Check());
    RETURN_IF_ERROR(
        driver_->Look([&](MasterState& state) { is_known = state.servers_op >= newer; }));
  }
  return OkStatus();
}

StatusOr<std::string> ClusterAdmin::NameToDrain(const std::string& server) {
  StatusOr<ServerId> found = ServerId();
  bool others = false;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    found = FindLiveServer(state, server);
    if (!found.ok()) return;
    for (const auto& [id, other] : state.servers) {
      others |= other.live && !other.leaves && !state.IsDrained(other) && id.name != found->name;
    }
  }));
  RETURN_IF_ERROR(found.status());
  if (others) return found->name;
  return FailedPrecondition(fmt::format(
      "server {}: no other live server could take its tablets; start one first", found->name));
}

// A server that has ended may still be in the list of drained servers, so a name in that list need
// not belong to a live server.
StatusOr<std::string> ClusterAdmin::NameToTakeBack(const std::string& server) {
  auto life = ServerId::Parse(server);
  const std::string name = life.ok() ? life->name : server;
  StatusOr<ServerId> found = ServerId();
  bool is_drained = false;
  RETURN_IF_ERROR(driver_->Look([&](MasterState& state) {
    is_drained = std::binary_search(state.orders.drained.begin(), state.orders.drained.end(), name);
    found = FindLiveServer(state, name);
  }));
  if (!is_drained) RETURN_IF_ERROR(found.status());
  return name;
}

Status ClusterAdmin::ChangeOrders(const CallTime& time,
                                  const std::function<void(StandingOrders* orders)>& change) {
  StandingOrders orders;
  for (int i = 0;; ++i) {
    auto record = Perform(calls::GetRecord{kOrdersRecord}, time);
    if (!record.ok() && record.status().code() != StatusCode::kNotFound) return record.status();
    orders = record.ok() ? DecodeOrders(record->body) : StandingOrders();
    const StandingOrders before = orders;
    change(&orders);
    if (orders == before) break;
    const std::string text = EncodeOrders(orders, record.ok() ? record->body : "");
    Status put =
        Perform(calls::PutRecord{kOrdersRecord, text, record.ok() ? record->version : 0}, time);
    if (put.ok()) break;
    if (put.code() != StatusCode::kAborted || i == kOrderTries) return put;
  }
  driver_->ServersChanged();  // the master then lists the servers and reads the orders
  for (int i = 0; i < kPollsOfOrders; ++i) {
    StandingOrders known;
    RETURN_IF_ERROR(driver_->Look([&](MasterState& state) { known = state.orders; }));
    StandingOrders wanted = known;
    change(&wanted);
    if (known == wanted) break;
    RETURN_IF_ERROR(time.Check());
    clock_->SleepMicros(kPollMicros);
  }
  return OkStatus();
}

}  // namespace sippar::cluster::master
