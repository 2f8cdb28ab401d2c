// SPDX-License-Identifier: Apache-2.0
#include "engine/log/commit_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/base/call_notes.h"
#include "engine/base/coding.h"
#include "engine/base/crash_point.h"
#include "engine/base/seeded_bug.h"
#include "engine/base/store_error.h"
#include "engine/base/tablet_scope.h"
#include "engine/base/wake_up.h"
#include "engine/log/log_replay.h"

namespace sippar::engine {
namespace {
// Limits the bytes of a group, so that the first writer of the group does not wait long.
constexpr size_t kGroupSizeMax = 8 << 20;

// The error that writers get for `status`.
Status Refused(const Status& status) { return Annotate(AsStoreError(status), "commit log"); }

bool FenceIsOff() { return SEEDED_BUG("check-before-sync") || SEEDED_BUG("no-check"); }
}  // namespace

// One waiting call of Append. While it is in the queue, its fields but `wake` change only under the
// log's lock.
struct CommitLog::Request {
  enum State : uint8_t { kWaits, kLeads, kAnswered };
  std::span<Write* const> writes;
  size_t size = 0;
  bool durable = false;   // true: its group is synced even in a log without syncs
  bool in_group = false;  // true: its group is being written
  int64_t sync_us = 0;    // duration of its group's write and sync
  Status status;
  std::atomic<State> state{kWaits};
  WakeUp wake;  // notified when another thread has changed `state`, or its group is answered
};

CommitLog::CommitLog(CommitLogOptions options, SegmentId last, uint64_t last_length,
                     LogSegments segments, std::vector<std::string> in_doubt)
    : options_(std::move(options)),
      segments_(std::move(segments)),
      last_(last),
      last_length_(last_length),
      in_doubt_(std::move(in_doubt)),
      groups_(options_.metrics->Get("log_groups")),
      records_(options_.metrics->Get("log_records")) {
  if (options_.two_writers && options_.sync) {
    watch_thread_ = Thread("sippar-log", [this] { WatchLoop(); });
  }
}

CommitLog::~CommitLog() { (void)Close(); }

Status CommitLog::Append(std::span<Write* const> writes, const std::function<void()>& has_place,
                         bool durable) {
  StageTimer timer(&CallNotes::log_nanos);
  Request request;
  request.writes = writes;
  request.durable = durable;
  for (const Write* write : writes) request.size += write->body.size();
  bool leads = false;
  {
    MutexLock lock(&mutex_);
    queue_.push_back(&request);
    leads = queue_.front() == &request;
    if (leads) request.state = Request::kLeads;
    if (gathering_ && queue_.size() >= expected_) gathered_.NotifyOne();
  }
  if (has_place) has_place();
  if (!leads) RETURN_IF_ERROR(AwaitTurn(&request));
  if (request.state == Request::kAnswered) return Answered(request);
  {
    MutexLock lock(&mutex_);
    GatherGroup();
  }
  // This caller leads. Its request stays at the front of the queue until the group is answered, so
  // no other caller becomes leader before that.
  bool taken_over = false;
  Status status = WriteGroup(&taken_over);
  if (!taken_over) AnswerGroup(status);
  CRASH_POINT("log.after_answer");
  request.wake.Wait();
  return Answered(request);
}

// Runs on the thread that called Append, because CurrentCallNotes returns the notes of the call
// that the current thread serves.
Status CommitLog::Answered(const Request& request) {
  if (CallNotes* notes = CurrentCallNotes()) notes->sync_nanos += request.sync_us * 1000;
  return request.status;
}

// Returns OK when the request was answered or has become the leader, and an error when the wait
// took too long.
Status CommitLog::AwaitTurn(Request* request) {
  while (!request->wake.WaitFor(options_.wait_us_max)) {
    MutexLock lock(&mutex_);
    if (request->in_group || request->state != Request::kWaits) continue;
    std::erase(queue_, request);
    options_.metrics->Get("log_writes_refused")->Add();
    return Unavailable(
        fmt::format("commit log: the disk has not answered for {} s; this write is not in the log; "
                    "try again later",
                    options_.wait_us_max / 1'000'000));
  }
  return OkStatus();
}

// Writers that were just answered usually write again at once. Without a short wait for them, they
// and the writers queued during the sync would alternate, in groups of half the size with twice the
// syncs. The wait lasts at most a quarter of a sync.
void CommitLog::GatherGroup() {
  if (options_.sync && queue_.size() < expected_) {
    gathering_ = true;
    int64_t wait_us = sync_time_us_ / 4;
    int64_t limit_us = options_.clock->MonotonicNanos() / 1000 + wait_us;
    while (queue_.size() < expected_ && wait_us > 0 && gathered_.WaitFor(&mutex_, wait_us)) {
      wait_us = limit_us - options_.clock->MonotonicNanos() / 1000;
    }
    gathering_ = false;
  }
  group_.clear();
  size_t size = 0;
  for (Request* next : queue_) {
    size += next->size;
    if (!group_.empty() && size > kGroupSizeMax) break;
    group_.push_back(next);
    next->in_group = true;
  }
}

// Assigns sequence numbers to the group's records, writes them to the open segment, syncs it in a
// log that syncs or if a request is `durable`, and settles the group unless it was taken over.
Status CommitLog::WriteGroup(bool* taken_over) {
  const TabletScope shared(0);  // the leader works for the tablets of all callers
  group_synced_us_ = 0;
  // A log that was fenced once accepts no more writes, even if the fence would allow them now.
  RETURN_IF_ERROR(fenced_);
  if (writer_ == nullptr || writer_->accepted_length() >= options_.segment_size) {
    RETURN_IF_ERROR(Refused(BeginSegment()));
  }
  if (SEEDED_BUG("check-before-sync")) RETURN_IF_ERROR(CheckFence());
  bool durable = false;
  for (Request* request : group_) {
    for (Write* write : request->writes) {
      uint64_t sequence = *write->next_sequence;
      std::memcpy(write->body.data(), &sequence, 8);
      *write->next_sequence += write->entry_count;
      writer_->Add(write->body);
    }
    records_->Add(request->writes.size());
    durable |= request->durable;
  }
  if (SEEDED_BUG("memtable-visible-before-sync")) ApplyGroup();
  CRASH_POINT("log.before_append");
  Status written = options_.sync ? WriteWatched(taken_over) : writer_->Write(durable);
  if (options_.sync && written.ok()) CRASH_POINT("log.after_sync");
  return *taken_over ? OkStatus() : SettleGroup(written);
}

// Completes a group after its write by the leader or the watching thread (the second writer). If
// the write failed, refuses the group; else checks the fence and makes the group visible.
Status CommitLog::SettleGroup(const Status& written) {
  if (Status status = written.ok() ? LookForSegment() : written; !status.ok()) {
    RefuseGroup();
    return Refused(status);
  }
  bytes_written_.fetch_add(writer_->accepted_length() - last_length_, std::memory_order_relaxed);
  last_length_ = writer_->accepted_length();
  // Records that recovery needs the open segment until the tablets of the group are flushed. If the
  // segment was removed or renamed (fenced_), no recovery of this server can use it.
  if (fenced_.ok()) {
    TellReach(writer_->durable_length());
    for (Request* request : group_) {
      for (const Write* write : request->writes) {
        writer_sequences_[write->tablet_id] = *write->next_sequence - 1;
      }
    }
  }
  if (!FenceIsOff()) RETURN_IF_ERROR(CheckFence());
  CRASH_POINT("log.before_apply");
  if (!SEEDED_BUG("memtable-visible-before-sync")) ApplyGroup();
  CRASH_POINT("log.before_answer");
  groups_->Add();
  return OkStatus();
}

// Refuses the group. Its records are not visible, so their sequence numbers are used again. Ends
// the segment, because a file whose sync failed is never synced again. The group's bytes in that
// file lie after the accepted length, so no reader takes them for the later records with the same
// numbers.
void CommitLog::RefuseGroup() {
  for (auto request = group_.rbegin(); request != group_.rend(); ++request) {
    for (const Write* write : (*request)->writes) *write->next_sequence -= write->entry_count;
  }
  if (writer_ != nullptr) AbandonSegment();
  has_refused_ = true;
}

// Adds the group's records to the second writer's new segment. The records keep the sequence
// numbers that WriteGroup gave them.
void CommitLog::AddGroupAgain() {
  for (Request* request : group_) {
    for (const Write* write : request->writes) writer_->Add(write->body);
  }
}

void CommitLog::ApplyGroup() {
  for (Request* request : group_) {
    for (const Write* write : request->writes) {
      const TabletScope scope(write->tablet_id);
      write->apply(GetFixed64(write->body.data()));
    }
  }
}

void CommitLog::AnswerGroup(const Status& status) {
  const TabletScope shared(0);
  std::vector<Request*> woken;
  {
    MutexLock lock(&mutex_);
    for (Request* finished : group_) {
      queue_.pop_front();
      finished->status = status;
      finished->sync_us = group_synced_us_;
      finished->state = Request::kAnswered;
    }
    expected_ = group_.size() + queue_.size();
    woken.swap(group_);
    if (!queue_.empty()) {
      queue_.front()->state = Request::kLeads;
      woken.push_back(queue_.front());
    }
  }
  // The next leader is woken first, so that its disk write starts before the answered threads
  // compete for processors.
  for (auto request = woken.rbegin(); request != woken.rend(); ++request) (*request)->wake.Notify();
}

Status CommitLog::MakeDurable() {
  return options_.sync ? OkStatus() : Append({}, /*has_place=*/{}, /*durable=*/true);
}

Status CommitLog::CheckFence() {
  // Asks the fence even when fenced_ is set: an error about the owner of the log is more useful
  // than one about a missing segment.
  Status asked = options_.fence ? options_.fence() : OkStatus();
  if (!asked.ok()) fenced_ = asked;
  return fenced_;
}

// A sync also succeeds on a file that no reader will find again: one that was deleted, or whose
// directory the master renamed to recover this log (FAULTS.md D21).
Status CommitLog::LookForSegment() {
  if (!options_.sync || FenceIsOff()) return OkStatus();
  ASSIGN_OR_RETURN(bool there, options_.fs->Exists(PathOf(last_)));
  if (!there) {
    fenced_ = Unavailable(fmt::format(
        "commit log: {} was removed or renamed while it was open, so the log accepts no more "
        "writes; open the store again, or restart this server",
        PathOf(last_)));
  }
  return OkStatus();
}

std::string CommitLog::PathOf(SegmentId id) const {
  return options_.directory + "/" + SegmentFileName(id);
}

Status CommitLog::BeginSegment() {
  if (writer_ != nullptr) {
    Status status = options_.sync ? OkStatus() : writer_->Write(/*sync=*/true);
    AbandonSegment();
    RETURN_IF_ERROR(status);
  }
  RETURN_IF_ERROR(WriteInDoubtAgain());
  SegmentHeader header;
  if (options_.before_segment) RETURN_IF_ERROR(options_.before_segment());
  header.id = {options_.epoch, next_number_++};
  header.previous = last_;
  header.previous_length = last_length_;
  (void)OpenReach(header.id);  // best effort: the file REACH only helps to detect a lost segment
  ASSIGN_OR_RETURN(writer_, LogWriter::Create(options_.fs, options_.directory, header));
  last_ = header.id;
  last_length_ = writer_->accepted_length();
  TellReach(last_length_);
  has_refused_ = false;
  return OkStatus();
}

// After a refused group, appends an empty group, which begins a new segment.
Status CommitLog::CutRefused() { return has_refused_ ? Append({}) : OkStatus(); }

Status CommitLog::Settle() {
  Status written = WriteInDoubtAgain();
  // A full or read-only disk takes no new segment but can still serve reads. There Settle syncs the
  // old segment's file instead of writing the records again.
  bool takes_nothing =
      HasCause(written, Cause::kDiskFull) || written.code() == StatusCode::kPermissionDenied;
  if (!takes_nothing) return written;
  options_.metrics->Get("log_settled_in_place")->Add();
  return options_.fs->SyncFile(PathOf(last_));
}

Status CommitLog::WriteInDoubtAgain() {
  if (in_doubt_.empty()) return OkStatus();
  if (options_.before_segment) RETURN_IF_ERROR(options_.before_segment());
  SegmentHeader header{{options_.epoch, next_number_++}, last_, last_length_};
  (void)OpenReach(header.id);  // best effort: the file REACH only helps to detect a lost segment
  LogSegments::TabletSequences sequences;
  ASSIGN_OR_RETURN(last_length_, WriteSegmentAgain(options_.fs, options_.directory, header,
                                                   in_doubt_, &sequences));
  last_ = header.id;
  TellReach(last_length_);
  in_doubt_.clear();
  MutexLock lock(&mutex_);
  segments_.Add(last_, std::move(sequences));
  return OkStatus();
}

void CommitLog::AbandonSegment() {
  // Best effort: recovery needs no end mark, which lies after the segment's accepted length.
  (void)writer_->Finish();
  // In a log without syncs, the segment must be durable before the header of the next segment
  // states its length, and before a call of MakeDurable, which syncs only the next segment, answers
  // OK.
  if (!options_.sync && writer_->durable_length() < last_length_) {
    fenced_ = Unavailable(fmt::format(
        "commit log {}: a sync failed, so it is unknown which of its unsynced writes are on the "
        "disk, and the log accepts no more; open the store again, or restart this server",
        PathOf(last_)));
  }
  writer_.reset();
  CloseBooks();
}

// Adds the segment `last_` to the closed ones.
void CommitLog::CloseBooks() {
  MutexLock lock(&mutex_);
  segments_.Add(last_, std::move(writer_sequences_));
  writer_sequences_.clear();
}

std::vector<uint64_t> CommitLog::RemoveObsolete(const std::function<uint64_t(uint64_t)>& redo_of,
                                                size_t segments_max) {
  std::vector<SegmentId> obsolete;
  std::vector<uint64_t> holding;
  {
    MutexLock lock(&mutex_);
    obsolete = segments_.Obsolete(redo_of);
    if (segments_.size() - obsolete.size() > segments_max) holding = segments_.Holding(redo_of);
  }
  // REACH must stop naming a segment as needed before the segment is removed. Otherwise a crash
  // between the two steps would look like data loss.
  if (obsolete.empty() || !TrimReach(obsolete.back()).ok()) return holding;
  for (SegmentId id : obsolete) {
    CRASH_POINT("log.before_removal");
    Status removed = options_.fs->Remove(PathOf(id));
    // The next call tries again. No newer segment may be removed before this one: without its
    // successor's header, recovery would replay this segment's bytes after the accepted length.
    if (!removed.ok() && removed.code() != StatusCode::kNotFound) break;
    CRASH_POINT("log.after_removal");
    MutexLock lock(&mutex_);
    segments_.Drop(id);
  }
  return holding;
}

size_t CommitLog::closed_segments() const {
  MutexLock lock(&mutex_);
  return segments_.size();
}

Status CommitLog::Close() {
  {
    MutexLock lock(&mutex_);
    closing_ = true;
    watch_wake_.NotifyOne();
  }
  watch_thread_.Join();
  if (writer_ == nullptr) return OkStatus();
  Status status = writer_->Finish();
  writer_.reset();
  CloseBooks();
  return status;
}

}  // namespace sippar::engine
