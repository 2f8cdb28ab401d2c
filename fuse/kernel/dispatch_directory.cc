// Holds the callbacks opendir, readdir, readdirplus and releasedir. A listing writes entries
// straight from the stream into the reply buffer.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "fuse/kernel/request.h"

namespace sippar::fuse {
namespace {

// The kernel asks for attributes with every listing (dispatch_lookup.cc), and each entry that has
// them costs a node in the kernel and in the inode table. In a table and in .tree, only the first
// entries get attributes at once. Later ones get them after the reader has looked up
// kLookupsOfInterest names since it opened the directory (as ls -l and find do): each of those
// names would otherwise cost a lookup request.
constexpr uint64_t kEagerRowsMax = 1'024;
constexpr uint64_t kLookupsOfInterest = 16;
constexpr uint32_t kEntriesPerClock = 256;

OpenDir* DirOf(const fuse_file_info* info) { return reinterpret_cast<OpenDir*>(info->fh); }

// Builds one reply to readdir or readdirplus.
class Listing {
 public:
  Listing(Request* request, OpenDir* dir, size_t size, uint64_t start, bool is_plus)
      : request_(request),
        dispatch_(request->dispatch()),
        dir_(dir),
        size_(size),
        start_(start),
        is_plus_(is_plus),
        is_reader_looking_(dispatch_->LookupsIn(dir->node_id) - dir->lookups_before >=
                           kLookupsOfInterest),
        buffer_(new char[size]) {}

  void Run() {
    Status status = Collect();
    // Entries collected before the error are sent first. The next call starts at the failed ordinal
    // and reports the error if it persists.
    if (!status.ok() && used_ == 0) return request_->ReplyStatus(status);
    ShortenNames();
    if (request_->ReplyBytes({buffer_.get(), used_})) return;
    // The kernel dropped the request (EINTR) without taking references, so the counts of Acquire
    // are taken back.
    for (const Given& given : given_) dispatch_->inodes()->Forget(given.entry.ino, 1);
  }

 private:
  // An entry of the reply that has a node.
  struct Given {
    std::string name;
    uint64_t ordinal;
    size_t place;      // in buffer_
    int64_t added_us;  // ElapsedUs of the request when the entry was added
    fuse_entry_param entry;
  };

  Status Collect() {
    engine::MutexLock lock(&dir_->mutex);
    if (dir_->stream == nullptr) {
      ASSIGN_OR_RETURN(dir_->stream, dispatch_->tree()->OpenDirectory(dir_->node, dir_->cancel));
    }
    for (uint64_t ordinal = start_;; ++ordinal) {
      ASSIGN_OR_RETURN(const DirEntry* entry, dir_->stream->At(ordinal));
      if (entry == nullptr) return OkStatus();
      bool fits = is_plus_ ? AddPlus(*entry, ordinal) : AddPlain(*entry, ordinal);
      if (!fits) return OkStatus();
      // The call's timeout bounds each read but not their sum, so the listing checks the clock
      // itself.
      if ((ordinal - start_) % kEntriesPerClock == 0 &&
          request_->ElapsedUs() > request_->call().timeout_us) {
        return DeadlineExceeded(fmt::format("the listing took longer than its timeout of {} s",
                                            request_->call().timeout_us / 1'000'000));
      }
    }
  }

  bool AddPlain(const DirEntry& entry, uint64_t ordinal) {
    struct stat attributes {};  // readdir uses only the inode number and the type
    attributes.st_ino = entry.entry.inode_number;
    switch (TypeOf(entry.entry.node)) {
      case FileType::kDirectory:
        attributes.st_mode = S_IFDIR;
        break;
      case FileType::kRegular:
        attributes.st_mode = S_IFREG;
        break;
      case FileType::kSymlink:
        attributes.st_mode = S_IFLNK;
        break;
    }
    size_t needed =
        fuse_add_direntry(request_->raw(), buffer_.get() + used_, size_ - used_, entry.name.c_str(),
                          &attributes, static_cast<off_t>(ordinal + 1));
    if (needed > size_ - used_) return false;
    used_ += needed;
    return true;
  }

