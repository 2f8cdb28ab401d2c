// Asio only waits for sockets; class Socket (socket.h) reads and writes. An Asio socket may be used
// by one thread at a time only, but here the loop reads from a socket while any thread writes to
// it.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/loop.h"

#include <fmt/format.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <system_error>
#include <unordered_set>

#include "engine/base/thread.h"

namespace sippar::net {
namespace {

constexpr size_t kScratchSize = 128 << 10;

class AsioLoop;

class AsioWatch final : public Watch {
 public:
  AsioWatch(std::shared_ptr<AsioLoop> loop, asio::io_context* context, int fd)
      : loop_(std::move(loop)), descriptor_(*context) {
    std::error_code error;
    descriptor_.assign(fd, error);
    // If the assignment fails, the system cannot watch another descriptor. The shutdown then ends
    // the connection, and the connection's user learns of this from the next read.
    is_unwatched_ = static_cast<bool>(error);
    if (is_unwatched_) ::shutdown(fd, SHUT_RDWR);
  }
  ~AsioWatch() override;
  void AwaitReadable(std::shared_ptr<User> user) override;
  void AwaitWritable(std::shared_ptr<User> user) override;
  void Cancel() {
    std::error_code ignored;
    descriptor_.cancel(ignored);
  }

 private:
  const std::shared_ptr<AsioLoop> loop_;
  asio::posix::stream_descriptor descriptor_;
  bool is_unwatched_ = false;
};

class AsioLoop final : public Loop, public std::enable_shared_from_this<AsioLoop> {
 public:
  explicit AsioLoop(const std::string& name)
      : context_(1),
        guard_(context_.get_executor()),
        scratch_(kScratchSize),
        plain_scratch_(kScratchSize) {
    // Asio allocates what it needs from the system with its first timer. Making a timer here lets
    // Loop::Start report a failure.
    asio::steady_timer first(context_);
    thread_ = engine::Thread(name, [this] { context_.run(); });
  }
  ~AsioLoop() override { Stop(); }

  void Stop() override {
    {
      engine::MutexLock lock(&mutex_);
      if (is_stopped_) return;
      is_stopped_ = true;
      asio::post(context_, [this] { Drain(); });
    }
    thread_.Join();
  }

  void Post(std::function<void()> work) override {
    engine::MutexLock lock(&mutex_);
    // After Stop the work is dropped: the work may own objects that own this loop, and if the loop
    // kept the work, neither would be freed.
    if (!is_stopped_) asio::post(context_, std::move(work));
  }

  void After(int64_t micros, std::function<void()> work) override {
    Post([this, micros, work = std::move(work)]() mutable {
      if (is_draining_) return;
      auto timer = std::make_shared<asio::steady_timer>(context_);
      timers_.insert(timer);
      timer->expires_after(std::chrono::microseconds(micros));
      timer->async_wait([this, timer, work = std::move(work)](const std::error_code& error) {
        timers_.erase(timer);
        if (!error) work();
      });
    });
  }

  void Resolve(const std::string& host, uint16_t port, Found found) override;

  std::unique_ptr<Watch> NewWatch(int fd) override {
    auto watch = std::make_unique<AsioWatch>(shared_from_this(), &context_, fd);
    engine::MutexLock lock(&watches_mutex_);
    watches_.insert(watch.get());
    return watch;
  }

  std::vector<char>& scratch() override { return scratch_; }
  std::vector<char>& plain_scratch() override { return plain_scratch_; }

  bool is_draining() const { return is_draining_; }
  engine::Mutex* watches_mutex() { return &watches_mutex_; }
  void Forget(AsioWatch* watch) { watches_.erase(watch); }

 private:
  // Ends all waits: each handler is called, and frees what it holds. Then the context has no more
  // work, and the thread ends. Runs on the loop's thread.
  void Drain() {
    is_draining_ = true;
    for (const auto& timer : timers_) timer->cancel();
    if (resolver_ != nullptr) resolver_->cancel();
    {
      engine::MutexLock lock(&watches_mutex_);
      for (AsioWatch* watch : watches_) watch->Cancel();
    }
    guard_.reset();
  }

  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::vector<char> scratch_, plain_scratch_;
  // Used only by the loop's thread.
  std::unordered_set<std::shared_ptr<asio::steady_timer>> timers_;
  std::unique_ptr<asio::ip::tcp::resolver> resolver_;

  std::atomic<bool> is_draining_{false};
  engine::Mutex watches_mutex_;
  std::unordered_set<AsioWatch*> watches_ GUARDED_BY(watches_mutex_);
  engine::Mutex mutex_;
  bool is_stopped_ GUARDED_BY(mutex_) = false;
  engine::Thread thread_;
};

AsioWatch::~AsioWatch() {
  engine::MutexLock lock(loop_->watches_mutex());
  loop_->Forget(this);
  descriptor_.release();  // does not close the descriptor; the socket does
}

void AsioWatch::AwaitReadable(std::shared_ptr<User> user) {
  if (loop_->is_draining()) return;
  if (is_unwatched_) return loop_->Post([user = std::move(user)] { user->OnReadable(); });
  descriptor_.async_wait(asio::posix::descriptor_base::wait_read,
                         [user = std::move(user)](const std::error_code& error) {
                           if (error != asio::error::operation_aborted) user->OnReadable();
                         });
}

void AsioWatch::AwaitWritable(std::shared_ptr<User> user) {
  if (loop_->is_draining()) return;
  if (is_unwatched_) return loop_->Post([user = std::move(user)] { user->OnWritable(); });
  descriptor_.async_wait(asio::posix::descriptor_base::wait_write,
                         [user = std::move(user)](const std::error_code& error) {
                           if (error != asio::error::operation_aborted) user->OnWritable();
                         });
}

void AsioLoop::Resolve(const std::string& host, uint16_t port, Found found) {
  Post([this, host, port, found = std::move(found)]() mutable {
    auto known = NumericAddress(host, port);  // most hosts are numeric and need no resolver thread
    if (known.has_value()) return found(std::vector<Address>{*known});
    if (is_draining_) return;
    if (resolver_ == nullptr) resolver_ = std::make_unique<asio::ip::tcp::resolver>(context_);
    auto shared = std::make_shared<Found>(std::move(found));
    auto resolved = [host, shared](const std::error_code& error, const auto& results) {
      if (error) {
        return (*shared)(Unavailable(fmt::format(
            "host {}: no address was found ({}); check the name", host, error.message())));
      }
      std::vector<Address> addresses;
      for (const auto& entry : results) {
        auto endpoint = entry.endpoint();
        addresses.push_back(Address::Of(endpoint.data(), static_cast<uint32_t>(endpoint.size())));
      }
      (*shared)(std::move(addresses));
    };
    try {
      resolver_->async_resolve(host, std::to_string(port), std::move(resolved));
    } catch (const std::system_error& error) {  // the resolver's thread could not be started
      (*shared)(
          Unavailable(fmt::format("host {}: it cannot be looked up ({})", host, error.what())));
    }
  });
}

}  // namespace

StatusOr<std::shared_ptr<Loop>> Loop::Start(const std::string& name) {
  try {
    return std::static_pointer_cast<Loop>(std::make_shared<AsioLoop>(name));
  } catch (const std::system_error& error) {
    return Unavailable(fmt::format("network thread {}: it did not start ({})", name, error.what()));
  }
}

}  // namespace sippar::net
