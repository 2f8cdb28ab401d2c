// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/member_transport.h"

#include "cluster/wire/line_ports.h"

namespace sippar::cluster {

bool MemberTransport::IsCut(const ServerId& server) {
  engine::MutexLock lock(&mutex_);
  auto line = lines_.find({server, net::Lane::kMaster});
  return line != lines_.end() && line->second->is_cut();
}

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
  std::shared_ptr<Line>& line = lines_[{server, lane}];
  if (line != nullptr) return line;
  auto find = [addresses = addresses_, server] { return addresses->OfServer(server); };
  line = std::make_shared<Line>(settings_, LineOptions{.lane = lane, .find = find});
  std::shared_ptr<Line> made = line;
  std::erase_if(lines_, [&server](const auto& entry) {
    const ServerId& known = entry.first.first;
    return known.name == server.name && known.epoch < server.epoch;
  });
  return made;
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
