// The caller's end of one stream: returns its parts until it ends or the caller cancels it. Not
// thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cluster/api/call_time.h"
#include "cluster/net/channel.h"
#include "cluster/wire/stream_end.h"

namespace sippar::cluster {

class PartStream {
 public:
  // `time`: the caller's deadline and cancel flag.
  PartStream(std::shared_ptr<net::Channel> channel, std::shared_ptr<net::ReplyStream> stream,
             CallTime time)
      : channel_(std::move(channel)), stream_(std::move(stream)), time_(std::move(time)) {}
  ~PartStream() { stream_->Cancel(); }  // no effect if the stream has ended
  PartStream(const PartStream&) = delete;
  PartStream& operator=(const PartStream&) = delete;

  // The next part; nullopt: the stream has ended, and the outcome is in end(). An error: the stream
  // broke off (kDeadlineExceeded if the caller's time is over by then), or the caller cancelled it.
  [[nodiscard]] StatusOr<std::optional<std::string>> Next();
  // False: no part came within `wait_us`. True: Next does not wait.
  bool Await(int64_t wait_us);
  // How the stream ended at the server. Valid after Next has returned nullopt.
  const StreamEnd& end() const { return end_; }

 private:
  bool IsCancelled() const { return time_.cancel() != nullptr && time_.cancel()->load(); }
  Status Broken(const Status& why) const;
  StatusOr<std::optional<std::string>> TakeEnd();

  const std::shared_ptr<net::Channel> channel_;  // kept alive as long as the stream
  const std::shared_ptr<net::ReplyStream> stream_;
  const CallTime time_;
  bool is_over_ = false;
  StreamEnd end_;
};

}  // namespace sippar::cluster
