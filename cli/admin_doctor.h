// `sippar admin doctor`: reports what is wrong with a store or a cluster, why, and how to repair
// it. Changes nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sippar::cli {

class DoctorCommand {
 public:
  // Adds the subcommand. The object must outlive the parsing.
  void AddTo(CLI::App* app);
  bool parsed() const;
  // Returns kExitOk if nothing is wrong, kExitFailed if something is or a directory cannot be
  // examined, kExitUsage if the target is not valid, or kExitNoStore if too little can be examined
  // because ZooKeeper, the cluster or its master is missing or does not answer.
  int Run() const;

 private:
  int ExamineDirectory() const;
  int ExamineTheCluster() const;
  void Print(const std::string& line) const;

  std::string target_;
  std::string format_ = "text";
  CLI::App* doctor_ = nullptr;
};

}  // namespace sippar::cli
