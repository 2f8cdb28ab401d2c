// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/tablet_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cluster/api/member_answer.h"
#include "cluster/client/server_groups.h"
#include "engine/base/parallel.h"

namespace sippar::cluster {
namespace {

// Reads the figures of one server's tablets. Used by one thread.
class ServerFiguresReader {
 public:
  ServerFiguresReader(Transport* transport, const ServerGroup& group, const CallTime& time,
                      const std::vector<TabletAt>& tablets, std::vector<TabletFigures>* answers)
      : control_(transport->Control(group.server)),
        group_(group),
        time_(time),
        tablets_(tablets),
        answers_(*answers) {}

  // A failure of a whole call is the answer for all tablets left: a server that hangs or has ended
  // is not asked again.
  void Run() {
    while (next_ < group_.positions.size()) {
      Status failure = time_.Check();
      if (failure.ok()) failure = knows_batches_ ? AskMany() : AskOne();
      if (failure.ok()) continue;
      if (failure.code() == StatusCode::kDeadlineExceeded && time_.Check().ok()) {
        failure = SilentServer(group_.server, failure);
      }
      while (next_ < group_.positions.size()) Put(failure);
    }
  }

 private:
  uint64_t IdAt(size_t i) const { return tablets_[group_.positions[i]].tablet_id; }
  void Put(TabletFigures answer) { answers_[group_.positions[next_++]] = std::move(answer); }
  Status NotHere() const {
    return NotServed(
        fmt::format("server {} does not serve tablet {}", group_.server.ToString(), IdAt(next_)));
  }

  Status AskMany() {
    calls::BatchTabletStats asked;
    const size_t end =
        std::min(group_.positions.size(), next_ + calls::BatchTabletStats::kTabletsMax);
    for (size_t i = next_; i < end; ++i) asked.tablet_ids.push_back(IdAt(i));
    auto reply = control_->Do(asked, time_.Part(kFiguresWaitUs));
    if (reply.status().code() == StatusCode::kUnimplemented) {
      knows_batches_ = false;  // a server of the previous version
      return OkStatus();
    }
    RETURN_IF_ERROR(reply.status());
    if (reply->empty() || reply->size() > asked.tablet_ids.size()) {
      return Internal(fmt::format(
          "server {}: its answer about tablets has the wrong size ({}, {} were asked for); use the "
          "same version of sippar for all servers",
          group_.server.ToString(), reply->size(), asked.tablet_ids.size()));
    }
    for (auto& part : *reply) {
      Put(part.has_value() ? TabletFigures(*std::move(part)) : TabletFigures(NotHere()));
    }
    return OkStatus();
  }

  Status AskOne() {
    auto figures = control_->Do(calls::TabletStats{IdAt(next_)}, time_.Part(kFiguresWaitUs));
    const bool is_answer = IsAnswered(figures.status());
    if (!is_answer) return figures.status();
    // The server answers kUnavailable if it does not serve the tablet.
    const bool is_here = figures.status().code() != StatusCode::kUnavailable;
    Put(is_here ? std::move(figures) : TabletFigures(NotHere()));
    return OkStatus();
  }

  const std::shared_ptr<TabletControl> control_;
  const ServerGroup& group_;
  const CallTime& time_;
  const std::vector<TabletAt>& tablets_;
  std::vector<TabletFigures>& answers_;  // those of this group's positions are written here
  bool knows_batches_ = true;
  size_t next_ = 0;  // the index in group_.positions of the next tablet
};

}  // namespace

std::vector<TabletFigures> ReadFigures(Transport* transport, const std::vector<TabletAt>& tablets,
                                       const CallTime& time) {
  std::vector<ServerId> servers;
  servers.reserve(tablets.size());
  for (const TabletAt& tablet : tablets) servers.push_back(tablet.server);
  const std::vector<ServerGroup> groups = GroupByServer(servers);
  std::vector<TabletFigures> answers(tablets.size());
  engine::RunParallel(kServersAtOnce, groups.size(), [&](size_t i) {
    ServerFiguresReader(transport, groups[i], time, tablets, &answers).Run();
  });
  return answers;
}

}  // namespace sippar::cluster
