// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/findings.h"

#include <fmt/format.h>

namespace sippar::cluster {

Status Findings::Check(const std::string& directory) const {
  if (losses.empty()) return OkStatus();
  if (losses.size() == 1) return DataLoss(losses.front());
  return DataLoss(fmt::format("{}; and {} more: 'sippar admin doctor {}' names them",
                              losses.front(), losses.size() - 1, directory));
}

std::string SalvageHint(const Status& log, const std::string& directory) {
  return fmt::format("{}; 'sippar admin log salvage {}' tells what is left of the log",
                     MessageOf(log), directory);
}

}  // namespace sippar::cluster
