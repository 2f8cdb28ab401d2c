// The gRPC server: serves one client through all services, on an address, on connections that are
// handed to it, or both. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/bigtable/data_service.h"
#include "cluster/bigtable/instance_admin_service.h"
#include "cluster/bigtable/instance_records.h"
#include "cluster/bigtable/operations_service.h"
#include "cluster/bigtable/row_reads.h"
#include "cluster/bigtable/row_writes.h"
#include "cluster/bigtable/table_admin_service.h"
#include "cluster/grpc/call_loop.h"
#include "cluster/grpc/health_service.h"
#include "cluster/grpc/reflection.h"
#include "cluster/grpc/unknown_calls.h"
#include "cluster/serve/api_server.h"
#include "cluster/wire/store_service.h"

namespace sippar::cluster {

class GrpcServer {
 public:
  // `client` must outlive the server. The address in `options` is not used; Start takes one.
  GrpcServer(Client* client, const ApiServerOptions& options);
  ~GrpcServer() { Stop(0); }
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Starts to serve; to be called once. `listen` "": on no address. kUnavailable: the address is in
  // use.
  [[nodiscard]] Status Start(const std::string& listen);
  int port() const { return port_; }
  // Serves the process at the other end of the socket, and takes over the descriptor.
  void AddConnection(int fd);
  // Number of calls of Sippar's own service that have begun.
  uint64_t store_calls() const { return store_.calls_begun(); }
  // Ends the calls of Sippar's own service; the first part of Stop (StoreService::Leave).
  void Leave() { store_.Leave(); }
  // Accepts no new calls, waits up to `drain_us` for the running ones, then ends them.
  void Stop(int64_t drain_us);

 private:
  void StartLoops();

  const ApiServerOptions options_;
  const InstanceRecords records_;
  OperationsService operations_;
  DataService data_;
  RowReads reads_;
  RowWrites writes_;
  std::vector<CallLoop> loops_;
  TableAdminService table_admin_;
  InstanceAdminService instance_admin_;
  StoreService store_;
  HealthService health_;
  Reflection reflection_;
  UnknownCalls unknown_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace sippar::cluster
