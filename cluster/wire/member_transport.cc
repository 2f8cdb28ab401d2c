// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/member_transport.h"

#include "cluster/wire/line_ports.h"

namespace sippar::cluster {

std::shared_ptr<TabletService> MemberTransport::Tablets(const ServerId& server, net::Lane lane) {
  return std::make_shared<LineTablets>(LineTo(server, lane));
}

std::shared_ptr<TabletControl> MemberTransport::Control(const ServerId& server) {
  return std::make_shared<LineControl>(LineTo(server, net::Lane::kMaster));
}

std::shared_ptr<AdminApi> MemberTransport::Admin() {
  return std::make_shared<LineAdmin>(MasterLine(net::Lane::kUsers));
}

std::shared_ptr<MasterNotices> MemberTransport::Notices() {
  return std::make_shared<LineNotices>(MasterLine(net::Lane::kMaster));
}

std::shared_ptr<Line> MemberTransport::LineTo(const ServerId& server, net::Lane lane) {
  engine::MutexLock lock(&mutex_);
  std::weak_ptr<Line>& known = lines_[{server, lane}];
  if (std::shared_ptr<Line> line = known.lock()) return line;
  auto find = [addresses = addresses_, server] { return addresses->OfServer(server); };
  auto line = std::make_shared<Line>(settings_, LineOptions{.lane = lane, .find = find});
  known = line;
  // Lives end, and no handle is left of them: they are forgotten when another life appears.
  std::erase_if(lines_, [](const auto& entry) { return entry.second.expired(); });
  return line;
}

std::shared_ptr<Line> MemberTransport::MasterLine(net::Lane lane) {
  engine::MutexLock lock(&mutex_);
  std::shared_ptr<Line>& line = master_lines_[lane];
  if (line == nullptr) {
    LineOptions options{.lane = lane};
    options.find = [addresses = addresses_] { return addresses->OfMaster(); };
    options.finds_again = true;
    line = std::make_shared<Line>(settings_, std::move(options));
  }
  return line;
}

}  // namespace sippar::cluster
