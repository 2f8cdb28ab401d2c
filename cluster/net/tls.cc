// OpenSSL works on memory here, not on sockets: any sending thread encrypts and writes while the
// loop reads. A socket that belongs to OpenSSL would not allow that.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/net/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cluster/net/socket.h"
#include "engine/base/clock.h"

namespace sippar::net {
namespace {

constexpr int64_t kLookAtFilesNanos = 1'000'000'000;
constexpr size_t kPlainStep = 16 << 10;  // one record of TLS

struct Freer {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
using Context = std::shared_ptr<SSL_CTX>;

// Returns the oldest error of this thread, which is the cause of the others.
std::string ErrorText() {
  unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error == 0) return "no reason given";
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : fmt::format("error {:#x}", error);
}

std::string TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

TlsIdentity IdentityOf(X509* certificate) {
  TlsIdentity identity;
  X509_NAME* subject = X509_get_subject_name(certificate);
  int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) {
    identity.common_name = TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  }
  std::unique_ptr<GENERAL_NAMES, Freer> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) identity.names.push_back(TextOf(name->d.dNSName));
    if (name->type == GEN_URI) identity.names.push_back(TextOf(name->d.uniformResourceIdentifier));
  }
  return identity;
}

class OpensslSession final : public TlsSession {
 public:
  // `context` has the certificates with which the session began; the session keeps it alive.
  OpensslSession(Context context, SSL* ssl)
      : context_(std::move(context)),
        ssl_(ssl),
        in_(BIO_new(BIO_s_mem())),
        out_(BIO_new(BIO_s_mem())) {
    BIO_set_mem_eof_return(in_, -1);  // no input means "wait for more", not the end
    SSL_set_bio(ssl, in_, out_);
  }

  void Feed(std::string_view cipher) override {
    BIO_write(in_, cipher.data(), static_cast<int>(cipher.size()));
  }

  StatusOr<bool> Shake() override {
    ERR_clear_error();
    int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return true;
    int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return false;
    const std::string text = ErrorText();
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified == X509_V_OK) {
      return Unavailable(
          fmt::format("TLS handshake: it failed ({}); check that both ends use TLS, and that each "
                      "end's --tls-ca fits the other's --tls-cert (of a client SIPPAR_TLS_CA and "
                      "SIPPAR_TLS_CERT)",
                      text));
    }
    return Unavailable(fmt::format(
        "TLS handshake: this end refuses the other's certificate ({}; {}); check --tls-cert there "
        "and --tls-ca here (of a client SIPPAR_TLS_CA)",
        text, X509_verify_cert_error_string(verified)));
  }

  StatusOr<size_t> Decrypt(char* plain, size_t size) override {
    size_t filled = 0;
    while (filled < size) {
      ERR_clear_error();
      int result = SSL_read(ssl_.get(), plain + filled, static_cast<int>(size - filled));
      if (result <= 0) {
        // Returns first what was decrypted before the end or an error; the next call gets the same
        // error again.
        if (filled > 0) return filled;
        return NoMore(SSL_get_error(ssl_.get(), result));
      }
      filled += static_cast<size_t>(result);
    }
    return filled;
  }

  Status Encrypt(std::string_view plain) override {
    while (!plain.empty()) {
      size_t size = std::min(plain.size(), kPlainStep);
      ERR_clear_error();
      int result = SSL_write(ssl_.get(), plain.data(), static_cast<int>(size));
      if (result <= 0) {
        return Unavailable(fmt::format(
            "TLS: this end cannot encrypt for this connection any more ({}), so it closes "
            "the connection; try again",
            ErrorText()));
      }
      plain.remove_prefix(static_cast<size_t>(result));
    }
    return OkStatus();
  }

  void Drain(std::string* cipher) override {
    char* data = nullptr;
    long size = BIO_get_mem_data(out_, &data);
    if (size <= 0) return;
    cipher->append(data, static_cast<size_t>(size));
    static_cast<void>(BIO_reset(out_));
  }

  bool HasOutput() const override { return BIO_pending(out_) > 0; }

  TlsIdentity Peer() const override {
    std::unique_ptr<X509, Freer> certificate(SSL_get1_peer_certificate(ssl_.get()));
    return certificate == nullptr ? TlsIdentity() : IdentityOf(certificate.get());
  }

 private:
  static StatusOr<size_t> NoMore(int error) {
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return size_t{0};
    if (error == SSL_ERROR_ZERO_RETURN) {
      return Unavailable("the other end closed the connection");
    }
    // With TLS 1.3 the client's handshake ends before the server looks at the client's certificate,
    // so a refusal of the certificate arrives here.
    return Unavailable(
        fmt::format("TLS: the other end refused this end, or its data are damaged ({}); if the "
                    "reason names a certificate or a ca, check --tls-cert and --tls-key here (of a "
                    "client SIPPAR_TLS_CERT and SIPPAR_TLS_KEY) and --tls-ca there",
                    ErrorText()));
  }

  const Context context_;
  const std::unique_ptr<SSL, Freer> ssl_;
  BIO* const in_;  // ssl_ owns and frees both
  BIO* const out_;
};

