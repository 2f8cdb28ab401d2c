// What the tests of the contract need of a lock service, whichever it is. Its clock moves when
// told. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/cluster/lock/lock_world.h"

namespace sippar::cluster {

class ContractWorld {
 public:
  virtual ~ContractWorld() = default;
  // As after the end of the process that had it: every session is over.
  virtual void Restart() = 0;
  virtual std::shared_ptr<LockSession> Session(const std::string& name,
                                               int64_t timeout_us = 10 * kSecond) = 0;
  virtual void Pass(int64_t micros) = 0;
  virtual LockService* locks() = 0;
  // How much earlier than the timeout after a heartbeat a session may be over.
  virtual int64_t early_nanos() const { return 0; }
  // How many calls the embedded service does in the time of one.
  virtual int slowness() const { return 1; }

  engine::ManualClock* clock = nullptr;
};

// The tests of the contract are linked with one of the services, which makes its worlds here.
std::unique_ptr<ContractWorld> NewContractWorld();

class InContractWorld : public testing::Test {
 protected:
  const std::unique_ptr<ContractWorld> owned_ = NewContractWorld();
  ContractWorld& world = *owned_;
};

}  // namespace sippar::cluster
