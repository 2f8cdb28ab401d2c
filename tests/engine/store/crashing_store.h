// A store on a file system in memory whose machine can lose its power.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "engine/base/random.h"
#include "engine/fs/memory_file_system.h"
#include "tests/support/hosted_tables.h"

namespace sippar::engine {

// TestClock is the store's clock; no background work runs.
template <typename TestClock>
class CrashingStore {
 protected:
  template <typename... ClockArguments>
  explicit CrashingStore(uint64_t seed, ClockArguments... arguments)
      : clock_(arguments...), random_(seed), fs_(std::make_unique<MemoryFileSystem>()) {
    Open();
  }

  void Open() {
    StoreOptions options;
    options.fs = fs_.get();
    options.clock = &clock_;
    options.background = false;
    auto opened = HostedTables::Open("/store", options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = std::move(*opened);
  }
  // Loses data that was not synced, and opens the store again.
  void Crash() {
    std::unique_ptr<MemoryFileSystem> left = fs_->CrashClone(&random_);
    store_.reset();
    fs_ = std::move(left);
    Open();
  }

  TestClock clock_;
  Random random_;
  std::unique_ptr<MemoryFileSystem> fs_;
  std::unique_ptr<HostedTables> store_;
};

}  // namespace sippar::engine
