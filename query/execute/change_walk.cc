// SPDX-License-Identifier: Apache-2.0
#include "query/execute/change_walk.h"

#include <algorithm>
#include <utility>

#include "engine/model/row_set.h"

namespace sippar::query {

using cluster::Change;
using engine::RowRange;

namespace {

// While there are no changes, one round over all parts takes about this long (longer with more than
// 100 parts), so that Ctrl-C ends the walk soon.
constexpr int64_t kRoundMicros = 100'000;
constexpr int64_t kWaitMicrosMin = 1'000;
// Where all wanted changes have been made, each part comes to its end, so only so many are read at
// a time: a server bounds the streams of changes, and each holds a batch in memory.
constexpr size_t kOpenMax = 16;

}  // namespace

Status ChangeWalk::Open(const std::vector<TailPart>& parts) {
  pending_.assign(parts.begin(), parts.end());
  return OpenPending();
}

Status ChangeWalk::OpenPending() {
  const bool comes_to_an_end = end_us_ && *end_us_ <= context_.now_us;
  while (!pending_.empty() && (!comes_to_an_end || open_.size() < kOpenMax)) {
    RETURN_IF_ERROR(OpenPart(pending_.front(), {}));
    pending_.pop_front();
  }
  return OkStatus();
}

Status ChangeWalk::Run() {
  while (goes_on_ && !open_.empty()) {
    const uint64_t before = seen_;
    const auto share = kRoundMicros / static_cast<int64_t>(open_.size());
    const int64_t wait_us = quiet_ ? std::max(kWaitMicrosMin, share) : 0;
    for (auto part = open_.begin(); part != open_.end() && goes_on_;) {
      RETURN_IF_ERROR(context_.CheckStop());
      bool over = false;
      RETURN_IF_ERROR(ReadPart(&*part, wait_us, &over));
      part = over ? open_.erase(part) : std::next(part);
    }
    RETURN_IF_ERROR(OpenSuccessors());
    if (goes_on_) RETURN_IF_ERROR(OpenPending());
    quiet_ = seen_ == before;
  }
  return OkStatus();
}

std::vector<TailPart> ChangeWalk::Position() const {
  std::vector<TailPart> parts = ended_;
  parts.insert(parts.end(), pending_.begin(), pending_.end());
  std::vector<cluster::ChangeToken> tokens = waiting_;
  for (const Part& part : open_) {
    // A part that was opened after a split or merge has no token of its own before its first
    // batch. Until then, the end tokens of the parts that it replaces give its position.
    if (part.tokens.empty() || !part.at.token.empty()) {
      parts.push_back(part.at);
    } else {
      tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
    }
  }
  for (cluster::ChangeToken& token : tokens) {
    parts.push_back({std::move(token.rows), std::move(token.token), 0});
  }
  return parts;
}

Status ChangeWalk::OpenPart(const TailPart& part, std::vector<cluster::ChangeToken> tokens) {
  cluster::ChangesRequest request;
  request.partition = part.rows;
  request.end_us = end_us_;
  request.tokens = tokens;
  if (request.tokens.empty() && !part.token.empty()) request.tokens = {{part.rows, part.token}};
  // With from_now no time is sent: this process's clock may be ahead of the server's clock.
  if (request.tokens.empty() && !from_now) request.start_us = part.start_us;
  ASSIGN_OR_RETURN(std::unique_ptr<cluster::ChangeStream> stream,
                   context_.client()->data()->ReadChanges(table_, request, context_.CallOptions()));
  open_.push_back({part, std::move(tokens), std::move(stream)});
  return OkStatus();
}

Status ChangeWalk::ReadPart(Part* part, int64_t wait_us, bool* over) {
  auto batch = part->stream->Next(wait_us);
  // The tablet's server has stopped; the next call looks for the tablet again.
  if (batch.status().code() == StatusCode::kUnavailable) {
    context_.client()->clock()->SleepMicros(kWaitMicrosMin);
    return OkStatus();
  }
  RETURN_IF_ERROR(batch.status());
  for (const Change& change : batch->changes) {
    ++seen_;
    RETURN_IF_ERROR(handler_(change, &goes_on_));
    part->at.token = change.token;
    // The walk stops within the batch. One that continues at this token reads the rest of the batch
    // again.
    if (!goes_on_) return OkStatus();
  }
  if (!batch->token.empty()) part->at.token = batch->token;
  if (!batch->is_over) return OkStatus();
  *over = true;
  // A part that is over without new partitions was not split or merged: it has reached end_us.
  if (batch->new_partitions.empty()) ended_.push_back(part->at);
  for (cluster::ChangeToken& token : batch->tokens) waiting_.push_back(std::move(token));
  for (RowRange& rows : batch->new_partitions) successors_.push_back(std::move(rows));
  return OkStatus();
}

Status ChangeWalk::OpenSuccessors() {
  if (!goes_on_) return OkStatus();
  std::vector<RowRange> later;
  for (const RowRange& rows : std::exchange(successors_, {})) {
    if (std::find(later.begin(), later.end(), rows) != later.end()) continue;
    engine::RowSet covered;
    std::vector<cluster::ChangeToken> tokens;
    for (const cluster::ChangeToken& token : waiting_) {
      if (engine::Intersect(token.rows, rows).IsEmpty()) continue;
      covered.Add(token.rows);
      tokens.push_back(token);
    }
    // Both parts of a merge report the same new partition. It has no waiting tokens if the walk
    // has already opened it for the other report.
    if (tokens.empty()) continue;
    if (!(covered.Intersection(engine::RowSet(rows)) == engine::RowSet(rows))) {
      later.push_back(rows);
      continue;
    }
    std::erase_if(waiting_, [&](const cluster::ChangeToken& token) {
      return !engine::Intersect(token.rows, rows).IsEmpty();
    });
    RETURN_IF_ERROR(OpenPart({rows, "", 0}, std::move(tokens)));
  }
  successors_.insert(successors_.end(), later.begin(), later.end());
  return OkStatus();
}

}  // namespace sippar::query
