// Plain: a caller that finds no write in progress writes the frames of all callers. TLS: callers
// pass their frames to the thread of the socket, because only one thread at a time may use an
// asio::ssl stream.
// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/asio_probe.h"

#include <asio.hpp>
#include <asio/ssl.hpp>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "engine/base/check.h"
#include "engine/base/thread.h"
#include "engine/base/wake_up.h"

namespace sippar::net {
namespace {

using asio::ip::tcp;
using TlsStream = asio::ssl::stream<tcp::socket>;
constexpr size_t kHeader = 12;  // size of the body and number of the call
constexpr size_t kBuffer = 64 << 10;

void Append(std::string* out, uint64_t number, const char* body, size_t size) {
  auto size32 = static_cast<uint32_t>(size);
  out->append(reinterpret_cast<const char*>(&size32), 4);
  out->append(reinterpret_cast<const char*>(&number), 8);
  out->append(body, size);
}

// Calls `take(number, body, size)` for each whole frame of `in`, and removes them.
template <typename Take>
void Cut(std::string* in, Take take) {
  size_t at = 0;
  while (in->size() - at >= kHeader) {
    uint32_t size;
    uint64_t number;
    std::memcpy(&size, in->data() + at, 4);
    std::memcpy(&number, in->data() + at + 4, 8);
    if (in->size() - at - kHeader < size) break;
    take(number, in->data() + at + kHeader, size);
    at += kHeader + size;
  }
  in->erase(0, at);
}

asio::ssl::context ContextOf(const ProbeFiles& files) {
  asio::ssl::context context(asio::ssl::context::tlsv13);
  if (files.key.empty()) return context;
  context.use_certificate_chain_file(files.certificate);
  context.use_private_key_file(files.key, asio::ssl::context::pem);
  context.load_verify_file(files.authority);
  context.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
  return context;
}

template <typename Stream>
class ServerLine : public std::enable_shared_from_this<ServerLine<Stream>> {
 public:
  template <typename... Arguments>
  explicit ServerLine(Arguments&&... arguments)
      : stream_(std::forward<Arguments>(arguments)...), buffer_(kBuffer) {
    stream_.lowest_layer().set_option(tcp::no_delay(true));
  }
  void Start() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const std::error_code& error) {
                                if (!error) self->Read();
                              });
    } else {
      Read();
    }
  }

 private:
  void Read() {
    stream_.async_read_some(asio::buffer(buffer_), [self = this->shared_from_this()](
                                                       const std::error_code& error, size_t size) {
      if (error) return;
      self->in_.append(self->buffer_.data(), size);
      Cut(&self->in_, [&](uint64_t number, const char* body, size_t length) {
        Append(&self->next_, number, body, length);
      });
      self->Write();
      self->Read();
    });
  }
  void Write() {
    if (!out_.empty() || next_.empty()) return;
    out_.swap(next_);
    asio::async_write(stream_, asio::buffer(out_),
                      [self = this->shared_from_this()](const std::error_code& error, size_t) {
                        if (error) return;
                        self->out_.clear();
                        self->Write();
                      });
  }

  Stream stream_;
  std::vector<char> buffer_;
  std::string in_, out_, next_;
};

class AsioServer final : public ProbeServer {
 public:
  explicit AsioServer(const ProbeFiles& files)
      : is_tls_(!files.key.empty()),
        tls_(ContextOf(files)),
        acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    Accept();
    thread_ = engine::Thread("probe-server", [this] { context_.run(); });
  }
  ~AsioServer() override {
    context_.stop();
    thread_.Join();
  }
  uint16_t port() const override { return acceptor_.local_endpoint().port(); }

 private:
  void Accept() {
    acceptor_.async_accept([this](const std::error_code& error, tcp::socket socket) {
      if (error) return;
      if (is_tls_) {
        std::make_shared<ServerLine<TlsStream>>(std::move(socket), tls_)->Start();
      } else {
        std::make_shared<ServerLine<tcp::socket>>(std::move(socket))->Start();
      }
      Accept();
    });
  }

  const bool is_tls_;
  asio::io_context context_{1};
  asio::ssl::context tls_;
  tcp::acceptor acceptor_;
  engine::Thread thread_;
};

