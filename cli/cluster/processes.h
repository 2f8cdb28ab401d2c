// The processes of a planned cluster on this machine: starts, finds and signals them. They outlive
// this program. Each process has a file with its process id, and a log to which its output is
// appended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/cluster/plan.h"
#include "engine/base/status.h"

namespace sippar::cli {

class ClusterProcesses {
 public:
  // `plan` must outlive this object.
  explicit ClusterProcesses(const ClusterPlan& plan) : plan_(plan) {}

  // The id of the running process; 0 if it does not run. The command line is checked as well,
  // because the id of a process that ended may now belong to another program. A process that was
  // killed and has not quite ended is waited for, for at most 10 s: it still holds its ports.
  pid_t Running(const PlannedProcess& process) const;
  bool AnyRuns() const;

  // Starts a process that does not run, in its own session, and returns its id. The forked child
  // writes the file with the process id before it calls exec, so no process runs without that file.
  // kUnavailable: another program listens on its port; kInternal: the system call fails.
  [[nodiscard]] StatusOr<pid_t> Start(const PlannedProcess& process) const;

  // Sends the signal if the process runs.
  void Signal(const PlannedProcess& process, int number) const;
  // Removes the file with the process id after the process has ended; a missing file is no error.
  void Forget(const PlannedProcess& process) const;

  // The last lines of the process's log.
  std::string EndOfLog(const PlannedProcess& process) const;

 private:
  std::string PathOf(const std::string& relative) const { return plan_.directory + "/" + relative; }

  const ClusterPlan& plan_;
};

// True if the ZooKeeper member on this port of 127.0.0.1 serves clients.
bool MemberServes(int port);

}  // namespace sippar::cli
