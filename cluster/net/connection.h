// One line to a peer: TLS where there are keys, hellos, then frames in both directions. Its owner
// is a client's channel or a server's session. Thread safe. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cluster/net/hello.h"
#include "cluster/net/keepalive.h"
#include "cluster/net/loop.h"
#include "cluster/net/send_queue.h"
#include "cluster/net/tls.h"
#include "engine/base/thread.h"

namespace sippar::net {

struct ConnectionOptions {
  bool is_client = false;
  Hello hello = {};
  Keepalive keepalive = {};
  int64_t opening_max_us = 10'000'000;  // from the connection to the hello of the other end
  size_t unsent_bytes_max = 64 << 20;   // beyond it no further frames are read
};

class Connection final : public Watch::User, public std::enable_shared_from_this<Connection> {
 public:
  // All are called on the thread of the connection's loop.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Both ends agree. Returns the loop on which the connection lives from here on; nullptr: the
    // owner is closing.
    virtual std::shared_ptr<Loop> OnOpen(const Hello& theirs, const Agreement& agreement) = 0;
    // Frames that came with one read. What is sent meanwhile leaves in one write after it.
    virtual void OnFrames(std::vector<Frame>* frames) = 0;
    // The last call. `unsent`: no byte of them has left.
    virtual void OnClosed(const Status& why, std::vector<Frame> unsent) = 0;
  };

  Connection(std::shared_ptr<Loop> loop, std::unique_ptr<Socket> socket,
             std::unique_ptr<TlsSession> tls, ConnectionOptions options);
  ~Connection() override;

  // On the loop's thread, once.
  void Start(std::shared_ptr<Owner> owner);
  // False: the connection has ended, and nothing of the frame was sent.
  // With company, other threads are about to send, too: one write may then carry the frames of all.
  [[nodiscard]] bool Send(Frame frame, bool has_company = false);
  // True: Send fails from here on.
  bool has_ended() const;
  // Frames were sent that have not left yet.
  bool has_unsent() const;
  // True: the request of `call` has not left, and never will.
  bool Withdraw(uint64_t call);
  // Of frames that no write has taken yet.
  size_t queued_bytes() const;
  // Between the two, Send only queues: replies that are made together leave together.
  void Cork();
  void Uncork();
  // Writes what is queued now, corked or not.
  void Flush();
  // Ends the line. Only the first reason counts.
  void Close(const Status& why);
  // The same, after the other end has been told why, as far as the line takes it.
  void SayGoodbye(const Status& why);
  // "tabletserver ts1.4 (10.0.0.1:8086) with master m1.2 (10.0.0.2:8086)".
  std::string Ends() const;
  const TlsIdentity& identity() const { return identity_; }  // once it is open

  void OnReadable() override;
  void OnWritable() override;

 private:
  enum class Phase : uint8_t { kTls, kHello, kOpen };

  [[nodiscard]] Status Consume(std::string_view bytes);
  [[nodiscard]] Status ConsumeCipher(std::string_view cipher);
  [[nodiscard]] Status FinishTls();
  [[nodiscard]] Status Dispatch(std::vector<Frame>* frames);
  [[nodiscard]] Status TakeHello(const Frame& frame);
  void Enter(const std::shared_ptr<Loop>& loop);
  void Move(const Status& read);
  void Greet();
  void GoOn(const Status& read);
  void ReadOn();
  void LookAtSilence();
  void Damaged(const Status& why);

  void DriveWrites();
  bool FillOut();
  bool DrainTls();
  [[nodiscard]] Status WriteOut(bool* is_blocked);
  [[nodiscard]] Status FillCipher();
  void Advance(size_t written);
  void AwaitLine();
  void ReadRest(const std::shared_ptr<Loop>& here, const Status& why);
  void Tell(const std::shared_ptr<Loop>& here, const Status& why, std::vector<Frame> unsent);
  std::string Named(const Status& why) const;
  std::shared_ptr<Loop> loop() const;

  const ConnectionOptions options_;
  const std::unique_ptr<Socket> socket_;
  const std::string local_, remote_;

  // Of the loop's thread only.
  std::shared_ptr<Owner> owner_;
  Phase phase_ = Phase::kTls;
  FrameReader reader_;
  std::vector<Frame> frames_;
  std::shared_ptr<Loop> moves_to_;  // set by a hello, until the connection lives there
  std::vector<Frame> early_;        // came with that hello
  TlsIdentity identity_;
  bool was_asked_ = false;
  bool has_left_ = false;  // the other end closed the line or said goodbye
  bool discards_ = false;  // what comes from now on is read and not looked at
  bool is_told_ = false;   // the owner knows that it is closed

  std::atomic<int64_t> heard_nanos_{0};
  std::atomic<bool> is_open_{false};

  mutable engine::Mutex mutex_;
  std::shared_ptr<Loop> loop_ GUARDED_BY(mutex_);
  std::unique_ptr<Watch> watch_ GUARDED_BY(mutex_);  // used on the loop's thread only
  std::string their_name_ GUARDED_BY(mutex_);
  SendQueue queue_ GUARDED_BY(mutex_);
  int corks_ GUARDED_BY(mutex_) = 0;
  bool is_writing_ GUARDED_BY(mutex_) = false;  // a thread is in DriveWrites, or will be
  bool is_blocked_ GUARDED_BY(mutex_) =
      false;  // the writing thread is the loop's, when the line takes more
  bool is_paused_ GUARDED_BY(mutex_) = false;   // reads wait until the line takes replies
  bool is_leaving_ GUARDED_BY(mutex_) = false;  // after the queue, the end
  Status leaving_why_;                          // set once, before is_leaving_
  bool is_closed_ GUARDED_BY(mutex_) = false;

  engine::Mutex tls_mutex_;
  const std::unique_ptr<TlsSession> tls_;  // guarded by tls_mutex_; nullptr: plain
  std::atomic<bool> is_shaken_{false};

  // Of the writing thread only (is_writing_).
  FrameWriter writer_;
  std::vector<std::string> chunks_;
  size_t chunk_ = 0, chunk_at_ = 0;  // the first byte of chunks_ that has not been written
  std::string cipher_;
  size_t cipher_at_ = 0;
};

}  // namespace sippar::net