template <typename Stream>
class AsioClient final : public ProbeClient {
 public:
  AsioClient(uint16_t port, const ProbeFiles& files)
      : tls_(ContextOf(files)), stream_(Make(&context_, &tls_)), buffer_(kBuffer) {
    stream_.lowest_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
    stream_.lowest_layer().set_option(tcp::no_delay(true));
    if constexpr (kIsTls) stream_.handshake(asio::ssl::stream_base::client);
    Read();
    thread_ = engine::Thread("probe-client", [this] { context_.run(); });
  }
  ~AsioClient() override {
    context_.stop();
    thread_.Join();
  }

  size_t Call(const std::string& body) override {
    Waiter waiter;
    {
      engine::MutexLock lock(&mutex_);
      uint64_t number = ++last_;
      waiters_[number] = &waiter;
      Append(&next_, number, body.data(), body.size());
      if (!is_writing_) {
        is_writing_ = true;
        waiter.writes = true;
      }
    }
    if (waiter.writes) {
      if constexpr (kIsTls) {
        asio::post(context_, [this] { WriteLater(); });
      } else {
        WriteNow();
      }
    }
    waiter.woken.Wait();
    return waiter.answer.size();
  }

 private:
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;
  struct Waiter {
    engine::WakeUp woken;
    std::string answer;
    bool writes = false;
  };

  static Stream Make(asio::io_context* context, asio::ssl::context* tls) {
    if constexpr (kIsTls) {
      return Stream(*context, *tls);
    } else {
      static_cast<void>(tls);
      return Stream(*context);
    }
  }
  // Takes the next frames to write; returns false if there are none.
  bool TakeNext() {
    engine::MutexLock lock(&mutex_);
    out_.clear();
    out_.swap(next_);
    is_writing_ = !out_.empty();
    return is_writing_;
  }
  void WriteNow() {
    while (TakeNext()) asio::write(stream_, asio::buffer(out_));
  }
  void WriteLater() {
    if (!TakeNext()) return;
    asio::async_write(stream_, asio::buffer(out_), [this](const std::error_code& error, size_t) {
      if (!error) WriteLater();
    });
  }
  void Read() {
    stream_.async_read_some(asio::buffer(buffer_),
                            [this](const std::error_code& error, size_t size) {
                              if (error) return;
                              in_.append(buffer_.data(), size);
                              std::vector<Waiter*> answered;
                              {
                                engine::MutexLock lock(&mutex_);
                                Cut(&in_, [&](uint64_t number, const char* body, size_t length) {
                                  auto at = waiters_.find(number);
                                  CHECK(at != waiters_.end());
                                  at->second->answer.assign(body, length);
                                  answered.push_back(at->second);
                                  waiters_.erase(at);
                                });
                              }
                              for (Waiter* waiter : answered) waiter->woken.Notify();
                              Read();
                            });
  }

  asio::io_context context_{1};
  asio::ssl::context tls_;
  Stream stream_;
  std::vector<char> buffer_;
  std::string in_;
  std::string out_;  // used only by the thread that writes
  engine::Mutex mutex_;
  std::string next_ GUARDED_BY(mutex_);
  bool is_writing_ GUARDED_BY(mutex_) = false;
  uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, Waiter*> waiters_ GUARDED_BY(mutex_);
  engine::Thread thread_;
};

}  // namespace

std::unique_ptr<ProbeServer> ProbeServer::Start(const ProbeFiles& files) {
  return std::make_unique<AsioServer>(files);
}

std::unique_ptr<ProbeClient> ProbeClient::Connect(uint16_t port, const ProbeFiles& files) {
  if (files.key.empty()) return std::make_unique<AsioClient<tcp::socket>>(port, files);
  return std::make_unique<AsioClient<TlsStream>>(port, files);
}

}  // namespace sippar::net
