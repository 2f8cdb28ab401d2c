// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/steady_session.h"

#include <utility>

#include "engine/base/status.h"

namespace sippar::cluster {
namespace {

Status EndsWithSession() {
  return InvalidArgument(
      "a reconnecting session cannot hold locks or ephemeral files; open a LockSession");
}

Status Closed() { return SessionOver("the session was closed"); }

}  // namespace

StatusOr<std::unique_ptr<SteadySession>> SteadySession::Open(LockService* service,
                                                             const SessionOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<LockSession> session, service->OpenSession(options));
  return std::unique_ptr<SteadySession>(new SteadySession(service, options, std::move(session)));
}

std::shared_ptr<LockSession> SteadySession::Current() const {
  engine::MutexLock lock(&mutex_);
  return session_;
}

StatusOr<std::shared_ptr<LockSession>> SteadySession::AwaitReplaced() {
  const uint64_t before = tries_;
  while (tries_ == before) replaced_.Wait(&mutex_);
  RETURN_IF_ERROR(last_try_);
  return session_;
}

StatusOr<std::shared_ptr<LockSession>> SteadySession::Replace(
    const std::shared_ptr<LockSession>& lost) {
  {
    engine::MutexLock lock(&mutex_);
    if (closed_) return Closed();
    if (session_ != lost) return session_;  // another call has replaced the session
    if (replacing_) return AwaitReplaced();
    replacing_ = true;
  }
  // The mutex is not held while the new session is opened, because other calls need the mutex to
  // find the current session.
  auto opened = service_->OpenSession(options_);
  {
    engine::MutexLock lock(&mutex_);
    replacing_ = false;
    ++tries_;
    last_try_ = closed_ ? Closed() : opened.status();
    replaced_.NotifyAll();
    if (!closed_ && opened.ok()) return session_ = *std::move(opened);
  }
  if (!opened.ok()) return opened.status();
  static_cast<void>((*opened)->Close());  // if it fails, the session times out
  return Closed();
}

template <typename Answer, typename Call>
Answer SteadySession::Ask(const Call& call) {
  std::shared_ptr<LockSession> session = Current();
  Answer answer = call(session.get());
  // Only this cause proves that the session is over and that the call did nothing.
  if (!HasCause(StatusIn(answer), Cause::kSessionOver)) return answer;
  ASSIGN_OR_RETURN(session, Replace(session));
  return call(session.get());
}

StatusOr<int64_t> SteadySession::Heartbeat() {
  return Ask<StatusOr<int64_t>>([](LockSession* session) { return session->Heartbeat(); });
}

StatusOr<uint64_t> SteadySession::Create(const std::string& path, const std::string& content,
                                         LockFileKind kind) {
  if (kind != LockFileKind::kLasting) return EndsWithSession();
  return Ask<StatusOr<uint64_t>>(
      [&](LockSession* session) { return session->Create(path, content, kind); });
}

StatusOr<LockFile> SteadySession::Read(const std::string& path, Freshness freshness) {
  return Ask<StatusOr<LockFile>>(
      [&](LockSession* session) { return session->Read(path, freshness); });
}

StatusOr<uint64_t> SteadySession::Write(const std::string& path, const std::string& content,
                                        uint64_t version) {
  return Ask<StatusOr<uint64_t>>(
      [&](LockSession* session) { return session->Write(path, content, version); });
}

Status SteadySession::Remove(const std::string& path, uint64_t version) {
  return Ask<Status>([&](LockSession* session) { return session->Remove(path, version); });
}

StatusOr<std::vector<std::string>> SteadySession::List(const std::string& directory) {
  return Ask<StatusOr<std::vector<std::string>>>(
      [&](LockSession* session) { return session->List(directory); });
}

StatusOr<std::vector<NamedLockFile>> SteadySession::ReadDirectory(
    const std::string& directory, const std::set<std::string>& except) {
  return Ask<StatusOr<std::vector<NamedLockFile>>>(
      [&](LockSession* session) { return session->ReadDirectory(directory, except); });
}

StatusOr<uint64_t> SteadySession::Acquire(const std::string&) { return EndsWithSession(); }

Status SteadySession::Release(const std::string&) { return EndsWithSession(); }

Status SteadySession::Watch(const std::string& path, std::function<void()> callback) {
  return Ask<Status>([&](LockSession* session) { return session->Watch(path, callback); });
}

StatusOr<uint64_t> SteadySession::NextEpoch() {
  return Ask<StatusOr<uint64_t>>([](LockSession* session) { return session->NextEpoch(); });
}

Status SteadySession::RaiseEpoch(uint64_t seen) {
  return Ask<Status>([&](LockSession* session) { return session->RaiseEpoch(seen); });
}

Status SteadySession::Close() {
  std::shared_ptr<LockSession> last;
  {
    engine::MutexLock lock(&mutex_);
    closed_ = true;
    last = session_;
  }
  return last->Close();
}

}  // namespace sippar::cluster
