// The subcommands of `sippar admin` that look after the servers and tablets of a cluster: status,
// wait, tablets, events, traces, move, letback, balance, drain, undrain. A store that one process
// opens is a cluster of one server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "cluster/node/open_client.h"

namespace CLI {
class App;
}

namespace sippar::cli {

class ClusterCommands {
 public:
  // Adds the subcommands to `app`. The object must outlive the parsing.
  void AddTo(CLI::App* app);
  bool parsed() const;
  // Runs the subcommand that was parsed; returns the exit code.
  int Run();

 private:
  using Work = std::function<int(ClusterCommands* self, cluster::Client* client)>;
  struct Action {
    CLI::App* app;
    Work work;
  };

  CLI::App* Add(CLI::App* app, const char* name, const char* summary, Work work);
  int ShowStatus(cluster::Client* client);
  int ShowTablets(cluster::Client* client);
  int ShowEvents(cluster::Client* client);
  int ShowTraces(cluster::Client* client);
  int Balance(cluster::Client* client);
  int Wait();

  std::string target_;
  std::string table_;
  std::string row_;
  std::string server_;
  std::string format_ = "text";
  std::string balance_;
  cluster::Patience patience_;
  int64_t servers_ = -1;  // -1: any number
  int64_t timeout_us_ = 30'000'000;
  CLI::App* wait_ = nullptr;
  std::vector<Action> actions_;
};

}  // namespace sippar::cli
