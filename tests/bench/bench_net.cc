// Measures the echo of 1,000 bytes over the wire and over the bare Asio probe, plain and with
// mutual TLS, in the same run: bench_net [ROUNDS SECONDS]. The servers run in their own process.
// Prints medians of all rounds, and the CPU time per call of each side.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <vector>

#include "cluster/net/channel.h"
#include "cluster/net/server.h"
#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "tests/bench/asio_probe.h"
#include "tests/cluster/net/test_certificates.h"

namespace sippar::net {
namespace {

constexpr uint16_t kEcho = 1;
constexpr size_t kBody = 1000;

class EchoService final : public Service {
 public:
  bool ServeAtOnce(const std::shared_ptr<ServerCall>& call) override {
    Serve(call);
    return true;
  }
  void Serve(const std::shared_ptr<ServerCall>& call) override {
    call->Reply(std::move(call->body()));
  }
};

Hello HelloOf(const std::string& role) {
  Hello hello;
  hello.role = role;
  hello.name = role;
  return hello;
}

struct Ports {
  uint16_t probe[2], wire[2];  // ports without and with TLS
};

std::shared_ptr<TlsKeys> KeysOf(const ProbeFiles& files) {
  if (files.key.empty()) return nullptr;
  auto keys = TlsKeys::Load({files.certificate, files.key, files.authority});
  CHECK(keys.ok());
  return *std::move(keys);
}

// Runs in the child: serves until it is killed.
[[noreturn]] void Serve(const ProbeFiles& files, int told) {
  EchoService service;
  LaneLoops loops("server");
  Ports ports{};
  std::vector<std::unique_ptr<ProbeServer>> probes;
  std::vector<std::unique_ptr<Server>> servers;
  for (int tls = 0; tls < 2; ++tls) {
    const ProbeFiles used = tls == 1 ? files : ProbeFiles();
    probes.push_back(ProbeServer::Start(used));
    ports.probe[tls] = probes.back()->port();
    ServerOptions options;
    options.hello = HelloOf("server");
    options.tls = KeysOf(used);
    auto server = Server::Start(options, &service, &loops);
    CHECK(server.ok());
    ports.wire[tls] = (*server)->port();
    servers.push_back(*std::move(server));
  }
  CHECK(::write(told, &ports, sizeof(ports)) == sizeof(ports));
  for (;;) ::pause();
}

int64_t CpuNanos(clockid_t clock) {
  timespec used{};
  CHECK(::clock_gettime(clock, &used) == 0);
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

struct Figure {
  double rate = 0, client_us = 0, server_us = 0;
};

Figure Measure(const std::function<size_t(const std::string&)>& call, int callers, double seconds,
               clockid_t server) {
  std::atomic<bool> ends{false};
  std::atomic<int64_t> calls{0};
  auto work = [&] {
    std::string body(kBody, 'x');
    int64_t own = 0;
    for (; !ends.load(std::memory_order_relaxed); ++own) CHECK(call(body) == kBody);
    calls += own;
  };
  engine::Clock* clock = engine::Clock::System();
  int64_t start = clock->MonotonicNanos();
  int64_t client_cpu = CpuNanos(CLOCK_PROCESS_CPUTIME_ID), server_cpu = CpuNanos(server);
  std::vector<engine::Thread> threads;
  for (int i = 0; i < callers; ++i) threads.emplace_back("caller", work);
  clock->SleepMicros(static_cast<int64_t>(seconds * 1e6));
  ends = true;
  threads.clear();
  auto count = static_cast<double>(calls.load());
  double took = static_cast<double>(clock->MonotonicNanos() - start) / 1e9;
  return {count / took,
          static_cast<double>(CpuNanos(CLOCK_PROCESS_CPUTIME_ID) - client_cpu) / 1e3 / count,
          static_cast<double>(CpuNanos(server) - server_cpu) / 1e3 / count};
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Figure MedianOf(const std::vector<Figure>& figures) {
  std::vector<double> rates, clients, servers;
  for (const Figure& figure : figures) {
    rates.push_back(figure.rate);
    clients.push_back(figure.client_us);
    servers.push_back(figure.server_us);
  }
  return {Median(rates), Median(clients), Median(servers)};
}

void Compare(const Ports& ports, const ProbeFiles& files, clockid_t server, int rounds,
             double seconds) {
  LaneLoops loops("client");
  for (int tls = 0; tls < 2; ++tls) {
    const ProbeFiles used = tls == 1 ? files : ProbeFiles();
    auto probe = ProbeClient::Connect(ports.probe[tls], used);
    ChannelOptions options;
    options.host = "127.0.0.1";
    options.port = ports.wire[tls];
    options.hello = HelloOf("client");
    options.tls = KeysOf(used);
    auto channel = Channel::New(options, &loops);
    CHECK(channel.ok());
    auto call_probe = [&](const std::string& body) { return probe->Call(body); };
    auto call_wire = [&](const std::string& body) {
      auto answer = (*channel)->Call(kEcho, body, {});
      CHECK(answer.ok());
      return answer->size();
    };
    for (int callers : {1, 16, 64}) {
      std::vector<Figure> of_probe, of_wire;
      for (int round = 0; round < rounds; ++round) {
        of_probe.push_back(Measure(call_probe, callers, seconds, server));
        of_wire.push_back(Measure(call_wire, callers, seconds, server));
      }
      Figure bare = MedianOf(of_probe), ours = MedianOf(of_wire);
      fmt::print(
          "{:5} {:2} callers: probe {:7.0f}/s (us a call: client {:5.1f}, server {:5.1f})  "
          "wire {:7.0f}/s ({:5.1f}, {:5.1f})  {:.2f}x\n",
          tls == 1 ? "tls" : "plain", callers, bare.rate, bare.client_us, bare.server_us, ours.rate,
          ours.client_us, ours.server_us, ours.rate / bare.rate);
      std::fflush(stdout);
    }
    (*channel)->Close();
  }
}

int Main(int rounds, double seconds) {
  char folder[] = "/tmp/bench_netXXXXXX";
  CHECK(::mkdtemp(folder) != nullptr);
  TestAuthority authority(folder, "authority");
  authority.Issue("member", "IP:127.0.0.1");
  ProbeFiles files{authority.File("member.crt"), authority.File("member.key"),
                   authority.certificate()};
  int told[2];
  CHECK(::pipe(told) == 0);
  pid_t child = ::fork();  // forked before this process has any other thread
  CHECK(child >= 0);
  if (child == 0) Serve(files, told[1]);
  Ports ports{};
  CHECK(::read(told[0], &ports, sizeof(ports)) == sizeof(ports));
  clockid_t server;
  CHECK(::clock_getcpuclockid(child, &server) == 0);
  Compare(ports, files, server, rounds, seconds);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const std::string& file : {files.certificate, files.key, files.authority}) {
    ::unlink(file.c_str());
  }
  ::rmdir(folder);
  return 0;
}

}  // namespace
}  // namespace sippar::net

int main(int argc, char** argv) {
  return sippar::net::Main(argc > 1 ? std::atoi(argv[1]) : 5, argc > 2 ? std::atof(argv[2]) : 1.0);
}
