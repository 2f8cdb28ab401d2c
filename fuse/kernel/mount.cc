// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/mount.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "fuse/kernel/mount_point.h"
#include "fuse/kernel/request.h"
#include "fuse/tree/open_values.h"

namespace sippar::fuse {
namespace {

// Each reader that waits, for value memory or for a piece that another reader loads, occupies a
// thread; 16 more threads answer other requests.
constexpr unsigned kThreadsMax = kReadersWaitingMax + 16;
// Time between two signals of Stop, which repeats the signal because a signal that arrives just
// before the loop's wait is lost.
constexpr int64_t kWakeIntervalUs = 5'000;

// libfuse writes the reason for a failure only to its log. Attach captures that log for its error
// message. libfuse has one log function for the process, hence the globals.
engine::Mutex log_mutex;
std::string* captured_log = nullptr;

void OnLibraryLog(fuse_log_level, const char* format, va_list arguments) {
  char line[1024];
  std::vsnprintf(line, sizeof(line), format, arguments);
  engine::MutexLock lock(&log_mutex);
  if (captured_log != nullptr) {
    captured_log->append(line);
  } else {
    std::fputs(line, stderr);
  }
}

class LogCapture {
 public:
  LogCapture() {
    engine::MutexLock lock(&log_mutex);
    captured_log = &text_;
  }
  ~LogCapture() {
    engine::MutexLock lock(&log_mutex);
    captured_log = nullptr;
  }
  std::string Text() {
    engine::MutexLock lock(&log_mutex);
    while (!text_.empty() && text_.back() == '\n') text_.pop_back();
    return text_;
  }

