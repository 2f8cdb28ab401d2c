// SPDX-License-Identifier: Apache-2.0
#include "cluster/lock/zookeeper/file_view.h"

#include <fmt/format.h>

#include <charconv>

#include "cluster/lock/zookeeper/answer.h"
#include "engine/base/printable.h"

namespace sippar::cluster::zookeeper {
namespace {

// Takes a number and the character after it from the front of `text`.
bool TakeNumber(std::string_view* text, char end, uint64_t* number) {
  auto parsed = std::from_chars(text->data(), text->data() + text->size(), *number);
  size_t taken = static_cast<size_t>(parsed.ptr - text->data());
  if (parsed.ec != std::errc() || taken >= text->size() || (*text)[taken] != end) return false;
  text->remove_prefix(taken + 1);
  return true;
}

Status HeldBy(std::string_view what, const std::string& path, const FileView& view) {
  return AlreadyExists(fmt::format("{} '{}' is held by {} (session {})", what, path,
                                   view.holder_name, view.file.holder));
}

void SetHolder(Holder holder, FileView* view) {
  view->file.holder = holder.session;
  view->file.fence = holder.fence;
  view->holder_name = std::move(holder.name);
}

}  // namespace

std::string EncodeHolder(const Holder& holder) {
  return fmt::format("{} {} {}", holder.fence, holder.session, holder.name);
}

StatusOr<Holder> DecodeHolder(std::string_view line) {
  Holder holder;
  std::string_view rest = line;
  if (TakeNumber(&rest, ' ', &holder.fence) && TakeNumber(&rest, ' ', &holder.session) &&
      holder.fence != 0 && holder.session != 0) {
    holder.name = std::string(rest);
    return holder;
  }
  return DataLoss(fmt::format(
      "the ZooKeeper node of its lock does not name the holder (expected NUMBER SESSION "
      "NAME, found {} bytes: '{}'), so a program other than sippar wrote it; find and stop that "
      "program",
      line.size(), engine::PrintableBytes(line.substr(0, 60))));
}

std::string EncodeEphemeral(const Holder& holder, std::string_view content) {
  return EncodeHolder(holder).append("\n").append(content);
}

StatusOr<std::optional<FileView>> ViewOf(const std::string& path, const Znode& file,
                                         const Znode& lock) {
  FileView view;
  if (file.code == kNoNode) return view;
  view.exists = true;
  view.file.version = static_cast<uint64_t>(file.version) + 1;
  if (file.ephemeral) {
    size_t line = file.data.find('\n');
    auto holder = DecodeHolder(std::string_view(file.data).substr(0, line));
    if (!holder.ok() || line == std::string::npos) {
      return DataLoss(
          fmt::format("lock file '{}': its ZooKeeper node does not name the holder in its first "
                      "line, so a program other than sippar wrote it; find and stop that program",
                      path));
    }
    view.file.ephemeral = true;
    view.file.content = file.data.substr(line + 1);
    SetHolder(std::move(*holder), &view);
    return view;
  }
  view.file.content = file.data;
  // The file's node was read before the lock's node. The two reads fit together only if the lock's
  // node was neither made nor removed between them.
  bool had_lock = file.children != 0;
  bool fits = lock.code == kNoNode ? !had_lock : had_lock && lock.created == file.names_changed;
  if (!fits) return std::nullopt;
  if (!had_lock) return view;
  auto holder = DecodeHolder(lock.data);
  if (!holder.ok()) return Annotate(holder.status(), fmt::format("lock file '{}'", path));
  SetHolder(std::move(*holder), &view);
  return view;
}

Status CheckExists(const std::string& path, const FileView& view) {
  return view.exists ? OkStatus() : NotFound(fmt::format("lock file '{}' not found", path));
}

Status CheckVersion(const std::string& path, const FileView& view, uint64_t version) {
  RETURN_IF_ERROR(CheckExists(path, view));
  if (view.file.version == version) return OkStatus();
  return Aborted(fmt::format("lock file '{}' has version {}, not {}; read it again", path,
                             view.file.version, version));
}

Status CheckRelease(const std::string& path, const FileView& view, uint64_t session) {
  RETURN_IF_ERROR(CheckExists(path, view));
  if (view.file.ephemeral) {
    return InvalidArgument(
        fmt::format("lock file '{}' is ephemeral and cannot be released; remove it instead", path));
  }
  if (view.file.holder == session) return OkStatus();
  return Aborted(fmt::format("lock '{}' is not held by session {}", path, session));
}

StatusOr<uint64_t> CheckAcquire(const std::string& path, const FileView& view, uint64_t session) {
  RETURN_IF_ERROR(CheckExists(path, view));
  if (view.file.holder != 0 && view.file.holder != session) return HeldBy("lock", path, view);
  return view.file.fence;
}

Status Exists(const std::string& path, const FileView& view) {
  if (view.file.holder != 0) return HeldBy("lock file", path, view);
  return AlreadyExists(fmt::format("lock file '{}' already exists", path));
}

std::string Rewritten(const FileView& view, const std::string& content) {
  if (!view.file.ephemeral) return content;
  return EncodeEphemeral({view.file.fence, view.file.holder, view.holder_name}, content);
}

StatusOr<uint64_t> DecodeCounter(std::string_view content) {
  uint64_t number = 0;
  auto parsed = std::from_chars(content.data(), content.data() + content.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == content.data() + content.size() && number != 0) {
    return number;
  }
  return DataLoss(
      fmt::format("its {} bytes are not a number; put it back from a copy", content.size()));
}

Status CheckNumber(uint64_t number) {
  if (number < kNumberMax) return OkStatus();
  return ResourceExhausted(
      "epoch counter of the lock service: all numbers below 2^32 are used up, "
      "so no server can start any more");
}

}  // namespace sippar::cluster::zookeeper
