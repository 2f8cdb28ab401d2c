// A HyperLogLog sketch, which estimates the number of distinct values (Flajolet et al. 2007, with
// linear counting for small sets): 4096 registers, about 1.6 % error. Mergeable. Encoding:
// FORMAT.md "Distinct counts". Not thread safe.
// SPDX-License-Identifier: Apache-2.0
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
  // The encoded sketch, as small as its values allow, 4097 bytes at most; "" when nothing was
  // added.
  std::string Encode() const;
  // Adds the values of an encoded sketch. False when `encoded` is not one.
  [[nodiscard]] bool Merge(std::string_view encoded);

 private:
  bool Raise(size_t index, uint8_t rank);

  std::string registers_;  // one byte per register; "": nothing was added
};

}  // namespace sippar::engine
