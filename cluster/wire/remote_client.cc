// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_client.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/failure.h"

namespace sippar::cluster {
namespace {

// Longest wait for the probe's answer. It is longer than the time limit of connecting, so that the
// error of a failed connection is reported instead.
constexpr int64_t kProbeUs = 8'000'000;

}  // namespace

StatusOr<std::unique_ptr<RemoteClient>> RemoteClient::Connect(const MemberAddress& address,
                                                              const std::string& target,
                                                              const LineSettings& settings) {
  LineOptions options;
  options.find = [address] { return address; };
  options.reconnects = false;
  LineSettings used = settings;
  std::unique_ptr<net::LaneLoops> own;
  if (used.loops == nullptr) {
    own = std::make_unique<net::LaneLoops>("wire");
    used.loops = own.get();
  }
  auto line = std::make_shared<Line>(std::move(used), std::move(options));
  std::unique_ptr<RemoteClient> client(new RemoteClient(std::move(own), std::move(line), target));
  RETURN_IF_ERROR(client->Probe());
  return client;
}

Status RemoteClient::Probe() {
  constexpr CallRule kProbe = LookUpRule("probe");
  const Status alive = line_->Call(Method::kProbe, kProbe, "", {nullptr, kProbeUs}).status();
  if (alive.ok()) return alive;
  const bool is_other_version = alive.code() == StatusCode::kUnimplemented;
  // The caller has set no deadline; kProbeUs is this function's own. So a late answer is reported
  // as kUnavailable.
  const bool is_late = alive.code() == StatusCode::kDeadlineExceeded;
  return net::Retold(
      alive, is_late ? StatusCode::kUnavailable : alive.code(),
      fmt::format("{}: {}{}", target_, MessageOf(alive),
                  is_other_version ? "; use the same version of sippar for both" : ""));
}

}  // namespace sippar::cluster
