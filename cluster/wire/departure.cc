// SPDX-License-Identifier: Apache-2.0
#include "cluster/wire/departure.h"

#include <utility>

#include "cluster/net/failure.h"
#include "cluster/wire/call_failure.h"
#include "engine/base/clock.h"

namespace sippar::cluster {
namespace {

constexpr int64_t kStreamsUs = 300'000;     // time for streams to end by themselves
constexpr int64_t kCutUs = 200'000;         // further time for streams to reach the end of a row
constexpr int64_t kChangesUs = 30'000'000;  // time for running changes: the limit of one short call
// Time in which late calls still reach the shut gate. A client that has just seen this server alive
// may be sending a change. The gate tells it that nothing was done; if the client found the
// connection closed instead, the outcome of its change would be unknown.
constexpr int64_t kLateUs = 20'000;

}  // namespace

void Departure::Leave() {
  // If no call has come so far, there is no client to wait for.
  if (calls_begun_ == 0 || is_leaving_.exchange(true)) return;
  changes_.Shut();
  streams_.Shut();
  engine::Clock::System()->SleepMicros(kLateUs);
  const bool is_quiet = streams_.WaitUntilQuiet(kStreamsUs);
  is_cutting_ = true;
  if (!is_quiet) streams_.WaitUntilQuiet(kCutUs);
  CutStreams();
  changes_.WaitUntilQuiet(kChangesUs);
}

// Ends the streams that did not reach the end of a row in time, even within a row: a row may be
// long, a read may find nothing for a long time, or a reader may take nothing. Also ends streams of
// changes, which may never end by themselves.
void Departure::CutStreams() {
  std::unordered_set<std::shared_ptr<net::ServerCall>> open;
  {
    engine::MutexLock lock(&mutex_);
    is_over_ = true;
    open = open_;
  }
  for (const auto& call : open) call->GiveUp(Stream::Cut());
}

Status Departure::Refusal() {
  return net::MarkNotBegun(Unavailable("the server is shutting down; nothing was done; try again"));
}

Status Departure::Stream::Cut() {
  Status cut =
      Unavailable("the server is shutting down and ended this read before its end; try again");
  MarkFailure(kCut, &cut);
  return cut;
}

Departure::Stream::Stream(Departure* departure, std::shared_ptr<net::ServerCall> call, Kind kind)
    : departure_(departure), call_(std::move(call)), is_endless_(kind == kEndless) {
  if (is_endless_) {
    begun_ = call_->MarkEndless();
  } else {
    departure_->CountCall();
    if (!departure_->streams_.Enter()) begun_ = Refusal();
  }
  if (!begun_.ok()) return;
  engine::MutexLock lock(&departure_->mutex_);
  if (!departure_->is_over_) {
    departure_->open_.insert(call_);
    return;
  }
  begun_ = Refusal();
  if (!is_endless_) departure_->streams_.Leave();
}

Departure::Stream::~Stream() {
  if (!begun_.ok()) return;
  {
    engine::MutexLock lock(&departure_->mutex_);
    departure_->open_.erase(call_);
  }
  if (!is_endless_) departure_->streams_.Leave();
}

}  // namespace sippar::cluster
