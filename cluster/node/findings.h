// What a process finds when it checks a store's directory, at its start or for the doctor
// (file_proof.h, picture_proof.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace sippar::cluster {

// Each finding names a file, what is wrong with it, and what can be done.
struct Findings {
  std::vector<std::string> losses;    // findings that make a start fail
  std::vector<std::string> oddities;  // harmless findings, such as foreign files and lost archives

  // OK, or kDataLoss with the first loss. `directory`: the store that the message names when it
  // advises to run the doctor.
  [[nodiscard]] Status Check(const std::string& directory) const;
};

// Remedies that the messages of several checks name.
inline constexpr std::string_view kPutBack = "put it back from where it was moved or from a copy";
std::string SalvageHint(const Status& log, const std::string& directory);

}  // namespace sippar::cluster
