// A lock file as read from its two nodes, and checks of what a call may do with it. Pure. The node
// of a file that is not ephemeral holds its content as it is, and the node of its lock "<fence>
// <session> <name>". The node of an ephemeral file can have no lock node below it, so it holds that
// line and then the content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/lock/lock_service.h"

namespace sippar::cluster::zookeeper {

// Limit of the numbers: an epoch has to fit into 32 bits of the engine's file ids.
inline constexpr uint64_t kNumberMax = uint64_t{1} << 32;

struct Holder {
  uint64_t fence = 0;
  uint64_t session = 0;
  std::string name;  // for people; printable, so it has no line break
};
std::string EncodeHolder(const Holder& holder);
[[nodiscard]] StatusOr<Holder> DecodeHolder(std::string_view line);
std::string EncodeEphemeral(const Holder& holder, std::string_view content);

// The answer to one read of a node.
struct Znode {
  int code = 0;  // kOk: the node exists; kNoNode: it does not
  std::string data;
  int32_t version = 0;        // changes of the data since creation
  int64_t created = 0;        // transaction that made the node
  int64_t names_changed = 0;  // transaction that last added or removed a child
  int32_t children = 0;
  bool ephemeral = false;
};

struct FileView {
  bool exists = false;
  LockFile file;
  std::string holder_name;
};
// Combines the reads of both nodes. They were read one after the other, so a change may have come
// in between. nullopt: the two reads do not fit together; read again. kDataLoss: a node holds what
// this service does not write.
[[nodiscard]] StatusOr<std::optional<FileView>> ViewOf(const std::string& path, const Znode& file,
                                                       const Znode& lock);

// Each Check returns OK if the call may go on with a file that looks like `view`; errors as in
// lock_service.h.
[[nodiscard]] Status CheckExists(const std::string& path, const FileView& view);
[[nodiscard]] Status CheckVersion(const std::string& path, const FileView& view, uint64_t version);
[[nodiscard]] Status CheckRelease(const std::string& path, const FileView& view, uint64_t session);
// Returns the fencing number if `session` already holds the lock, 0 if the lock is free.
[[nodiscard]] StatusOr<uint64_t> CheckAcquire(const std::string& path, const FileView& view,
                                              uint64_t session);
[[nodiscard]] Status Exists(const std::string& path, const FileView& view);  // kAlreadyExists
// The new data of the file's node when `content` replaces the old content.
std::string Rewritten(const FileView& view, const std::string& content);

// Parses the content of the counter, the next number to give out.
[[nodiscard]] StatusOr<uint64_t> DecodeCounter(std::string_view content);
// kResourceExhausted: all numbers are used up.
[[nodiscard]] Status CheckNumber(uint64_t number);

}  // namespace sippar::cluster::zookeeper
