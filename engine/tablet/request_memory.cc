// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/request_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/coding.h"

namespace sippar::engine {
namespace {

constexpr size_t kEntryBytes = 100;           // approximate cost of one entry in the maps
constexpr int64_t kLookEveryUs = 10'000'000;  // interval of the searches for silent clients

size_t SizeOf(std::string_view answer) { return kEntryBytes + answer.size(); }

}  // namespace

StatusOr<std::optional<std::string>> RequestMemory::Find(const RequestId& request) const {
  MutexLock lock(&mutex_);
  auto client = clients_.find(request.client);
  if (client == clients_.end()) return std::optional<std::string>();
  auto answer = client->second.answers.find(request.number);
  if (answer != client->second.answers.end()) return std::optional<std::string>(answer->second);
  // The answer was dropped because the client has it. To carry out the request now would do it
  // twice.
  if (request.number < client->second.answered_below) {
    return Aborted(fmt::format(
        "request {} of client {} is a late copy: the client already confirmed its answer",
        request.number, request.client));
  }
  return std::optional<std::string>();
}

void RequestMemory::Remember(const RequestId& request, std::string_view answer, int64_t wall_us,
                             int64_t now_us) {
  MutexLock lock(&mutex_);
  Client& client = clients_[request.client];
  client.last_us = std::max(client.last_us, wall_us);
  client.heard_us = std::max(client.heard_us, now_us);
  // Requests of one client arrive and are replayed in any order, and an older one must not lower
  // answered_below.
  client.answered_below = std::max(client.answered_below, request.answered_below);
  if (client.answers.try_emplace(request.number, answer).second) bytes_ += SizeOf(answer);
  while (client.answers.begin()->first < client.answered_below) {
    bytes_ -= SizeOf(client.answers.begin()->second);
    client.answers.erase(client.answers.begin());
    if (client.answers.empty()) break;
  }
  if (now_us >= next_look_us_ || bytes_ > kRequestMemoryBytesMax) Forget(now_us);
}

void RequestMemory::Erase(std::map<uint64_t, Client>::iterator client) {
  for (const auto& [number, answer] : client->second.answers) bytes_ -= SizeOf(answer);
  clients_.erase(client);
}

void RequestMemory::Forget(int64_t now_us) {
  next_look_us_ = now_us + kLookEveryUs;
  for (auto client = clients_.begin(); client != clients_.end();) {
    auto current = client++;
    if (current->second.heard_us < now_us - kRequestMemoryUs) Erase(current);
  }
  // The last client is kept even if it alone exceeds the limit, because this tablet holds about
  // as many answers as the client has requests in flight.
  while (bytes_ > kRequestMemoryBytesMax && clients_.size() > 1) {
    Erase(std::min_element(clients_.begin(), clients_.end(), [](const auto& a, const auto& b) {
      // By wall time, because after a restart heard_us is the same for all clients.
      return a.second.last_us < b.second.last_us;
    }));
  }
}

std::string RequestMemory::Encode() const {
  MutexLock lock(&mutex_);
  std::string out;
  if (clients_.empty()) return out;
  PutVarint(&out, clients_.size());
  for (const auto& [id, client] : clients_) {
    PutVarint(&out, id);
    PutVarint(&out, client.answered_below);
    // heard_us is not saved: a monotonic time means nothing in another process.
    PutSigned(&out, client.last_us);
    PutVarint(&out, client.answers.size());
    for (const auto& [number, answer] : client.answers) {
      PutVarint(&out, number);
      PutBytes(&out, answer);
    }
  }
  return out;
}

Status RequestMemory::Add(std::string_view bytes, int64_t now_us) {
  if (bytes.empty()) return OkStatus();
  Reader reader(bytes);
  MutexLock lock(&mutex_);
  for (size_t clients = reader.Count(); clients > 0 && reader.ok(); --clients) {
    Client& client = clients_[reader.Varint()];
    client.answered_below = std::max(client.answered_below, reader.Varint());
    client.last_us = std::max(client.last_us, reader.Signed());
    client.heard_us = std::max(client.heard_us, now_us);
    for (size_t answers = reader.Count(); answers > 0 && reader.ok(); --answers) {
      uint64_t number = reader.Varint();
      std::string_view answer = reader.Bytes();
      if (client.answers.try_emplace(number, answer).second) bytes_ += SizeOf(answer);
    }
  }
  return reader.AtEnd() ? OkStatus() : DataLoss("remembered requests cannot be decoded");
}

StatusOr<std::string> JoinRequests(const std::string& left, const std::string& right) {
  RequestMemory both;
  RETURN_IF_ERROR(both.Add(left, 0));
  RETURN_IF_ERROR(both.Add(right, 0));
  return both.Encode();
}

}  // namespace sippar::engine
