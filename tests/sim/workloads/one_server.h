// A single process that opens a directory as every command does, its clients on other machines, and
// the faults that they meet. Used by one_server*.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "engine/store/store_options.h"
#include "tests/sim/row_history.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/workloads/row_client.h"

namespace sippar::sim {

// Drawn from the seed. Each kind of fault occurs in half of the histories, so that one kind does
// not hide what another would show.
struct OneServerKnobs {
  engine::TableSchema schema;
  std::vector<std::string> split_keys;
  engine::StoreOptions store;
  uint64_t clients = 2;
  uint64_t operations_each = 40;
  std::vector<std::string> rows;
  uint64_t crash_point_one_in = 0;  // one in so many passages of any crash point kills the server
  bool kills = false;
  bool closes = false;
  bool clock_jumps = false;
  bool partitions = false;
  bool reshapes = false;
  bool disk_stops = false;  // disks that are full, read-only or hanging
  DiskFaults disk;
  NetworkFaults network;

  static OneServerKnobs Draw(engine::Random* random);
  // The options on a few lines, for people.
  std::string Text() const;
};

// One life of the server process. It is never freed if it is killed.
struct ServerProcess {
  std::unique_ptr<cluster::Client> client;
  uint64_t calls_running = 0;
};

class OneServer {
 public:
  OneServer(World* world, const OneServerKnobs& knobs);

  // Runs the whole history, as the first thread of the test's machine.
  void Run();
  const RowHistories& histories() const { return histories_; }
  uint64_t kills() const { return kills_; }
  void AtCrashPoint(const char* name);

 private:
  enum class Server { kDown, kStarting, kUp, kClosing };
  static constexpr MachineId kServer = 1;
  static constexpr MachineId kFirstClient = 2;
  static constexpr int64_t kServedAgainMicros = 20'000'000;  // the bound of I6

  // --- The server (one_server.cc).
  void StartServer();
  void ServerMain(ServerProcess* process);
  void CloseServer();
  void KillServer(bool power_lost);
  bool WaitForServer(Server state, int64_t timeout_us);
  template <typename Response>
  StatusOr<Response> OnServer(std::function<StatusOr<Response>(cluster::Client*)> work,
                              int64_t timeout_us = 1'000'000);

  // --- The clients (one_server_client.cc).
  class Store;
  void ClientMain(uint64_t number);
  RowClient Client(const std::string& by);

  // --- Faults and other events (one_server_faults.cc).
  void Trouble();
  void MakeTrouble();
  void StopDisk();
  void Reshape();
  void StopTrouble();
  void CheckServedAgain();
  bool ServesAll(const std::string& by);

  World* world_;
  const OneServerKnobs knobs_;
  RowHistories histories_;
  Server server_ = Server::kDown;
  ServerProcess* process_ = nullptr;  // the current life of the server process
  uint64_t clients_left_ = 0;
  uint64_t kills_ = 0;
  bool trouble_ = true;
  std::unique_ptr<RowStore> rows_;
};

// Runs `work` on the server's machine, as one of the calls for which closing waits.
template <typename Response>
StatusOr<Response> OneServer::OnServer(std::function<StatusOr<Response>(cluster::Client*)> work,
                                       int64_t timeout_us) {
  CallOptions options;
  options.timeout_us = timeout_us;
  std::function<StatusOr<Response>(ServerProcess*)> call = [work](ServerProcess* process) {
    ++process->calls_running;
    StatusOr<Response> response = work(process->client.get());
    --process->calls_running;
    return response;
  };
  return world_->network()->Call<ServerProcess, Response>(kServer, std::move(call), options);
}

}  // namespace sippar::sim
