// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/sole_administrator.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cluster/lock/lock_paths.h"

namespace sippar::cluster {
namespace {

// Waits until the session holds the lock service's file `carrier`, for at most twice its timeout:
// ZooKeeper may have granted the earlier holder a longer timeout than it asked for.
Status TakePlace(LockSession* session, const std::string& target, int64_t session_us,
                 engine::Clock* clock) {
  constexpr int64_t kLookUs = 100'000;
  const std::string note = fmt::format("pid {}", ::getpid());
  const int64_t until_nanos = clock->MonotonicNanos() + 2 * session_us * 1000;
  for (;;) {
    Status held = session->Create(lock_paths::Carrier(), note, LockFileKind::kEphemeral).status();
    if (held.code() != StatusCode::kAlreadyExists) return held;
    if (clock->MonotonicNanos() > until_nanos) {
      return FailedPrecondition(
          fmt::format("cluster {}: another `sippar admin init` or `collapse` works on it ({}); "
                      "wait until it ends",
                      target, MessageOf(held)));
    }
    RETURN_IF_ERROR(session->Heartbeat().status());
    clock->SleepMicros(kLookUs);
  }
}

}  // namespace

StatusOr<std::unique_ptr<LockSession>> BeSoleAdministrator(LockService* locks,
                                                           const std::string& target,
                                                           int64_t session_us,
                                                           engine::Clock* clock) {
  ASSIGN_OR_RETURN(std::unique_ptr<LockSession> session,
                   locks->OpenSession({"administrator of " + target, session_us, clock}));
  Status taken = TakePlace(session.get(), target, session_us, clock);
  if (taken.ok()) return session;
  // If the outcome of the last attempt is unknown, the session may hold the file: Close removes it.
  (void)session->Close();
  return taken;
}

}  // namespace sippar::cluster
