// What the proofs of a start (file_proof.h, picture_proof.h) find.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::cluster {

// Each says of one file what is wrong with it and what can be done.
struct Findings {
  std::vector<std::string> losses;    // a start stops
  std::vector<std::string> oddities;  // in nobody's way: files of others, archives that are gone

  // kDataLoss with the first loss; `directory` is what a doctor is asked about.
  [[nodiscard]] Status Check(const std::string& directory) const;
};

// The remedies that both proofs name.
inline constexpr std::string_view kPutBack = "put it back from where it was moved or from a copy";
std::string SalvageHint(const Status& log, const std::string& directory);

}  // namespace sippar::cluster
