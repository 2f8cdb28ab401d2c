// HyperLogLog sketch of distinct values (Flajolet et al. 2007, with linear counting for small
// sets): 4096 registers, about 1.6 % error. Mergeable; encoded as FORMAT.md, "Distinct counts"
// says. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sippar::engine {

class HyperLogLog {
 public:
  static constexpr int kIndexBits = 12;
  static constexpr size_t kRegisters = size_t{1} << kIndexBits;

  void Add(std::string_view bytes);
  uint64_t Estimate() const;
  // As many bytes as the values need, 4 KiB at most; "" when nothing was added.
  std::string Encode() const;
  // Adds what `encoded` has seen. False when it is not an encoded sketch.
  [[nodiscard]] bool Merge(std::string_view encoded);

 private:
  bool Raise(size_t index, uint8_t rank);

  std::string registers_;  // one byte each; "": nothing was added
};

}  // namespace sippar::engine
