// Decides which actions of a lane may run, so that no server's actions occupy the threads that
// others need. At most `running_max` actions run concurrently. Two rules refine this:
//   - An action of a group (GroupOf: usually a server) is no longer counted after it has run for
//     `slow_us`. So actions that wait for a server that hangs leave room for those of other
//     servers.
//   - At most `running_max` actions of one group run, however slow they are. So the number of
//     servers that hang bounds the threads, and further actions on such a server wait.
// Actions begin in the order of their arrival, except that an action waits while `running_max`
// actions of its group run. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cluster/master/decide/master_action.h"

namespace sippar::cluster::master {

class LaneQueue {
 public:
  explicit LaneQueue(size_t running_max, int64_t slow_us = 200'000)
      : running_max_(running_max), slow_us_(slow_us) {}

  // Adds an action. Actions must be added in the order of their numbers, which are unique.
  void Push(Action action);
  // Returns the next action that may run, and counts it as running. nullopt: none may run.
  std::optional<Action> Begin(int64_t now_us);
  // Records that the action with this number has ended.
  void End(uint64_t op);
  // Takes back an action that Begin returned but that could not be started: the action becomes the
  // first of its group again.
  void PutBack(Action action);
  // Drops the actions that have not begun.
  void Clear();

  size_t running() const { return running_.size(); }

 private:
  struct Group {
    std::deque<Action> waiting;
    size_t running = 0;
  };
  struct Running {
    std::string group;
    int64_t since_us = 0;
  };
  using Groups = std::map<std::string, Group>;

  // `ready_` has an entry for each group with an action that may begin. To change a group, call
  // Unready, which removes its entry, then change the group, then call Look, which adds the entry
  // again if the group still has such an action.
  void Unready(const Groups::value_type& entry);
  void Look(Groups::iterator at);

  const size_t running_max_;
  const int64_t slow_us_;
  Groups groups_;
  std::set<std::pair<uint64_t, std::string>> ready_;  // (number of the group's next action, group)
  std::map<uint64_t, Running> running_;               // running actions by number
  // The running actions that count toward running_max_: (start in us, number).
  std::set<std::pair<int64_t, uint64_t>> counted_;
};

}  // namespace sippar::cluster::master
