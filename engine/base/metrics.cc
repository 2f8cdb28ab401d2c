// SPDX-License-Identifier: Apache-2.0
#include "engine/base/metrics.h"

namespace sippar::engine {

Counter* Metrics::Get(const std::string& name) {
  MutexLock lock(&mutex_);
  return &counters_[name];
}

std::map<std::string, uint64_t> Metrics::Snapshot() {
  MutexLock lock(&mutex_);
  std::map<std::string, uint64_t> result;
  for (const auto& [name, counter] : counters_) result[name] = counter.value();
  return result;
}

std::string Metrics::Dump() {
  std::string text;
  for (const auto& [name, value] : Snapshot()) {
    text.append(name).append(" ").append(std::to_string(value)).append("\n");
  }
  return text;
}

}  // namespace sippar::engine
