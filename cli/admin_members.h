// `sippar admin init`, `stop` and `collapse`: make a cluster of many machines, end all its
// processes, and make its directory a store of one process again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sippar::cli {

class MemberCommands {
 public:
  // Adds the subcommands. The object must outlive the parsing.
  void AddTo(CLI::App* app);
  bool parsed() const;
  int Run() const;  // the exit code

 private:
  int Init() const;
  int Stop() const;
  int Collapse() const;

  std::string target_;
  std::string store_;
  std::string directory_;
  std::string timeout_ = "60s";
  bool allows_unsafe_store_ = false;
  CLI::App* init_ = nullptr;
  CLI::App* stop_ = nullptr;
  CLI::App* collapse_ = nullptr;
};

}  // namespace sippar::cli
