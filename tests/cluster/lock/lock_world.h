// An embedded lock service on a disk in memory, with a clock that advances only when told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cluster/lock/embedded_lock_service.h"
#include "engine/base/clock.h"
#include "engine/fs/memory_file_system.h"

namespace sippar::cluster {

inline constexpr int64_t kSecond = 1'000'000;  // us

struct LockWorld {
  LockWorld() { Start(); }

  // Restarts the process of the service: every session is over.
  void Restart() {
    service.reset();
    Start();
  }
  std::shared_ptr<LockSession> Session(const std::string& name, int64_t timeout_us = 10 * kSecond) {
    SessionOptions options;
    options.name = name;
    options.timeout_us = timeout_us;
    options.clock = &clock;
    auto opened = service->OpenSession(options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return std::move(*opened);
  }
  void Pass(int64_t micros) { clock.Set(clock.NowMicros() + micros); }

  engine::MemoryFileSystem fs;
  engine::ManualClock clock{1'000 * kSecond};
  std::unique_ptr<EmbeddedLockService> service;

 private:
  void Start() {
    auto opened = EmbeddedLockService::Open(&fs, "/lock", &clock);
    ASSERT_TRUE(opened.ok()) << opened.status();
    service = std::move(*opened);
  }
};

}  // namespace sippar::cluster

namespace sippar {
template <typename T>
testing::AssertionResult IsOk(const T& answer) {
  if (StatusIn(answer).ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << StatusIn(answer);
}
}  // namespace sippar

#define EXPECT_OK(expression) EXPECT_TRUE(sippar::IsOk(expression))
#define EXPECT_CODE(expression, expected) EXPECT_EQ(sippar::StatusIn(expression).code(), expected)
