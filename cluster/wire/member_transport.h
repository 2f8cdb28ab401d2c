// The Transport between processes: makes lines (wire/line.h) to members, whose addresses it finds
// by what they registered in the lock service.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "cluster/api/transport.h"
#include "cluster/wire/line.h"

namespace sippar::cluster {

// Thread safe.
class MemberTransport final : public Transport {
 public:
  // `addresses` outlives the object and all interfaces that it returns.
  MemberTransport(LineSettings settings, MemberAddresses* addresses)
      : settings_(std::move(settings)), addresses_(addresses) {}

  bool IsCut(const ServerId& server) override;
  std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) override;
  std::shared_ptr<TabletControl> Control(const ServerId& server) override;
  // Calls of AdminApi may take long. They use the users' lane, so they do not delay other calls to
  // the master.
  std::shared_ptr<AdminApi> Admin() override;
  std::shared_ptr<MasterNotices> Notices() override;

 private:
  using Key = std::pair<ServerId, net::Lane>;
  std::shared_ptr<Line> LineTo(const ServerId& server, net::Lane lane);
  std::shared_ptr<Line> MasterLine(net::Lane lane);

  const LineSettings settings_;
  MemberAddresses* const addresses_;
  engine::Mutex mutex_;
  // One line, and so one connection, for each run of a server and each lane. All interfaces that
  // are returned for a run and a lane share the line. The line stays until a caller asks for a
  // later run of the same server.
  std::map<Key, std::shared_ptr<Line>> lines_ GUARDED_BY(mutex_);
  std::map<net::Lane, std::shared_ptr<Line>> master_lines_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
