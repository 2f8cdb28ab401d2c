// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_client.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/create_channel_posix.h>

#include "cluster/grpc/unix_socket.h"
#include "cluster/wire/remote_data.h"
#include "cluster/wire/stream_end.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kHelloUs = 5'000'000;  // longest wait for the answer to Hello
// A server without power closes no connection (tests/FAULTS.md N5), so the client pings a silent
// one. The answer gets more time than the silence: it may be queued after megabytes of data in a
// slow tunnel, and gRPC notices it only every 5 s while the user's thread does something else, such
// as waiting for a pager.
constexpr int kSilenceMs = 10'000;
constexpr int kPingAnswerMs = 30'000;
constexpr std::string_view kUnixPrefix = "unix:";

StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // the server limits its replies
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (!address.starts_with(kUnixPrefix)) {
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // each client has its own connection
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kSilenceMs);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnswerMs);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no limit
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  }
  ASSIGN_OR_RETURN(int fd, ConnectSocket(address.substr(kUnixPrefix.size())));
  return grpc::CreateCustomInsecureChannelFromFd("sippar", fd, arguments);
}

// Implements AdminApi under the rules of remote_data.h.
class RemoteAdmin final : public AdminApi {
 public:
  explicit RemoteAdmin(std::shared_ptr<StoreConnection> connection)
      : connection_(std::move(connection)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override {
    TakeReply(connection_->Carry(RuleOf(call), EncodeCall(call), options), call);
  }

 private:
  const std::shared_ptr<StoreConnection> connection_;
};

class ConnectedClient final : public RemoteClient {
 public:
  ConnectedClient(std::shared_ptr<StoreConnection> connection, std::string target,
                  engine::Clock* clock)
      : connection_(std::move(connection)),
        target_(std::move(target)),
        clock_(clock),
        data_(connection_, clock),
        admin_(connection_) {}

  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return clock_; }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }
  bool is_lost() const override { return connection_->is_lost(); }

  Status Probe() override {
    wire::HelloReply reply;
    RETURN_IF_ERROR(connection_->Hello(kHelloUs, &reply));
    if (reply.version() == kStoreVersion) return OkStatus();
    return FailedPrecondition(
        fmt::format("{}: its server speaks version {} of the store's service, this program {}; use "
                    "the same sippar for both",
                    target_, reply.version(), kStoreVersion));
  }

 private:
  const std::shared_ptr<StoreConnection> connection_;
  const std::string target_;
  engine::Clock* const clock_;
  RemoteData data_;
  RemoteAdmin admin_;
};

}  // namespace

StatusOr<std::unique_ptr<RemoteClient>> RemoteClient::Connect(const std::string& address,
                                                              const std::string& target,
                                                              engine::Clock* clock) {
  ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, OpenChannel(address));
  auto connection = std::make_shared<StoreConnection>(std::move(channel), target);
  auto client = std::make_unique<ConnectedClient>(std::move(connection), target, clock);
  RETURN_IF_ERROR(client->Probe());
  return std::unique_ptr<RemoteClient>(std::move(client));
}

}  // namespace sippar::cluster
