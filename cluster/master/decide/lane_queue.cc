// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/lane_queue.h"

#include "cluster/master/decide/action_lane.h"

namespace sippar::cluster::master {

void LaneQueue::Unready(const Groups::value_type& entry) {
  const auto& [name, group] = entry;
  if (!group.waiting.empty()) ready_.erase({group.waiting.front().op, name});
}

void LaneQueue::Look(Groups::iterator at) {
  const auto& [name, group] = *at;
  if (group.waiting.empty()) {
    if (group.running == 0) groups_.erase(at);
  } else if (group.running < running_max_) {
    ready_.emplace(group.waiting.front().op, name);
  }
}

void LaneQueue::Push(Action action) {
  auto at = groups_.try_emplace(GroupOf(action.body)).first;
  at->second.waiting.push_back(std::move(action));
  Look(at);
}

std::optional<Action> LaneQueue::Begin(int64_t now_us) {
  for (auto at = counted_.begin(); at != counted_.end() && at->first + slow_us_ <= now_us;) {
    // A slow action without a group is still counted: it waits for METADATA or a disk, where
    // further actions would only wait as well.
    at = running_.at(at->second).group.empty() ? std::next(at) : counted_.erase(at);
  }
  if (ready_.empty() || counted_.size() >= running_max_) return std::nullopt;
  auto at = groups_.find(ready_.begin()->second);
  Unready(*at);
  Action action = std::move(at->second.waiting.front());
  at->second.waiting.pop_front();
  ++at->second.running;
  running_[action.op] = {at->first, now_us};
  counted_.emplace(now_us, action.op);
  Look(at);
  return action;
}

void LaneQueue::End(uint64_t op) {
  auto ended = running_.find(op);
  if (ended == running_.end()) return;
  counted_.erase({ended->second.since_us, op});
  auto at = groups_.find(ended->second.group);
  running_.erase(ended);
  --at->second.running;
  Look(at);
}

void LaneQueue::PutBack(Action action) {
  auto at = groups_.find(running_.at(action.op).group);
  Unready(*at);
  at->second.waiting.push_front(std::move(action));
  End(at->second.waiting.front().op);
}

void LaneQueue::Clear() {
  ready_.clear();
  for (auto& [name, group] : groups_) group.waiting.clear();
  std::erase_if(groups_, [](const auto& entry) { return entry.second.running == 0; });
}

}  // namespace sippar::cluster::master
