// Repair of a store that does not open. SPDX-License-Identifier: Apache-2.0
#include "cluster/client/salvage.h"

#include "engine/store/salvage.h"

namespace sippar::cluster {

Status SalvageLog(const std::string& directory, bool drop,
                  const std::function<void(std::string_view line)>& print) {
  std::unique_ptr<engine::FileSystem> fs = engine::NewPosixFileSystem();
  return engine::SalvageLog(fs.get(), directory, drop, print);
}

}  // namespace sippar::cluster
