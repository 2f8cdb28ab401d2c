// A thread that looks after a share of a server's connections and does what takes no time on the
// spot, so that a short call wakes nobody. Register before the server is made, Start when it runs,
// Stop when it was shut down.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server_builder.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/base/thread.h"

namespace sippar::cluster {

// What a queue of gRPC takes as a tag.
class CallEvent {
 public:
  virtual ~CallEvent() = default;
  // What to give to gRPC, each time anew: what this thread did before is seen by Happened. (gRPC
  // sees to that, too, by means that ThreadSanitizer cannot see.)
  void* Tag() {
    handed_.store(true, std::memory_order_release);
    return this;
  }
  static void Tell(void* tag, bool ok) {
    auto* event = static_cast<CallEvent*>(tag);
    (void)event->handed_.load(std::memory_order_acquire);
    event->Happened(ok);
  }

 protected:
  // Once for each tag, on a thread of the loop.
  virtual void Happened(bool ok) = 0;

 private:
  std::atomic<bool> handed_{false};
};

class CallLoop {
 public:
  void Register(grpc::ServerBuilder* builder) { queue_ = builder->AddCompletionQueue(); }
  // `look`, after each event, may say that it wants to look again in a millisecond; whether
  // nothing happened until then is told to it.
  void Start(std::function<bool(bool is_quiet)> look);
  // Waits for its calls: those that ran, and those that were to come, which the server has ended.
  void Stop();

  grpc::ServerCompletionQueue* queue() { return queue_.get(); }

  // A call of the loop, as long as there may be events of it.
  class Guest {
   public:
    explicit Guest(CallLoop* loop);
    ~Guest();
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;
    CallLoop* loop() const { return loop_; }

   private:
    CallLoop* const loop_;
  };

  // The loop's thread does something, within an event, that may wait after all: should it, another
  // one takes its place, and for a while no absence is granted.
  class Absence {
   public:
    explicit Absence(CallLoop* loop);
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    // If not, others have to do it.
    bool is_granted() const { return since_nanos_ != 0; }

   private:
    CallLoop* const loop_;
    int64_t since_nanos_ = 0;
    rusage usage_{};
  };

 private:
  // False: the queue was shut down.
  bool Handle(bool* looks_again);
  void Run();
  void Guard();
  void StandIn(int64_t since_nanos);

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::function<bool(bool)> look_;
  std::atomic<int64_t> away_since_nanos_{0};  // 0: nobody is
  std::atomic<int64_t> stay_until_nanos_{0};  // no absence before
  std::atomic<uint64_t> absences_{0};
  std::atomic<bool> guard_sleeps_{false};
  engine::Mutex mutex_;
  engine::CondVar wake_;  // of the guard
  engine::CondVar left_;  // by all guests
  int guests_ GUARDED_BY(mutex_) = 0;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_;
  engine::Thread guard_;
};

}  // namespace sippar::cluster
