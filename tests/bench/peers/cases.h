// The cases of the comparison: each runs one load on a fresh store (or on the store of the read
// cases) and records its figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench/bench_data.h"
#include "tests/bench/peers/figures.h"
#include "tests/bench/peers/peer.h"

namespace sippar::bench {

struct Load {
  std::string directory;
  uint64_t rows = 500'000;
  uint64_t synced_puts = 20'000;
  // MB of user data that the amplification case writes, over a tenth as many keys.
  uint64_t overwrite_mb = 1000;
  uint64_t seed = 1;
  bool compress = false;
};

class Cases {
 public:
  Cases(Load load, Figures* figures);

  static std::vector<std::string> Names();
  // Runs one case on one peer. Requires: `name` is one of Names().
  void Run(const std::string& name, int peer);

 private:
  std::unique_ptr<Peer> Open(int peer, PeerSettings settings, const std::string& name);
  void Discard(std::unique_ptr<Peer> store, int peer, const std::string& name);
  void Fill(const std::string& name, int peer, uint64_t threads, bool random);
  void Synced(const std::string& name, int peer, uint64_t threads);
  void Amplification(const std::string& name, int peer);
  void Storm(const std::string& name, int peer);
  void Read(const std::string& name, int peer);
  Peer* ReadStore(int peer);
  void Gets(const std::string& name, int peer, uint64_t threads);

  const Load load_;
  Figures* const figures_;
  const cli::ValuePool pool_;
  // Stores of the read cases, filled and compacted once.
  std::unique_ptr<Peer> read_stores_[kPeers];
};

}  // namespace sippar::bench
