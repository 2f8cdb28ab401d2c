// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/view_files.h"

#include <fmt/format.h>

#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "cluster/lock/zookeeper/read_again.h"
#include "engine/base/clock.h"

namespace sippar::cluster::zookeeper {
namespace {

constexpr size_t kWaitingMax = 200;  // requests that wait for an answer at a time

bool IsRead(int code) { return code == kOk || code == kNoNode; }

// Appends to `found` those of `nodes` that it lacks. Stops at the first request that fails or gets
// no answer and returns its code; the requests after it count as not made.
Answer GetMore(ZooKeeperHandle* handle, const std::vector<std::string>& nodes,
               int64_t deadline_nanos, std::vector<Znode>* found) {
  std::deque<ZooKeeperHandle::Pending> waiting;
  size_t next = found->size();
  while (found->size() < nodes.size()) {
    for (; next < nodes.size() && waiting.size() < kWaitingMax; ++next) {
      waiting.push_back(handle->Get(nodes[next]));
    }
    // A member answers in order, so the answers before the awaited one are there, too. While
    // there are more requests to send, half of those on their way are awaited at a time: the member
    // has work meanwhile, and this thread does not wake for each answer.
    const size_t awaited = next < nodes.size() ? waiting.size() / 2 : waiting.size();
    (void)waiting[awaited - 1]->Wait(deadline_nanos);
    for (size_t i = 0; i < awaited; ++i) {
      Answer answer = waiting.front()->Wait(deadline_nanos);
      if (!IsRead(answer.code)) return answer;
      found->push_back(std::move(answer.node));
      waiting.pop_front();
    }
  }
  return Answer();
}

// Returns the nodes in the order of `nodes`; a node that does not exist has the code kNoNode.
StatusOr<std::vector<Znode>> GetAll(ZooKeeperHandle* handle, const std::vector<std::string>& nodes,
                                    int64_t deadline_nanos) {
  std::vector<Znode> found;
  if (nodes.empty()) return found;
  found.reserve(nodes.size());
  const std::string what = fmt::format("{} nodes from {} on", nodes.size(), nodes.front());
  // After a lost connection, the reads go on where they stopped.
  auto last = ReadAgain(handle, deadline_nanos, what,
                        [&] { return GetMore(handle, nodes, deadline_nanos, &found); });
  RETURN_IF_ERROR(last.status());
  return found;
}

// Views the files with the indexes `asked` in `files`. Returns the indexes of those whose two nodes
// do not fit together. First all nodes of files are read, and then the nodes of their locks: the
// node of a file shows whether it has a lock, and most files have none.
StatusOr<std::vector<size_t>> ViewOnce(ZooKeeperHandle* handle, const NodePaths& paths,
                                       const std::vector<std::string>& files,
                                       const std::vector<size_t>& asked, int64_t deadline_nanos,
                                       std::vector<FileView>* views) {
  std::vector<std::string> nodes;
  for (size_t number : asked) nodes.push_back(paths.File(files[number]));
  ASSIGN_OR_RETURN(std::vector<Znode> of_files, GetAll(handle, nodes, deadline_nanos));
  nodes.clear();
  for (size_t i = 0; i < asked.size(); ++i) {
    if (of_files[i].children != 0) nodes.push_back(paths.Lock(files[asked[i]]));
  }
  ASSIGN_OR_RETURN(std::vector<Znode> of_locks, GetAll(handle, nodes, deadline_nanos));
  std::vector<size_t> changed;
  Znode no_lock;
  no_lock.code = kNoNode;
  auto lock = of_locks.begin();
  for (size_t i = 0; i < asked.size(); ++i) {
    const Znode& its = of_files[i].children != 0 ? *lock++ : no_lock;
    ASSIGN_OR_RETURN(std::optional<FileView> view, ViewOf(files[asked[i]], of_files[i], its));
    if (view.has_value()) {
      (*views)[asked[i]] = *std::move(view);
    } else {
      changed.push_back(asked[i]);
    }
  }
  return changed;
}

}  // namespace

StatusOr<std::vector<FileView>> ViewFiles(ZooKeeperHandle* handle, const NodePaths& paths,
                                          const std::vector<std::string>& files,
                                          int64_t deadline_nanos) {
  std::vector<FileView> views(files.size());
  std::vector<size_t> left(files.size());
  std::iota(left.begin(), left.end(), size_t{0});
  while (!left.empty()) {
    ASSIGN_OR_RETURN(left, ViewOnce(handle, paths, files, left, deadline_nanos, &views));
    if (!left.empty() && engine::Clock::System()->MonotonicNanos() >= deadline_nanos) {
      return UnexpectedAnswer(kNoAnswer, files[left.front()]);
    }
  }
  return views;
}

}  // namespace sippar::cluster::zookeeper
