// The Transport between processes: lines over cluster/net to members, which are found by what they
// registered. SPDX-License-Identifier: Apache-2.0
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
  // `addresses` outlives what this hands out.
  MemberTransport(LineSettings settings, MemberAddresses* addresses)
      : settings_(std::move(settings)), addresses_(addresses) {}

  std::shared_ptr<TabletService> Tablets(const ServerId& server, net::Lane lane) override;
  std::shared_ptr<TabletControl> Control(const ServerId& server) override;
  // An administrator's calls may take long, so the master's other calls have a lane without them.
  std::shared_ptr<AdminApi> Admin() override;
  std::shared_ptr<MasterNotices> Notices() override;

 private:
  using Key = std::pair<ServerId, net::Lane>;
  std::shared_ptr<Line> LineTo(const ServerId& server, net::Lane lane);
  std::shared_ptr<Line> MasterLine(net::Lane lane);

  const LineSettings settings_;
  MemberAddresses* const addresses_;
  engine::Mutex mutex_;
  // One line, and so one connection, for all handles of one life on one lane, also when there is
  // none for a while. It stays until a later life of that name is called.
  std::map<Key, std::shared_ptr<Line>> lines_ GUARDED_BY(mutex_);
  std::map<net::Lane, std::shared_ptr<Line>> master_lines_ GUARDED_BY(mutex_);
};

}  // namespace sippar::cluster
