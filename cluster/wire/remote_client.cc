// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/remote_client.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/failure.h"

namespace sippar::cluster {
namespace {

// Longest wait for the probe's answer. It is longer than the time to connect, so that a failure to
// connect is reported as such.
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

Status RemoteClient::Probe(const CallOptions& options) {
  constexpr CallRule kProbe = LookUpRule("probe");
  const bool is_hurried = options.timeout_us > 0 && options.timeout_us < kProbeUs;
  const int64_t timeout_us = is_hurried ? options.timeout_us : kProbeUs;
  const Status alive =
      line_->Call(Method::kProbe, kProbe, "", {options.cancel, timeout_us}).status();
  if (alive.ok()) return alive;
  const bool is_other_version = alive.code() == StatusCode::kUnimplemented;
  // If the caller's own timeout ended the wait, the error remains kDeadlineExceeded. If kProbeUs
  // ended it, the error is kUnavailable, because the member does not answer.
  const bool is_late = alive.code() == StatusCode::kDeadlineExceeded && !is_hurried;
  return net::Retold(
      alive, is_late ? StatusCode::kUnavailable : alive.code(),
      fmt::format("{}: {}{}", target_, MessageOf(alive),
                  is_other_version ? "; use the same version of sippar for both" : ""));
}

}  // namespace sippar::cluster
