// Which actions of a lane may run, so that no server's actions hold the threads that others need.
// At most `running_max` actions run at once, with two exceptions:
//   - An action of a group (GroupOf: a server, as a rule) that has run for `slow_us` counts no
//     more. What waits for a server that hangs makes room for the actions of other servers.
//   - Of one group at most `running_max` run, however slow they are. So threads are bounded by the
//     number of servers that hang, and a server that hangs has all its further actions wait.
// Actions begin in the order of their arrival, apart from those whose group has its share. Pure.
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

  // Actions come in the order of their numbers, which are unique.
  void Push(Action action);
  // The next action that may run, which from now on does. nullopt: none may.
  std::optional<Action> Begin(int64_t now_us);
  // The action with this number runs no more.
  void End(uint64_t op);
  // Takes back an action that Begin returned and that could not be started: it is the first of its
  // group again.
  void PutBack(Action action);
  // Drops what has not begun.
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

  // `ready_` has an entry for each group with an action that may begin. To change a group: Unready
  // removes its entry, then change the group, then Look adds the entry again if it is due.
  void Unready(const Groups::value_type& entry);
  void Look(Groups::iterator at);

  const size_t running_max_;
  const int64_t slow_us_;
  Groups groups_;
  std::set<std::pair<uint64_t, std::string>> ready_;  // number of the next action, group
  std::map<uint64_t, Running> running_;               // by the action's number
  std::set<std::pair<int64_t, uint64_t>> counted_;    // start (us) and number of those that count
};

}  // namespace sippar::cluster::master
