// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/schema_cache.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cluster/location/table_file.h"
#include "cluster/lock/lock_paths.h"

namespace sippar::cluster {
namespace {

// A schema that is older than this is read again, because a watch is only a hint and may never
// fire.
constexpr int64_t kAgeMaxNanos = 1'000'000'000;
// How long the known schema is used after a read of the lock service got no answer: such a read
// takes a third of the session's timeout, and not every statement should wait for that.
// kAwayOldNanos is used instead if a watch has reported a change of the schema.
constexpr int64_t kAwayNanos = 10'000'000'000;
constexpr int64_t kAwayOldNanos = 1'000'000'000;

constexpr int64_t kLookUs = 20'000;  // longest time until a waiting call notices its cancel flag

bool IsAway(const Status& status) { return status.code() == StatusCode::kUnavailable; }

// The data that a caller shares with the thread that asks the lock service on its behalf. The
// caller may return before that thread has the answer.
struct Question {
  engine::Mutex mutex;
  engine::CondVar changed;
  bool is_left GUARDED_BY(mutex) = false;  // the caller no longer waits
  std::optional<StatusOr<std::shared_ptr<const TableSchema>>> answer GUARDED_BY(mutex);
};

}  // namespace

// Of the calls that find the schema too old, only one reads the schema again, and the others use
// the old schema meanwhile. But if a watch has reported a change, every call reads until a schema
// is stored that was read after the change.
SchemaCache::Look SchemaCache::LookAt(const std::string& table) {
  engine::MutexLock lock(&mutex_);
  auto found = known_.find(table);
  if (found == known_.end()) return {};
  const std::shared_ptr<Known>& known = found->second;
  const int64_t now_nanos = clock_->MonotonicNanos();
  const bool is_enough = now_nanos < known->away_until_nanos ||
                         (!known->has_changed && now_nanos < known->trusted_until_nanos);
  if (!is_enough && !known->has_changed) known->trusted_until_nanos = now_nanos + kAgeMaxNanos;
  return {known, is_enough};
}

// A call to the lock service cannot be cancelled. So if the caller has a deadline or a cancel flag,
// another thread makes the call. A caller that waits without limit makes the call itself.
StatusOr<std::shared_ptr<const TableSchema>> SchemaCache::Get(const std::string& table,
                                                              const CallTime& time) {
  const Look look = LookAt(table);
  if (look.is_enough) [[likely]]
    return look.known->schema;
  if (!time.is_limited() && time.cancel() == nullptr) return Ask(table, look);
  auto question = std::make_shared<Question>();
  const bool is_asked = asking_.Run([this, table, look, question] {
    {
      engine::MutexLock lock(&question->mutex);
      if (question->is_left) return;
    }
    auto answer = Ask(table, look);
    engine::MutexLock lock(&question->mutex);
    question->answer = std::move(answer);
    question->changed.NotifyAll();
  });
  if (!is_asked)
    return Unavailable(
        fmt::format("table '{}': its schema cannot be read now, because too many others are being "
                    "read; try again",
                    table));
  engine::MutexLock lock(&question->mutex);
  while (!question->answer) {
    Status in_time = time.Check();
    question->is_left = !in_time.ok();
    RETURN_IF_ERROR(in_time);
    question->changed.WaitFor(&question->mutex, kLookUs);
  }
  return *std::move(question->answer);
}

StatusOr<std::shared_ptr<const TableSchema>> SchemaCache::Ask(const std::string& table,
                                                              const Look& look) {
  const bool is_aged = look.known != nullptr && !look.known->has_changed;
  auto read = Read(table, is_aged ? Freshness::kCached : Freshness::kConsistent);
  // The old table may have been dropped, and a newer table may have the name now.
  if (read.status().code() == StatusCode::kNotFound && look.known != nullptr) {
    read = Read(table, Freshness::kConsistent);
  }
  if (read.ok()) return (*read)->schema;
  if (look.known == nullptr || !IsAway(read.status())) return read.status();
  engine::MutexLock lock(&mutex_);
  look.known->away_until_nanos =
      clock_->MonotonicNanos() + (look.known->has_changed ? kAwayOldNanos : kAwayNanos);
  return look.known->schema;
}

// The watch is set before the read, so that no change between the two is missed.
StatusOr<std::shared_ptr<SchemaCache::Known>> SchemaCache::Read(const std::string& table,
                                                                Freshness freshness) {
  ASSIGN_OR_RETURN(uint64_t id, directory_.Find(table));
  const std::string path = lock_paths::Table(id);
  auto fresh = std::make_shared<Known>();
  fresh->trusted_until_nanos = clock_->MonotonicNanos() + kAgeMaxNanos;
  Status watched = session_->Watch(path, [fresh] { fresh->has_changed = true; });
  if (!watched.ok()) fresh->has_changed = true;  // the next call reads again
  auto file = session_->Read(path, freshness);
  const bool is_gone = file.status().code() == StatusCode::kNotFound ||
                       (file.ok() && !HoldsLiveTable(file->content));
  engine::MutexLock lock(&mutex_);
  if (is_gone) {
    known_.erase(table);
    directory_.Forget(table, id);
    return NotFound(fmt::format("table {} not found", table));
  }
  RETURN_IF_ERROR(file.status());
  auto record = DecodeTableFile(file->content);
  if (!record.ok()) return Annotate(record.status(), fmt::format("table '{}'", table));
  fresh->schema = std::make_shared<const TableSchema>(std::move(record->schema));
  known_[table] = fresh;
  return fresh;
}

void SchemaCache::Forget() {
  engine::MutexLock lock(&mutex_);
  known_.clear();
}

}  // namespace sippar::cluster
