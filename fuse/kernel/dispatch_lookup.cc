// Holds the callbacks init, lookup, forget, getattr, readlink, statfs and those for extended
// attributes.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/kernel/request.h"
#include "fuse/tree/open_values.h"
#include "fuse/tree/xattrs.h"

namespace sippar::fuse {
namespace {

// Greatest size of a write request. The kernel uses the same limit for read requests.
constexpr unsigned kWriteSizeMax = 1 << 20;
// Limit of the requests of the kernel's read-ahead, which are almost all reads, that the kernel
// sends at a time: they must not occupy all threads (mount.cc) while they wait for one slow piece.
constexpr unsigned kBackgroundMax = kReadersWaitingMax;

void OnInit(void* userdata, fuse_conn_info* connection) {
  // libfuse presets capability bits, so each bit is set here explicitly. AUTO_INVAL_DATA stays off
  // because data never changes. READDIRPLUS_AUTO stays off because the kernel's heuristic returns
  // most names of a large directory without attributes; dispatch_directory.cc has more information
  // for that decision.
  constexpr unsigned kWanted = FUSE_CAP_READDIRPLUS | FUSE_CAP_PARALLEL_DIROPS |
                               FUSE_CAP_ASYNC_READ | FUSE_CAP_CACHE_SYMLINKS |
                               FUSE_CAP_EXPLICIT_INVAL_DATA | FUSE_CAP_SPLICE_WRITE |
                               FUSE_CAP_SPLICE_MOVE;
  connection->want = connection->capable & kWanted;
  connection->max_write = kWriteSizeMax;
  connection->max_background = kBackgroundMax;
  connection->congestion_threshold = kBackgroundMax * 3 / 4;
  // The granularity of the times is one microsecond; time_gran is in nanoseconds.
  connection->time_gran = 1000;
  auto* dispatch = static_cast<Dispatch*>(userdata);
  if (dispatch->options().on_ready) dispatch->options().on_ready();
}

void OnLookup(fuse_req_t raw, fuse_ino_t parent, const char* name) {
  Request request(raw, "lookup");
  Answer(&request, [&] {
    if (std::string_view(name).size() > kNameSizeMax) return request.ReplyError(ENAMETOOLONG);
    auto directory = request.Find(parent);
    if (!directory.has_value()) return;
    Dispatch* dispatch = request.dispatch();
    auto found = dispatch->tree()->Lookup(directory->node, name, request.call());
    if (!found.ok()) return request.ReplyStatus(found.status());
    dispatch->NoteLookupIn(parent);
    fuse_entry_param entry{};
    entry.ino = dispatch->inodes()->Acquire(*found);
    entry.attr_timeout = dispatch->AttributeSeconds(found->node);
    entry.entry_timeout =
        dispatch->FollowedNameSeconds(directory->node, *found, request.ElapsedUs());
    dispatch->FillStat(found->node, found->attributes, found->inode_number, &entry.attr);
    // A reply that the kernel dropped gives no reference, so the count of Acquire is taken back.
    if (!request.ReplyEntry(entry)) dispatch->inodes()->Forget(entry.ino, 1);
    dispatch->trimmer()->Look();
  });
}

Dispatch* DispatchOf(fuse_req_t raw) { return static_cast<Dispatch*>(fuse_req_userdata(raw)); }

void OnForget(fuse_req_t raw, fuse_ino_t node_id, uint64_t lookups) {
  DispatchOf(raw)->inodes()->Forget(node_id, lookups);
  fuse_reply_none(raw);
}

void OnForgetMulti(fuse_req_t raw, size_t count, fuse_forget_data* forgets) {
  for (size_t i = 0; i < count; ++i) {
    DispatchOf(raw)->inodes()->Forget(forgets[i].ino, forgets[i].nlookup);
  }
  fuse_reply_none(raw);
}

void OnGetattr(fuse_req_t raw, fuse_ino_t node_id, fuse_file_info*) {
  Request request(raw, "getattr");
  Answer(&request, [&] {
    auto inode = request.Find(node_id);
    if (!inode.has_value()) return;
    // The inode table holds the attributes that the last lookup or listing found, so getattr never
    // reads the store.
    struct stat attributes;
    request.dispatch()->FillStat(inode->node, inode->attributes, InodeNumber(inode->node),
                                 &attributes);
    request.ReplyAttributes(attributes, request.dispatch()->AttributeSeconds(inode->node));
  });
}

void OnReadlink(fuse_req_t raw, fuse_ino_t node_id) {
  Request request(raw, "readlink");
  Answer(&request, [&] {
    auto inode = request.Find(node_id);
    if (!inode.has_value()) return;
    if (inode->node.kind != NodeKind::kSymlink) return request.ReplyError(EINVAL);
    request.ReplyText(inode->node.text);
  });
}

void OnStatfs(fuse_req_t raw, fuse_ino_t) {
  Request request(raw, "statfs");
  Answer(&request, [&] {
    auto usage = request.dispatch()->tree()->ReadUsage();
    if (!usage.ok()) return request.ReplyStatus(usage.status());
    struct statvfs out {};
    out.f_bsize = 4'096;
    out.f_frsize = 4'096;
    out.f_blocks = (usage->stored_bytes + out.f_frsize - 1) / out.f_frsize;
    out.f_files = usage->entries;
    out.f_namemax = kNameSizeMax;
    request.ReplyStatfs(out);
  });
}

// Replies with `bytes`, or with their number if `size` is 0: getxattr(2) and listxattr(2) ask for
// the size in that way.
void ReplySized(Request* request, std::string_view bytes, size_t size) {
  if (size == 0) return request->ReplySize(bytes.size());
  if (bytes.size() > size) return request->ReplyError(ERANGE);
  request->ReplyBytes(bytes);
}

void OnGetxattr(fuse_req_t raw, fuse_ino_t node_id, const char* name, size_t size) {
  Request request(raw, "getxattr");
  Answer(&request, [&] {
    auto inode = request.Find(node_id);
    if (!inode.has_value()) return;
    auto value = request.dispatch()->tree()->Xattr(inode->node, name, request.call());
    if (!value.ok()) return request.ReplyStatus(value.status());
    if (!value->has_value()) return request.ReplyError(ENODATA);
    ReplySized(&request, **value, size);
  });
}

void OnListxattr(fuse_req_t raw, fuse_ino_t node_id, size_t size) {
  Request request(raw, "listxattr");
  Answer(&request, [&] {
    auto inode = request.Find(node_id);
    if (!inode.has_value()) return;
    std::string names;
    for (const std::string& name : XattrNames(inode->node)) names.append(name).push_back('\0');
    ReplySized(&request, names, size);
  });
}

}  // namespace

void FillLookupOperations(fuse_lowlevel_ops* operations) {
  operations->init = OnInit;
  operations->lookup = OnLookup;
  operations->forget = OnForget;
  operations->forget_multi = OnForgetMulti;
  operations->getattr = OnGetattr;
  operations->readlink = OnReadlink;
  operations->statfs = OnStatfs;
  operations->getxattr = OnGetxattr;
  operations->listxattr = OnListxattr;
}

}  // namespace sippar::fuse
