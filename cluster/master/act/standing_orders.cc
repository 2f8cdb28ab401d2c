// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/standing_orders.h"

#include <algorithm>

#include "cluster/lock/lock_paths.h"
#include "engine/model/named_record.h"

namespace sippar::cluster::master {
namespace {

constexpr std::string_view kBalancingOff = "balancing off";
constexpr std::string_view kDrained = "drained ";

// Removes the first line from `*text` and returns it.
std::string_view TakeLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

bool IsKnown(std::string_view line) {
  return line.empty() || line == kBalancingOff || line.starts_with(kDrained);
}

}  // namespace

std::string EncodeOrders(const StandingOrders& orders, std::string_view before) {
  std::string text;
  if (!orders.balancing) text.append(kBalancingOff).append("\n");
  for (const std::string& name : orders.drained) text.append(kDrained).append(name).append("\n");
  while (!before.empty()) {
    const std::string_view line = TakeLine(&before);
    if (!IsKnown(line)) text.append(line).append("\n");
  }
  return text;
}

StandingOrders DecodeOrders(std::string_view text) {
  StandingOrders orders;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (line == kBalancingOff) orders.balancing = false;
    if (line.starts_with(kDrained)) orders.drained.emplace_back(line.substr(kDrained.size()));
  }
  std::sort(orders.drained.begin(), orders.drained.end());
  return orders;
}

// A damaged record must not stop a master's work, so ReadOrders returns nullopt for it. A call that
// changes the orders reports the damage.
std::optional<StandingOrders> ReadOrders(LockSession* session) {
  auto file = session->Read(lock_paths::Record(kOrdersRecord), Freshness::kCached);
  if (file.status().code() == StatusCode::kNotFound) return StandingOrders();
  if (!file.ok()) return std::nullopt;
  auto record = engine::NamedRecord::Decode(file->content);
  if (!record.ok()) return std::nullopt;
  return DecodeOrders(record->body);
}

}  // namespace sippar::cluster::master
