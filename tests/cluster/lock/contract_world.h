// ContractWorld: a lock service of either kind, as the tests of the contract need it. Its clock
// advances only when told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {

class ContractWorld {
 public:
  virtual ~ContractWorld() = default;
  // Restarts the process of the service: every session is over.
  virtual void Restart() = 0;
  virtual std::shared_ptr<LockSession> Session(const std::string& name,
                                               int64_t timeout_us = 10 * kSecond) = 0;
  virtual void Pass(int64_t micros) = 0;
  virtual LockService* locks() = 0;
  // How long before its timeout has passed a session may already be over.
  virtual int64_t early_nanos() const { return 0; }
  // How many times slower a call is than in the embedded service.
  virtual int slowness() const { return 1; }

  engine::ManualClock* clock = nullptr;
};

// Each service's test program defines this function; the tests of the contract are linked with it.
std::unique_ptr<ContractWorld> NewContractWorld();

class InContractWorld : public testing::Test {
 protected:
  const std::unique_ptr<ContractWorld> owned_ = NewContractWorld();
  ContractWorld& world = *owned_;
};

}  // namespace sippar::cluster
