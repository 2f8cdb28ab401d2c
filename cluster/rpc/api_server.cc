// The gRPC server: all services on each address. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/api_server.h"

#include <fmt/format.h>
#include <grpc/support/time.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "cluster/rpc/data_service.h"
#include "cluster/rpc/instance_admin_service.h"
#include "cluster/rpc/operations_service.h"
#include "cluster/rpc/request_size.h"
#include "cluster/rpc/status_codes.h"
#include "cluster/rpc/table_admin_service.h"

namespace sippar::cluster {
namespace {

constexpr int kThreadsMax = 512;               // each call has one; more are refused at once
constexpr size_t kTransportMemory = 1u << 30;  // of gRPC, for all calls together

// Calls nobody else has: their name tells a client's author what is missing.
class UnknownCalls final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    class Refusal final : public grpc::ServerGenericBidiReactor {
     public:
      explicit Refusal(const std::string& method) {
        Finish(ToGrpc(Unimplemented(fmt::format("{} is not there yet", method))));
      }
      void OnDone() override { delete this; }
    };
    return new Refusal(context->method());
  }
};

// "host:port" whose host only this machine reaches.
Status CheckLoopback(const std::string& listen) {
  size_t colon = listen.rfind(':');
  std::string host = listen.substr(0, colon == std::string::npos ? 0 : colon);
  std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
  bool is_port = !port.empty() && port.size() <= 5 &&
                 port.find_first_not_of("0123456789") == std::string::npos &&
                 std::stoi(port) <= 65'535;
  if (!is_port) {
    return InvalidArgument(
        fmt::format("address '{}' is not HOST:PORT, e.g. localhost:8086", listen));
  }
  bool is_dotted =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos;
  if (host == "localhost" || host == "[::1]" || is_dotted) return OkStatus();
  return InvalidArgument(
      fmt::format("address '{}' can be reached from other machines, and nothing is encrypted yet; "
                  "listen on localhost:{} and forward it, e.g. ssh -L",
                  listen, port));
}

class GrpcApiServer final : public ApiServer {
 public:
  GrpcApiServer(Client* client, const ApiServerOptions& options)
      : records_(client, options.strict_instances),
        data_(&records_),
        table_admin_(&records_, &operations_),
        instance_admin_(&records_, &operations_) {}
  ~GrpcApiServer() override { Stop(0); }

  Status Listen(const ApiServerOptions& options) {
    RETURN_IF_ERROR(CheckLoopback(options.listen));
    grpc::ServerBuilder builder;
    int port = 0;
    int socket = 0;
    auto plain = grpc::InsecureServerCredentials();
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers on a port: an error
    builder.AddListeningPort(options.listen, plain, &port);
    if (!options.socket_path.empty()) {
      builder.AddListeningPort("unix:" + options.socket_path, plain, &socket);
    }
    builder.SetMaxReceiveMessageSize(kRequestSizeMax);
    builder.SetMaxSendMessageSize(-1);  // ours are small but for one row of a ReadModifyWriteRow
    builder.SetResourceQuota(
        grpc::ResourceQuota("sippar").SetMaxThreads(kThreadsMax).Resize(kTransportMemory));
    builder.RegisterService(&data_);
    builder.RegisterService(&table_admin_);
    builder.RegisterService(&instance_admin_);
    builder.RegisterService(&operations_);
    builder.RegisterCallbackGenericService(&unknown_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      return Unavailable(
          fmt::format("cannot listen on {}: is another server there?", options.listen));
    }
    address_ = options.listen.substr(0, options.listen.rfind(':') + 1) + std::to_string(port);
    return OkStatus();
  }

  const std::string& address() const override { return address_; }

  void Stop(int64_t drain_us) override {
    if (server_ == nullptr) return;
    data_.EndStreams();
    server_->Shutdown(
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(drain_us, GPR_TIMESPAN)));
    server_->Wait();
    server_.reset();
  }

 private:
  const InstanceRecords records_;
  OperationsService operations_;
  DataService data_;
  TableAdminService table_admin_;
  InstanceAdminService instance_admin_;
  UnknownCalls unknown_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace

StatusOr<std::unique_ptr<ApiServer>> ApiServer::Start(Client* client,
                                                      const ApiServerOptions& options) {
  auto server = std::make_unique<GrpcApiServer>(client, options);
  RETURN_IF_ERROR(server->Listen(options));
  return std::unique_ptr<ApiServer>(std::move(server));
}

}  // namespace sippar::cluster
