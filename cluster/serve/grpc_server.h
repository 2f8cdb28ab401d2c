// The gRPC server: serves one client through all services of the Cloud Bigtable API, on connections
// that were accepted elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <vector>

#include "cluster/api/slow_calls.h"
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

namespace sippar::cluster {

// Returns the object that reports slow calls as `options` say, by the clock of `client`; null: none
// are reported.
std::shared_ptr<SlowCalls> SlowCallsOf(Client* client, const ApiServerOptions& options);

class GrpcServer {
 public:
  // `client` must outlive the server. The address in `options` and its settings for slow calls are
  // ignored. `slow_calls` gets the reports of slow calls; null: none are reported.
  GrpcServer(Client* client, const ApiServerOptions& options,
             std::shared_ptr<SlowCalls> slow_calls);
  ~GrpcServer() { Stop(0); }
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Starts to serve. To be called once. kUnavailable: gRPC does not start.
  [[nodiscard]] Status Start();
  // Serves the process at the other end of the socket, and takes over the descriptor.
  void AddConnection(int fd);
  // Accepts no new calls, waits up to `drain_us` for the running ones, then ends them.
  void Stop(int64_t drain_us);

 private:
  void StartLoops();

  const std::shared_ptr<SlowCalls> slow_calls_;
  const InstanceRecords records_;
  OperationsService operations_;
  DataService data_;
  RowReads reads_;
  RowWrites writes_;
  std::vector<CallLoop> loops_;
  TableAdminService table_admin_;
  InstanceAdminService instance_admin_;
  HealthService health_;
  Reflection reflection_;
  UnknownCalls unknown_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace sippar::cluster
