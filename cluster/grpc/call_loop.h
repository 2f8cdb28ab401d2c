// A thread that reads from a share of a server's connections and carries out short calls itself, so
// that they need no switch to another thread. If such a call takes long after all, a second thread,
// the guard, takes over the connections until the first thread has returned.
// Call Register before the server is built, Start when it runs, and Stop after its shutdown.
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

// Base class of the objects that are given to gRPC as tags of completion queues.
class CallEvent {
 public:
  virtual ~CallEvent() = default;
  // Returns the tag of this event; to be called for each operation. When Happened runs, it sees all
  // that this thread wrote before the call. gRPC orders the two threads as well, but in a way that
  // ThreadSanitizer cannot follow.
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
  // Called once for each operation, on the loop's thread or the guard's.
  virtual void Happened(bool ok) = 0;

 private:
  std::atomic<bool> handed_{false};
};

class CallLoop {
 public:
  void Register(grpc::ServerBuilder* builder) { queue_ = builder->AddCompletionQueue(); }
  // `look` is called after each event. If it returns true, it is called again after a millisecond
  // even without an event; `is_quiet` is then true.
  void Start(std::function<bool(bool is_quiet)> look);
  // Waits until all Guests are gone: the running calls, and the requests for further calls, which
  // the server's shutdown has ended.
  void Stop();

  grpc::ServerCompletionQueue* queue() { return queue_.get(); }

  // Held by a call of the loop as long as gRPC may report events of that call.
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

  // Lets the loop's thread carry out work that is mostly short but may wait. If it does wait, the
  // guard takes over the loop, and no further absence is granted for a while. At most one thread of
  // a loop is absent at a time.
  class Absence {
   public:
    explicit Absence(CallLoop* loop);
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    // False: the work must be given to another thread.
    bool is_granted() const { return since_nanos_ != 0; }

   private:
    CallLoop* const loop_;
    int64_t since_nanos_ = 0;
    rusage usage_{};
  };

 private:
  // Waits for one event and handles it. False: the queue was shut down.
  bool Handle(bool* looks_again);
  void Run();
  void Guard();
  void StandIn(int64_t since_nanos);

  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::function<bool(bool)> look_;
  std::atomic<int64_t> away_since_nanos_{0};  // start of the absence; 0: no thread is absent
  std::atomic<int64_t> stay_until_nanos_{0};  // no absence is granted before this time
  std::atomic<uint64_t> absences_{0};         // number of absences granted so far
  std::atomic<bool> guard_sleeps_{false};
  engine::Mutex mutex_;
  engine::CondVar wake_;  // wakes the guard
  engine::CondVar left_;  // wakes Stop after the last guest has left
  int guests_ GUARDED_BY(mutex_) = 0;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_;
  engine::Thread guard_;
};

}  // namespace sippar::cluster