StatusOr<Context> NewContext(const TlsFiles& files) {
  Context context(SSL_CTX_new(TLS_method()), Freer());
  if (context == nullptr)
    return Unavailable(fmt::format("TLS: OpenSSL cannot make a context ({})", ErrorText()));
  SSL_CTX* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // No session tickets: connections last long, so resuming one is rare, and tickets would add two
  // records to each handshake.
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  ERR_clear_error();
  auto refused = [](std::string_view what, const std::string& file) {
    return InvalidArgument(
        fmt::format("{} {}: it cannot be used ({}); give a PEM file", what, file, ErrorText()));
  };
  if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1) {
    return refused("certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return refused("key", files.key);
  }
  if (SSL_CTX_check_private_key(raw) != 1) {
    return InvalidArgument(
        fmt::format("key {}: it is not the key of certificate {}", files.key, files.certificate));
  }
  if (SSL_CTX_load_verify_locations(raw, files.authority.c_str(), nullptr) != 1) {
    return refused("authority", files.authority);
  }
  return context;
}

using Times = std::array<int64_t, 6>;

Times TimesOf(const TlsFiles& files) {
  Times times{};
  size_t at = 0;
  for (const std::string* file : {&files.certificate, &files.key, &files.authority}) {
    struct stat found {};
    if (::stat(file->c_str(), &found) == 0) {
      times[at] = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec;
      times[at + 1] = static_cast<int64_t>(found.st_ino);  // a replaced file has a new number
    }
    at += 2;
  }
  return times;
}

class FileKeys final : public TlsKeys {
 public:
  FileKeys(TlsFiles files, Times times, Context context)
      : files_(std::move(files)), times_(times), context_(std::move(context)) {}

  StatusOr<std::unique_ptr<TlsSession>> NewServer() override {
    ASSIGN_OR_RETURN(auto session, NewSession());
    SSL_set_accept_state(session.second);
    return std::move(session.first);
  }

  StatusOr<std::unique_ptr<TlsSession>> NewClient(const std::string& host) override {
    ASSIGN_OR_RETURN(auto session, NewSession());
    SSL_set_connect_state(session.second);
    if (host.empty()) return std::move(session.first);
    X509_VERIFY_PARAM* wanted = SSL_get0_param(session.second);
    bool is_numeric = NumericAddress(host, 0).has_value();
    int set = is_numeric ? X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str())
                         : X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size());
    if (set != 1)
      return InvalidArgument(fmt::format(
          "host {}: no certificate can name it; give a DNS name or an IP address", host));
    if (!is_numeric) SSL_set_tlsext_host_name(session.second, host.c_str());
    return std::move(session.first);
  }

 private:
  using Session = std::pair<std::unique_ptr<TlsSession>, SSL*>;
  StatusOr<Session> NewSession() {
    Context context = Newest();
    SSL* ssl = SSL_new(context.get());
    if (ssl == nullptr)
      return Unavailable(fmt::format("TLS: OpenSSL cannot make a session ({})", ErrorText()));
    std::unique_ptr<TlsSession> session = std::make_unique<OpensslSession>(context, ssl);
    return Session(std::move(session), ssl);
  }

  Context Newest() {
    engine::MutexLock lock(&mutex_);
    int64_t now = engine::Clock::System()->MonotonicNanos();
    if (now < look_again_) return context_;
    look_again_ = now + kLookAtFilesNanos;
    Times times = TimesOf(files_);
    if (times == times_) return context_;
    // While only the key or only the certificate is replaced, the two do not fit together, and the
    // old pair stays in use. times_ is not changed, so the next look tries again.
    auto loaded = NewContext(files_);
    if (!loaded.ok()) return context_;
    times_ = times;
    context_ = *std::move(loaded);
    return context_;
  }

  const TlsFiles files_;
  engine::Mutex mutex_;
  Times times_ GUARDED_BY(mutex_);
  Context context_ GUARDED_BY(mutex_);
  int64_t look_again_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

StatusOr<std::shared_ptr<TlsKeys>> TlsKeys::Load(TlsFiles files) {
  // The times are read before the files, so that a change in between is noticed by the next look.
  Times times = TimesOf(files);
  ASSIGN_OR_RETURN(Context context, NewContext(files));
  return std::static_pointer_cast<TlsKeys>(
      std::make_shared<FileKeys>(std::move(files), times, std::move(context)));
}

}  // namespace sippar::net
