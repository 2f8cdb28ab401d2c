// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/act/statement_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sippar::cluster::master {
namespace {

bool Has(const std::vector<StatementInfo>& statements, const std::string& id) {
  return std::any_of(statements.begin(), statements.end(),
                     [&](const StatementInfo& statement) { return statement.id == id; });
}

void Cut(std::string* text, size_t size_max) {
  if (text->size() > size_max) text->resize(size_max);
}

}  // namespace

void StatementRegistry::DropSilent() {
  dropped_nanos_ = clock_->MonotonicNanos();
  const int64_t oldest_nanos = dropped_nanos_ - kSilenceUs * 1000;
  std::erase_if(clients_,
                [&](const auto& entry) { return entry.second.heard_nanos < oldest_nanos; });
}

StatementInfo StatementRegistry::Now(const Reported& client, const StatementInfo& statement) const {
  StatementInfo now = statement;
  now.elapsed_us += (clock_->MonotonicNanos() - client.heard_nanos) / 1000;
  return now;
}

std::vector<StatementOrder> StatementRegistry::Perform(const calls::ReportStatements& asked) {
  engine::MutexLock lock(&mutex_);
  if (clock_->MonotonicNanos() - dropped_nanos_ >= kSilenceUs * 1000) DropSilent();
  if (asked.statements.empty()) {
    clients_.erase(asked.client);
    return {};
  }
  auto at = clients_.find(asked.client);
  if (at == clients_.end()) {
    if (clients_.size() >= kClientsMax) return {};
    at = clients_.try_emplace(asked.client).first;
  }
  Reported& client = at->second;
  client.heard_nanos = clock_->MonotonicNanos();
  client.statements = asked.statements;
  if (client.statements.size() > kStatementsMax) client.statements.resize(kStatementsMax);
  // Sippar's own clients send less.
  for (StatementInfo& statement : client.statements) {
    for (std::string* name : {&statement.id, &statement.host, &statement.table}) Cut(name, 256);
    Cut(&statement.text, 1024);
  }
  // The orders of statements that still run are returned again: an answer may have been lost.
  std::erase_if(client.orders,
                [&](const StatementOrder& order) { return !Has(client.statements, order.id); });
  return client.orders;
}

std::vector<StatementInfo> StatementRegistry::Perform(const calls::ListStatements&) {
  engine::MutexLock lock(&mutex_);
  DropSilent();
  std::vector<StatementInfo> all;
  for (const auto& [number, client] : clients_) {
    for (const StatementInfo& statement : client.statements) all.push_back(Now(client, statement));
  }
  std::sort(all.begin(), all.end(), [](const StatementInfo& a, const StatementInfo& b) {
    return std::tie(b.elapsed_us, a.id) < std::tie(a.elapsed_us, b.id);
  });
  return all;
}

StatusOr<StatementInfo> StatementRegistry::Perform(const calls::CancelStatement& asked) {
  const std::string& id = asked.order.id;
  engine::MutexLock lock(&mutex_);
  DropSilent();
  for (auto& [number, client] : clients_) {
    for (const StatementInfo& statement : client.statements) {
      if (statement.id != id) continue;
      const bool is_ordered =
          std::any_of(client.orders.begin(), client.orders.end(),
                      [&](const StatementOrder& order) { return order.id == id; });
      if (!is_ordered) {
        client.orders.push_back(asked.order);
        Cut(&client.orders.back().by, 256);
      }
      return Now(client, statement);
    }
  }
  return NotFound(fmt::format("statement {}: none of this id is under way", id));
}

}  // namespace sippar::cluster::master
