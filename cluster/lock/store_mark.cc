// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/store_mark.h"

#include <fmt/format.h>

#include "cluster/lock/lock_paths.h"
#include "engine/base/printable.h"

namespace sippar::cluster {

Status CheckStoreMark(LockSession* session, const std::string& expected) {
  if (expected.empty()) return OkStatus();
  auto file = session->Read(lock_paths::Store(), Freshness::kConsistent);
  const bool is_gone = file.status().code() == StatusCode::kNotFound;
  if (!is_gone) RETURN_IF_ERROR(file.status());
  if (!is_gone && file->content == expected) return OkStatus();
  return Aborted(
      fmt::format("store of the cluster: the lock service names {} now, not {}; this "
                  "process ends, start it again",
                  is_gone ? "none" : engine::PrintableBytes(file->content), expected));
}

}  // namespace sippar::cluster
