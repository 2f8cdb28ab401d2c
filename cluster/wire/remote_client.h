// A client of one member over cluster/net: it has one connection, ends with it, and makes each call
// once, without retries. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cluster/client/client.h"
#include "cluster/wire/line_ports.h"

namespace sippar::cluster {

class RemoteClient final : public Client {
 public:
  // When OK, the member has answered, and both ends agree on a version. kUnavailable: no member
  // answers; if net::IsWithoutHello(status), perhaps another program listens there;
  // kUnimplemented: the ends have no version in common; kPermissionDenied: a process of another
  // user listens on the unix socket; kInvalidArgument: the member belongs to another cluster, or
  // no certificate can name its host.
  // `target` names the member in error messages.
  [[nodiscard]] static StatusOr<std::unique_ptr<RemoteClient>> Connect(
      const MemberAddress& address, const std::string& target, const LineSettings& settings);

  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return line_->clock(); }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }

  // True after the connection has ended: this client can then do nothing more.
  bool is_lost() const { return line_->is_over(); }
  // Checks that the member answers. kUnavailable: it cannot be reached, or does not answer within 8
  // seconds. kDeadlineExceeded: the caller's shorter timeout has passed. kCancelled: the caller
  // cancelled.
  [[nodiscard]] Status Probe(const CallOptions& options = {});

 private:
  RemoteClient(std::unique_ptr<net::LaneLoops> loops, std::shared_ptr<Line> line,
               std::string target)
      : loops_(std::move(loops)),
        line_(std::move(line)),
        target_(std::move(target)),
        data_(line_),
        admin_(line_) {}

  // The loops of the line, if they are its own. Declared before the line, so they are destroyed
  // after it.
  const std::unique_ptr<net::LaneLoops> loops_;
  const std::shared_ptr<Line> line_;
  const std::string target_;
  LineData data_;
  LineAdmin admin_;
};

}  // namespace sippar::cluster
