// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/line_client.h"

#include <utility>

#include "cluster/wire/line_ports.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kProbeUs = 5'000'000;  // longest wait for a sign of life

class LineClient final : public RemoteClient {
 public:
  LineClient(std::shared_ptr<Line> line, std::string target)
      : line_(std::move(line)), target_(std::move(target)), data_(line_), admin_(line_) {}

  DataApi* data() override { return &data_; }
  AdminApi* admin() override { return &admin_; }
  engine::Clock* clock() override { return line_->clock(); }
  const std::string& target() const override { return target_; }
  Status Close() override { return OkStatus(); }
  bool is_lost() const override { return line_->is_over(); }

  Status Probe() override {
    constexpr CallRule kProbe = LookUpRule("probe");
    return Annotate(line_->Call(Method::kProbe, kProbe, "", {nullptr, kProbeUs}).status(), target_);
  }

 private:
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
  auto client =
      std::make_unique<LineClient>(std::make_shared<Line>(settings, std::move(options)), target);
  RETURN_IF_ERROR(client->Probe());
  return std::unique_ptr<RemoteClient>(std::move(client));
}

}  // namespace sippar::cluster