 private:
  std::string text_;
};

bool HasUnmountHelper() {
  for (const char* path :
       {"/usr/bin/fusermount3", "/bin/fusermount3", "/usr/local/bin/fusermount3"}) {
    if (::access(path, X_OK) == 0) return true;
  }
  return false;
}

// Escapes ',' and '\', because a ',' ends an option in the string of mount options.
std::string EscapeOption(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ',' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string OptionText(const MountOptions& options) {
  std::string text = fmt::format("ro,nosuid,nodev,noatime,default_permissions,subtype={},fsname={}",
                                 kMountSubtype, EscapeOption(options.source));
  if (options.allow_other) text += ",allow_other";
  // libfuse refuses to mount with auto_unmount if fusermount3 is missing, so the option is given
  // only if the helper is installed.
  if (options.auto_unmount && HasUnmountHelper()) text += ",auto_unmount";
  return text;
}

DispatchOptions DispatchOptionsOf(const MountOptions& options) {
  DispatchOptions dispatch;
  dispatch.timeout_us = options.timeout_us;
  dispatch.listing_timeout_us = options.listing_timeout_us;
  dispatch.name_age_us_max = options.name_age_us_max;
  dispatch.nodes_max = options.nodes_max;
  dispatch.uid = options.uid;
  dispatch.gid = options.gid;
  dispatch.mode_mask = options.mode_mask;
  dispatch.on_ready = options.on_ready;
  return dispatch;
}

TreeOptions TreeOptionsOf(const MountOptions& options, Answers* answers) {
  TreeOptions tree;
  tree.answers = answers;
  tree.query_timeout_us = options.query_timeout_us;
  tree.value_memory_bytes = options.value_memory_bytes;
  tree.follows_changes = options.follows_changes;
  // The tree's caches must not be older than name_age_us_max, because the kernel may keep a name no
  // longer than that in total.
  tree.freshness_us = std::min(kFreshnessUs, options.name_age_us_max);
  return tree;
}

Status CheckDevice() {
  if (::access("/dev/fuse", R_OK | W_OK) == 0) return OkStatus();
  if (errno == ENOENT) {
    return FailedPrecondition(
        "/dev/fuse is missing; load the kernel module: modprobe fuse, or start this container with "
        "--device /dev/fuse");
  }
  return PermissionDenied(fmt::format(
      "/dev/fuse: {}; mount as root, or let this user read and write it", std::strerror(errno)));
}

class SessionMount final : public Mount {
 public:
  SessionMount(cluster::Client* client, const MountOptions& options)
      : answers_(options.make_answers ? options.make_answers(client) : nullptr),
        tree_(client, TreeOptionsOf(options, answers_.get())),
        dispatch_(&tree_, client->clock(), DispatchOptionsOf(options)) {}

  ~SessionMount() override {
    if (session_ == nullptr) return;
    if (is_mounted_) Unmount();
    fuse_session_destroy(session_);
  }

  Status Start(const MountOptions& options) {
    RETURN_IF_ERROR(CheckDevice());
    fuse_set_log_func(&OnLibraryLog);
    LogCapture capture;
    std::string option_text = OptionText(options);
    fuse_args arguments = FUSE_ARGS_INIT(0, nullptr);
    fuse_lowlevel_ops operations{};
    Dispatch::FillOperations(&operations);
    bool ok = fuse_opt_add_arg(&arguments, "sippar") == 0 &&
              fuse_opt_add_arg(&arguments, "-o") == 0 &&
              fuse_opt_add_arg(&arguments, option_text.c_str()) == 0;
    if (ok) session_ = fuse_session_new(&arguments, &operations, sizeof(operations), &dispatch_);
    fuse_opt_free_args(&arguments);
    if (session_ == nullptr) {
      return Internal(fmt::format("mount point {}: libfuse cannot make a session ({})",
                                  options.mount_point, capture.Text()));
    }
    if (fuse_session_mount(session_, options.mount_point.c_str()) != 0) {
      return FailedPrecondition(
          fmt::format("cannot mount on {}: {}", options.mount_point, capture.Text()));
    }
    is_mounted_ = true;
    mount_point_ = options.mount_point;
    device_ = DeviceAt(mount_point_);
    return OkStatus();
  }

  Status Serve() override {
    InstallWakeSignal();
    {
      // The state is set before the exit flag is checked below. If Stop sets the flag after that
      // check, Stop sees kServing and interrupts the loop; if Stop has set the flag earlier, the
      // check finds it.
      engine::MutexLock lock(&mutex_);
      server_ = pthread_self();
      state_ = kServing;
    }
    int result = 0;
    if (!fuse_session_exited(session_)) {
      dispatch_.trimmer()->Start(session_);
      dispatch_.notifier()->Start(session_);
      fuse_loop_config* config = fuse_loop_cfg_create();
      fuse_loop_cfg_set_max_threads(config, kThreadsMax);
      result = fuse_session_loop_mt(session_, config);
      fuse_loop_cfg_destroy(config);
      // After an error nothing answers the kernel, and a notification of the trimmer or the
      // notifier may wait for such an answer. The session's file is closed only after both have
      // ended: its number may then become that of another file, to which they would write.
      if (result < 0 && IsConnected() && !device_.empty()) AbortMount(device_);
      dispatch_.trimmer()->Stop();
      dispatch_.notifier()->Stop();
    }
    {
      engine::MutexLock lock(&mutex_);
      state_ = kServed;
    }
    served_.NotifyAll();
    Unmount();
    // A positive result is the number of the signal that ended the loop, which is a normal end.
    if (result < 0)
      return Internal(
          fmt::format("mount point {}: the kernel's requests can no longer be read ({}), so it was "
                      "unmounted; mount "
                      "it again",
                      mount_point_, std::strerror(-result)));
    return OkStatus();
  }

  void Stop() override {
    // Trimmer and notifier are stopped first, while requests of the kernel are still answered: they
    // may be inside a notification that waits for such an answer.
    dispatch_.trimmer()->Stop();
    dispatch_.notifier()->Stop();
    // Serve waits for all requests, so reads of generated files, which may wait for a long time,
    // are ended first.
    tree_.StopStreams();
    fuse_session_exit(session_);
    engine::MutexLock lock(&mutex_);
    // The loop checks the exit flag only when its wait is interrupted. A signal that arrives just
    // before the wait has no effect, so it is repeated until Serve leaves the loop.
    while (state_ == kServing) {
      pthread_kill(server_, SIGUSR2);
      served_.WaitFor(&mutex_, kWakeIntervalUs);
    }
  }

  std::string Counters() override { return dispatch_.Counters(); }

 private:
  // libfuse knows only the original mount point, but mount --move and mount --bind may have put the
  // file system at other places, too. These are detached only while the session is connected: after
  // an unmount, another mount may have received the same device number.
  void Unmount() {
    is_mounted_ = false;
    bool is_moved = false;
    if (IsConnected() && !device_.empty()) {
      is_moved = DeviceAt(mount_point_) != device_;
      DetachElsewhere(device_, mount_point_);
    }
    if (!is_moved) fuse_session_unmount(session_);
  }

  // False after the file system was unmounted.
  bool IsConnected() const {
    pollfd device{fuse_session_fd(session_), 0, 0};
    return ::poll(&device, 1, 0) != 1 || (device.revents & POLLERR) == 0;
  }

  enum State { kAttached, kServing, kServed };

  static void InstallWakeSignal() {
    struct sigaction action {};
    // The handler does nothing: the signal only ends a wait with EINTR, so SA_RESTART is not set.
    action.sa_handler = [](int) {};
    sigaction(SIGUSR2, &action, nullptr);
  }

  const std::unique_ptr<Answers> answers_;
  TreeView tree_;
  Dispatch dispatch_;
  fuse_session* session_ = nullptr;
  bool is_mounted_ = false;
  std::string mount_point_;
  std::string device_;  // device number of the mount
  engine::Mutex mutex_;
  engine::CondVar served_;
  State state_ GUARDED_BY(mutex_) = kAttached;
  pthread_t server_ GUARDED_BY(mutex_){};
};

}  // namespace

StatusOr<std::unique_ptr<Mount>> Mount::Attach(cluster::Client* client,
                                               const MountOptions& options) {
  auto mount = std::make_unique<SessionMount>(client, options);
  RETURN_IF_ERROR(mount->Start(options));
  return std::unique_ptr<Mount>(std::move(mount));
}

}  // namespace sippar::fuse
