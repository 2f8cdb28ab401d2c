// `sippar admin init` and `stop`: make a cluster of many machines, and end all its processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sippar::cli {

class MemberCommands {
 public:
  // Adds the subcommands. The object outlives the parsing.
  void AddTo(CLI::App* app);
  bool parsed() const;
  int Run() const;  // the exit code

 private:
  int Init() const;
  int Stop() const;

  std::string target_;
  std::string store_;
  std::string timeout_ = "60s";
  CLI::App* init_ = nullptr;
  CLI::App* stop_ = nullptr;
};

}  // namespace sippar::cli
