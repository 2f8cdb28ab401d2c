// The record in which the lock service keeps the administrators' StandingOrders: whether to
// balance, and which servers are drained. It is a named record like those of AdminApi, so its
// changes are conditional and durable. A master reads it whenever it lists the servers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/cluster_status.h"
#include "cluster/lock/lock_service.h"
#include "engine/base/status.h"

namespace sippar::cluster::master {

inline constexpr char kOrdersRecord[] = "cluster/orders";

// Encodes the orders as text, with one line for each order. A reader ignores lines that it does not
// know, and a writer copies such lines from `before`, the earlier text. So a later version can add
// orders.
std::string EncodeOrders(const StandingOrders& orders, std::string_view before = "");
StandingOrders DecodeOrders(std::string_view text);

// Returns the orders in force at the time of the session's last consistent call; if there is no
// record, the orders of a new cluster (balancing on, no server drained). None: the record cannot be
// read now, or is damaged.
std::optional<StandingOrders> ReadOrders(LockSession* session);

}  // namespace sippar::cluster::master
