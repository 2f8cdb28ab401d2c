// SPDX-License-Identifier: Apache-2.0
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
std::atomic<int> ended_by{0};
std::atomic<bool> stop_seen{false};
std::atomic<uint64_t> interrupt_count{0};
int interrupt_pipe[2] = {-1, -1};

void CancelRunning() {
  stop_seen.store(true);
  query::Session* session = running.load();
  if (session != nullptr) session->Cancel();
}

void OnInterrupt(int) {
  // The handler restores errno, because write() may change it before the interrupted code reads it.
  int saved = errno;
  interrupt_seen.store(true);
  interrupt_count.fetch_add(1);
  CancelRunning();
  char byte = 'c';
  [[maybe_unused]] ssize_t written = write(interrupt_pipe[1], &byte, 1);
  errno = saved;
}

void OnEnd(int number) {
  ended_by.store(number);
  OnInterrupt(number);
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
  // The pipe is non-blocking, because a handler must not block when the pipe is full; one byte in
  // it is enough.
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = OnTimer;
  sigaction(SIGALRM, &action, nullptr);
  // SA_RESETHAND: a second SIGTERM or SIGHUP ends the process at once.
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  action.sa_handler = OnEnd;
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before = {};
  bool is_ignored = sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
  // If nohup started this process, SIGHUP is already ignored and must remain ignored.
  if (!is_ignored) sigaction(SIGHUP, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int InterruptPipe() { return interrupt_pipe[0]; }

int EndSignal() { return ended_by.load(); }

void DrainInterruptPipe() {
  // After SIGTERM or SIGHUP the byte stays in the pipe, so that every later wait ends at once.
  if (EndSignal() != 0) return;
  char bytes[64];
  while (read(interrupt_pipe[0], bytes, sizeof(bytes)) > 0) {
  }
}

CancelScope::CancelScope(query::Session* session, int64_t timeout_us) {
  ForgetInterrupt();
  // Clears the cancel flag before a handler can set it for this statement, so that no Ctrl-C is
  // lost.
  if (session != nullptr) session->ClearCancel();
  running.store(session);
  if (EndSignal() != 0) CancelRunning();
  if (timeout_us > 0) SetTimer(timeout_us);
}

CancelScope::~CancelScope() {
  SetTimer(0);
  running.store(nullptr);
  DrainInterruptPipe();
}

bool InterruptSeen() { return interrupt_seen.load() || timeout_seen.load() || EndSignal() != 0; }

void ForgetInterrupt() {
  interrupt_seen.store(false);
  timeout_seen.store(false);
  stop_seen.store(false);
}

uint64_t InterruptCount() { return interrupt_count.load(); }

bool CancelScope::interrupted() const { return interrupt_seen.load(); }
bool CancelScope::timed_out() const { return timeout_seen.load(); }
const std::atomic<bool>* CancelScope::stopped() const { return &stop_seen; }

}  // namespace sippar::cli
