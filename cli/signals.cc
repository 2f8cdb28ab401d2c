// Signal handlers, see signals.h. SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace sippar::cli {
namespace {

std::atomic<query::Session*> running{nullptr};
std::atomic<bool> interrupt_seen{false};
std::atomic<bool> timeout_seen{false};
int interrupt_pipe[2] = {-1, -1};

void CancelRunning() {
  query::Session* session = running.load();
  if (session != nullptr) session->Cancel();
}

void OnInterrupt(int) {
  int saved = errno;
  interrupt_seen.store(true);
  CancelRunning();
  char byte = 'c';
  [[maybe_unused]] ssize_t written = write(interrupt_pipe[1], &byte, 1);
  errno = saved;
}

void OnTimer(int) {
  timeout_seen.store(true);
  CancelRunning();
}

void SetTimer(int64_t micros) {
  itimerval timer = {};
  timer.it_value.tv_sec = micros / 1'000'000;
  timer.it_value.tv_usec = micros % 1'000'000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void InstallSignalHandlers() {
  if (interrupt_pipe[0] >= 0) return;
  if (pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = OnTimer;
  sigaction(SIGALRM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int InterruptPipe() { return interrupt_pipe[0]; }

void DrainInterruptPipe() {
  char bytes[64];
  while (read(interrupt_pipe[0], bytes, sizeof(bytes)) > 0) {
  }
}

CancelScope::CancelScope(query::Session* session, int64_t timeout_us) {
  interrupt_seen.store(false);
  timeout_seen.store(false);
  session->ClearCancel();  // before anything can set it, so that nothing set is lost
  running.store(session);
  if (timeout_us > 0) SetTimer(timeout_us);
}

CancelScope::~CancelScope() {
  SetTimer(0);
  running.store(nullptr);
  DrainInterruptPipe();
}

bool CancelScope::interrupted() const { return interrupt_seen.load(); }
bool CancelScope::timed_out() const { return timeout_seen.load(); }

}  // namespace sippar::cli
