// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/standing_orders.h"

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "engine/model/named_record.h"

namespace sippar::cluster::master {
namespace {

constexpr std::string_view kBalancingOff = "balancing off";
constexpr std::string_view kDrained = "drained ";

}  // namespace

std::string EncodeOrders(const StandingOrders& orders) {
  std::string text;
  if (!orders.balancing) text.append(kBalancingOff).append("\n");
  for (const std::string& name : orders.drained) text.append(kDrained).append(name).append("\n");
  return text;
}

StandingOrders DecodeOrders(std::string_view text) {
  StandingOrders orders;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line == kBalancingOff) orders.balancing = false;
    if (line.starts_with(kDrained)) orders.drained.emplace_back(line.substr(kDrained.size()));
  }
  std::sort(orders.drained.begin(), orders.drained.end());
  return orders;
}

// A damaged record must not keep a master from its work, so it is no error here; a change of the
// orders reports it.
std::optional<StandingOrders> ReadOrders(LockSession* session) {
  auto file = session->Read(lock_paths::Record(kOrdersRecord));
  if (file.status().code() == StatusCode::kNotFound) return StandingOrders();
  if (!file.ok()) return std::nullopt;
  auto record = engine::NamedRecord::Decode(file->content);
  if (!record.ok()) return std::nullopt;
  return DecodeOrders(record->body);
}

}  // namespace sippar::cluster::master