  bool AddPlus(const DirEntry& listed, uint64_t ordinal) {
    const Entry& found = listed.entry;
    size_t needed =
        fuse_add_direntry_plus(request_->raw(), nullptr, 0, listed.name.c_str(), nullptr, 0);
    if (needed > size_ - used_) return false;
    // The needed size was computed first, with a null buffer, so that no node is acquired for an
    // entry that does not fit.
    fuse_entry_param entry{};
    dispatch_->FillStat(found.node, found.attributes, found.inode_number, &entry.attr);
    if (WantsNode(listed, ordinal)) {
      entry.ino = dispatch_->inodes()->Acquire(found);
      entry.attr_timeout = dispatch_->AttributeSeconds(found.node);
      entry.entry_timeout = dispatch_->NameSeconds(found, /*elapsed_us=*/0);
      given_.push_back({listed.name, ordinal, used_, request_->ElapsedUs(), entry});
    }
    WritePlus(listed.name, ordinal, used_, entry);
    used_ += needed;
    return true;
  }

  void WritePlus(const std::string& name, uint64_t ordinal, size_t place,
                 const fuse_entry_param& entry) {
    fuse_add_direntry_plus(request_->raw(), buffer_.get() + place, size_ - place, name.c_str(),
                           &entry, static_cast<off_t>(ordinal + 1));
  }

  // The kernel counts the time of each name from the reply, but the read of the entries after it
  // may have taken long. Subtracts that time.
  void ShortenNames() {
    const int64_t now_us = request_->ElapsedUs();
    for (Given& given : given_) {
      const double passed = static_cast<double>(now_us - given.added_us) / 1e6;
      given.entry.entry_timeout = std::max(given.entry.entry_timeout - passed, 0.0);
      WritePlus(given.name, given.ordinal, given.place, given.entry);
    }
  }

  // True if the reply gives the entry a node. Without a node (inode number 0 in the reply) the
  // kernel takes only the name and counts no reference.
  bool WantsNode(const DirEntry& listed, uint64_t ordinal) {
    if (ordinal < 2) return false;  // the kernel counts no lookup for "." and ".."
    bool is_large = dir_->node.kind == NodeKind::kTable || dir_->node.kind == NodeKind::kFanOut;
    if (is_large && ordinal > kEagerRowsMax && !is_reader_looking_) {
      return false;
    }
    // A node would be wasted on a name that the kernel may not cache, because the kernel looks up
    // such a name again at once.
    if (dispatch_->NameSeconds(listed.entry, /*elapsed_us=*/0) <= 0) return false;
    return dispatch_->inodes()->size() < dispatch_->options().nodes_max;
  }

  Request* const request_;
  Dispatch* const dispatch_;
  OpenDir* const dir_;
  const size_t size_;
  const uint64_t start_;
  const bool is_plus_;
  const bool is_reader_looking_;
  const std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  std::vector<Given> given_;
};

void OnOpendir(fuse_req_t raw, fuse_ino_t node_id, fuse_file_info* info) {
  Request request(raw, "opendir");
  Answer(&request, [&] {
    auto inode = request.Find(node_id);
    if (!inode.has_value()) return;
    if (!inode->node.IsDirectory()) return request.ReplyError(ENOTDIR);
    info->fh = request.dispatch()->AddDir(node_id, inode->node);
    if (!request.ReplyOpen(*info)) request.dispatch()->Release(DirOf(info));
  });
}

void List(fuse_req_t raw, size_t size, off_t offset, fuse_file_info* info, bool is_plus) {
  auto* dispatch = static_cast<Dispatch*>(fuse_req_userdata(raw));
  OpenDir* dir = dispatch->DirOf(info->fh);
  dir->cancel->store(false);  // an interrupt of an earlier call may have set it
  Request request(raw, "readdir", dispatch->options().listing_timeout_us, dir->cancel);
  Answer(&request, [&] {
    if (offset < 0) return request.ReplyError(EINVAL);
    Listing(&request, dir, size, static_cast<uint64_t>(offset), is_plus).Run();
  });
}

void OnReaddir(fuse_req_t raw, fuse_ino_t, size_t size, off_t offset, fuse_file_info* info) {
  List(raw, size, offset, info, false);
}

void OnReaddirplus(fuse_req_t raw, fuse_ino_t, size_t size, off_t offset, fuse_file_info* info) {
  List(raw, size, offset, info, true);
}

void OnReleasedir(fuse_req_t raw, fuse_ino_t, fuse_file_info* info) {
  Request request(raw, "releasedir");
  request.dispatch()->Release(DirOf(info));
  request.ReplyError(0);
}

}  // namespace

void FillDirectoryOperations(fuse_lowlevel_ops* operations) {
  operations->opendir = OnOpendir;
  operations->readdir = OnReaddir;
  operations->readdirplus = OnReaddirplus;
  operations->releasedir = OnReleasedir;
}

}  // namespace sippar::fuse
