// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/session.h"

#include <fmt/format.h>

#include <utility>

#include "cluster/net/failure.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

constexpr int64_t kBusyWaitMicros = 20'000;  // wait that a refused caller is asked to make

}  // namespace

std::shared_ptr<Loop> Session::OnOpen(const Hello& theirs, const Agreement&) {
  peer_ = theirs;
  lane_ = parts_->lanes[static_cast<size_t>(theirs.lane)].get();
  connection_->LimitUnsent(lane_->bounds.unsent_bytes_max);
  {
    engine::MutexLock lock(&mutex_);
    admission_.emplace(lane_->bounds.calls_max, lane_->bounds.bytes_max);
  }
  auto loop = parts_->loops->Of(theirs.lane);
  return loop.ok() && !parts_->is_leaving ? *loop : nullptr;
}

void Session::OnFrames(std::vector<Frame>* frames) {
  int64_t now = engine::Clock::System()->MonotonicNanos();
  for (Frame& frame : *frames) {
    if (frame.kind == FrameKind::kRequest) {
      Status taken = Take(std::move(frame), now);
      if (taken.ok()) continue;
      return connection_->SayGoodbye(taken);
    }
    if (frame.kind != FrameKind::kCancel && frame.kind != FrameKind::kCredit) {
      return connection_->SayGoodbye(
          InvalidArgument("the caller sent a frame that only a server may send"));
    }
    engine::MutexLock lock(&mutex_);
    auto at = calls_.find(frame.call);
    if (at == calls_.end()) continue;  // the call was answered while the frame was under way
    if (frame.kind == FrameKind::kCancel) {
      at->second->OnCancel();
    } else {
      at->second->OnCredit(frame.argument);
    }
  }
}

Status Session::Take(Frame request, int64_t now_nanos) {
  if (!TakeTrace(&request)) {
    return InvalidArgument(fmt::format("call {}: its trace id is missing", request.call));
  }
  Status admitted = Admit(request);
  if (!admitted.ok()) {
    Refuse(request, admitted);
    return OkStatus();
  }
  auto call = std::make_shared<ServerCall>(shared_from_this(), std::move(request), now_nanos);
  {
    engine::MutexLock lock(&mutex_);
    if (!calls_.emplace(call->request_.call, call.get()).second) {
      call->is_answered_ = true;  // the call must not reply: another call has its number
      return InvalidArgument(fmt::format("call {}: the number is in use", call->request_.call));
    }
  }
  if (parts_->service->ServeAtOnce(call)) return OkStatus();
  LaneThreads& threads = call->is_stream() ? lane_->streams : lane_->threads;
  if (!threads.Run([self = shared_from_this(), call] { self->Serve(call); })) {
    call->Reply(MarkNotBegun(
        Unavailable(fmt::format("{}: all threads for '{}' calls are busy; call again later",
                                parts_->hello().name, NameOf(peer_.lane))),
        kBusyWaitMicros));
  }
  return OkStatus();
}

Status Session::Admit(const Frame& request) {
  if (parts_->is_leaving) {
    return MarkNotBegun(
        Unavailable(fmt::format("{}: it is stopping and begins no calls", parts_->hello().name)));
  }
  engine::MutexLock lock(&mutex_);
  engine::MutexLock lane_lock(&lane_->mutex);
  size_t bytes = request.body.size();
  const bool is_own_full = !admission_->Enter(bytes);
  if (!is_own_full) {
    if (lane_->admission.Enter(bytes)) return OkStatus();
    admission_->Leave(bytes);
  }
  const LaneBounds& bounds = lane_->bounds;
  const Admission& full = is_own_full ? *admission_ : lane_->admission;
  return MarkNotBegun(Unavailable(fmt::format(
                          "{}: too many '{}' calls of {} are in flight (found {} calls with {} "
                          "bytes together, at most {} calls and {} bytes); call again later",
                          parts_->hello().name, NameOf(peer_.lane),
                          is_own_full ? "this connection" : "all connections", full.calls(),
                          full.bytes(), is_own_full ? bounds.calls_max : bounds.calls_of_all_max,
                          is_own_full ? bounds.bytes_max : bounds.bytes_of_all_max)),
                      kBusyWaitMicros);
}

void Session::Refuse(const Frame& request, const Status& why) {
  Frame reply{.kind = FrameKind::kReply, .flags = kIsFailure, .call = request.call};
  reply.body = EncodeFailure(why);
  static_cast<void>(Send(std::move(reply)));  // fails only after the connection's end
}

void Session::Serve(const std::shared_ptr<ServerCall>& call) {
  if (!call->IsOver() && !connection_->has_ended()) return parts_->service->Serve(call);
  call->Reply(MarkNotBegun(Unavailable(
      fmt::format("{}: a call was not begun, because its time was over or its connection had ended",
                  parts_->hello().name))));
}

void Session::Forget(const ServerCall& call) {
  engine::MutexLock lock(&mutex_);
  auto at = calls_.find(call.request_.call);
  if (at != calls_.end() && at->second == &call) calls_.erase(at);
  admission_->Leave(call.bytes_);
  engine::MutexLock lane_lock(&lane_->mutex);
  lane_->admission.Leave(call.bytes_);
  if (call.is_endless_) --lane_->endless;
}

void Session::OnClosed(const Status&, std::vector<Frame>) {
  {
    engine::MutexLock lock(&mutex_);
    for (const auto& [number, call] : calls_) call->OnCancel();
  }
  engine::MutexLock lock(&parts_->mutex);
  parts_->sessions.erase(shared_from_this());
}

}  // namespace sippar::net
