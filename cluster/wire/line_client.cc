// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/line_client.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/failure.h"
#include "cluster/wire/line_ports.h"

namespace sippar::cluster {
namespace {

// Longest wait for a sign of life; longer than a connection may take, so that its error is told.
constexpr int64_t kProbeUs = 8'000'000;

class LineClient final : public RemoteClient {
 public:
  // `loops`: those of the line, if it shares them with no other. May be null.
  LineClient(std::unique_ptr<net::LaneLoops> loops, std::shared_ptr<Line> line, std::string target)
      : loops_(std::move(loops)),
        line_(std::move(line)),
        target_(std::move(target)),
        data_(line_),
        admin_(line_) {}

  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return line_->clock(); }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }
  bool is_lost() const override { return line_->is_over(); }

  Status Probe() override {
    constexpr CallRule kProbe = LookUpRule("probe");
    const Status alive = line_->Call(Method::kProbe, kProbe, "", {nullptr, kProbeUs}).status();
    if (alive.ok()) return alive;
    // The limit is the probe's own, and no caller's.
    const bool is_late = alive.code() == StatusCode::kDeadlineExceeded;
    return net::Retold(alive, is_late ? StatusCode::kUnavailable : alive.code(),
                       fmt::format("{}: {}", target_, MessageOf(alive)));
  }

 private:
  const std::unique_ptr<net::LaneLoops> loops_;  // goes last: the line uses it
  const std::shared_ptr<Line> line_;
  const std::string target_;
  LineData data_;
  LineAdmin admin_;
};

}  // namespace

StatusOr<std::unique_ptr<RemoteClient>> ConnectLine(const MemberAddress& address,
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
  auto client = std::make_unique<LineClient>(std::move(own), std::move(line), target);
  RETURN_IF_ERROR(client->Probe());
  return std::unique_ptr<RemoteClient>(std::move(client));
}

}  // namespace sippar::cluster
