// One connection to another process: TLS if there are keys, then a hello from each end, then frames
// in both directions. Its owner is the channel of a client or the session of a server. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
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
  int64_t opening_max_us = 10'000'000;  // longest time until the hello of the other end has come
};

class Connection final : public Watch::User, public std::enable_shared_from_this<Connection> {
 public:
  // All methods are called on the thread of the connection's loop.
  class Owner {
   public:
    virtual ~Owner() = default;
    // The hellos of both ends fit together. Returns the loop that serves the connection from now
    // on; nullptr: the owner is closing.
    virtual std::shared_ptr<Loop> OnOpen(const Hello& theirs, const Agreement& agreement) = 0;
    // Gets the frames that came with one read. One write after this call sends all frames that the
    // owner has sent during the call.
    virtual void OnFrames(std::vector<Frame>* frames) = 0;
    // The connection has ended; no method is called after this. `unsent`: frames of which no byte
    // was sent.
    virtual void OnClosed(const Status& why, std::vector<Frame> unsent) = 0;
  };

  Connection(std::shared_ptr<Loop> loop, std::unique_ptr<Socket> socket,
             std::unique_ptr<TlsSession> tls, ConnectionOptions options);
  ~Connection() override;

  // To be called once, on the loop's thread.
  void Start(std::shared_ptr<Owner> owner);
  // Sends a frame. False: the connection has ended, and nothing of the frame was sent.
  // `has_company`: other threads are about to send as well, so that one write may carry all their
  // frames.
  [[nodiscard]] bool Send(Frame frame, bool has_company = false);
  // True: every later Send fails.
  bool has_ended() const;
  // True: frames passed to Send have not been written yet.
  bool has_unsent() const;
  // No frames are read while more bytes than this are unsent. To be called by OnOpen; without it,
  // there is no limit.
  void LimitUnsent(size_t bytes_max);
  // Removes the request of `call` from the queue. False: it is not in the queue, and may have been
  // sent.
  bool Withdraw(uint64_t call);
  // Bytes of the frames that no write has taken yet.
  size_t queued_bytes() const;
  // Between Cork and Uncork, Send only queues, so that replies that are made together leave in one
  // write. Pairs may overlap: the last Uncork writes.
  void Cork();
  void Uncork();
  // Writes what is queued now, corked or not.
  void Flush();
  // Ends the connection at once. If Close is called again, the first reason counts.
  void Close(const Status& why);
  // Sends `why` to the other end in a goodbye, and then ends the connection, after 1 s at the
  // latest.
  void SayGoodbye(const Status& why);
  // Names both ends for messages: "tabletserver ts1.4 (10.0.0.1:8086) with master m1.2
  // (10.0.0.2:8086)".
  std::string Ends() const;
  const TlsIdentity& identity() const { return identity_; }  // valid after OnOpen

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

  const ConnectionOptions options_;  // for the times of silence, see keepalive_
  const std::unique_ptr<Socket> socket_;
  const std::string local_, remote_;

  // Used only by the loop's thread.
  std::shared_ptr<Owner> owner_;
  Phase phase_ = Phase::kTls;
  FrameReader reader_;
  std::vector<Frame> frames_;
  std::shared_ptr<Loop> moves_to_;  // loop to which the hello moves the connection
  std::vector<Frame> early_;        // frames that came with that hello
  TlsIdentity identity_;            // after OnOpen, other threads read it, too
  Keepalive keepalive_;             // options_.keepalive with the lease of the other end
  bool was_asked_ = false;
  bool has_left_ = false;  // the other end ended the connection or said goodbye
  bool discards_ = false;  // further input is read and dropped
  bool is_told_ = false;   // OnClosed was called

  std::atomic<int64_t> heard_nanos_{0};
  std::atomic<bool> is_open_{false};
  std::atomic<bool> sends_traces_{false};  // the other end understands trace ids

  mutable engine::Mutex mutex_;
  std::shared_ptr<Loop> loop_ GUARDED_BY(mutex_);
  // Only the loop's thread calls this object.
  std::unique_ptr<Watch> watch_ GUARDED_BY(mutex_);
  std::string their_name_ GUARDED_BY(mutex_);
  SendQueue queue_ GUARDED_BY(mutex_);
  int corks_ GUARDED_BY(mutex_) = 0;
  // DriveWrites runs, or the loop will run it; stays true when a write has failed.
  bool is_writing_ GUARDED_BY(mutex_) = false;
  bool is_blocked_ GUARDED_BY(mutex_) =
      false;  // the socket took no more bytes; when it does again, the loop continues to write
  size_t unsent_bytes_max_ GUARDED_BY(mutex_) = SIZE_MAX;
  bool is_paused_ GUARDED_BY(mutex_) = false;  // no reads until fewer bytes are queued
  // SayGoodbye was called: this end sends nothing more when the queue is written.
  bool is_leaving_ GUARDED_BY(mutex_) = false;
  Status leaving_why_;  // set once, with is_leaving_
  bool is_closed_ GUARDED_BY(mutex_) = false;

  engine::Mutex tls_mutex_;
  const std::unique_ptr<TlsSession> tls_;  // guarded by tls_mutex_; null: no TLS
  std::atomic<bool> is_shaken_{false};

  // Used only by the writing thread, of which is_writing_ allows one at a time.
  FrameWriter writer_;
  std::vector<std::string> chunks_;
  size_t chunk_ = 0, chunk_at_ = 0;  // chunk and offset of the first unwritten byte of chunks_
  std::string cipher_;
  size_t cipher_at_ = 0;
};

}  // namespace sippar::net
