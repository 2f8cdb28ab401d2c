// SPDX-License-Identifier: Apache-2.0
#include "cluster/serve/api_server.h"

#include <fmt/format.h>

#include "cluster/serve/grpc_server.h"

namespace sippar::cluster {
namespace {

// Accepts "host:port" only if no other machine can reach the host. Names other than localhost are
// refused, because they may resolve to any address.
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
      fmt::format("address '{}' can be reached from other machines, and connections are not "
                  "encrypted; listen on localhost:{} and forward it, e.g. ssh -L",
                  listen, port));
}

class GrpcApiServer final : public ApiServer {
 public:
  GrpcApiServer(Client* client, const ApiServerOptions& options) : server_(client, options) {}

  Status Listen(const std::string& listen) {
    RETURN_IF_ERROR(CheckLoopback(listen));
    RETURN_IF_ERROR(server_.Start(listen));
    address_ = listen.substr(0, listen.rfind(':') + 1) + std::to_string(server_.port());
    return OkStatus();
  }
  const std::string& address() const override { return address_; }
  void Stop(int64_t drain_us) override { server_.Stop(drain_us); }

 private:
  GrpcServer server_;
  std::string address_;
};

}  // namespace

StatusOr<std::unique_ptr<ApiServer>> ApiServer::Start(Client* client,
                                                      const ApiServerOptions& options) {
  auto server = std::make_unique<GrpcApiServer>(client, options);
  RETURN_IF_ERROR(server->Listen(options.listen));
  return std::unique_ptr<ApiServer>(std::move(server));
}

}  // namespace sippar::cluster
