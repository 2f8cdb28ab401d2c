// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet_file.h"

#include <algorithm>

#include "engine/model/cell_key.h"

namespace sippar::engine {
namespace {

// Replaces the iterator of a file that does not open. A merge of many sources then reports the
// error like any other read error.
class FailedIterator final : public EntryIterator {
 public:
  explicit FailedIterator(Status status) : status_(std::move(status)) {}
  bool Valid() const override { return false; }
  void Seek(std::string_view) override {}
  void Next() override {}
  void SeekBefore(std::string_view) override {}
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  Status status() const override { return status_; }

 private:
  Status status_;
};

// The entries in [start, limit). An empty bound is open.
class ClippedIterator final : public EntryIterator {
 public:
  ClippedIterator(std::unique_ptr<EntryIterator> entries, std::string start, std::string limit)
      : entries_(std::move(entries)), start_(std::move(start)), limit_(std::move(limit)) {}

  bool Valid() const override { return valid_; }
  std::string_view key() const override { return entries_->key(); }
  std::string_view value() const override { return entries_->value(); }
  uint64_t value_size() const override { return entries_->value_size(); }
  Status status() const override { return entries_->status(); }

  void Seek(std::string_view key) override {
    entries_->Seek(std::max<std::string_view>(key, start_));
    Check();
  }
  void Next() override {
    entries_->Next();
    Check();
  }
  void SeekBefore(std::string_view key) override {
    // An empty key means the end of the entries, which is the limit here.
    bool beyond = !limit_.empty() && (key.empty() || key > limit_);
    entries_->SeekBefore(beyond ? limit_ : key);
    Check();
  }

 private:
  void Check() {
    valid_ = entries_->Valid() && entries_->key() >= start_ &&
             (limit_.empty() || entries_->key() < limit_);
  }

  std::unique_ptr<EntryIterator> entries_;
  std::string start_;
  std::string limit_;
  bool valid_ = false;
};

}  // namespace

TabletFile::TabletFile(FileRef ref, std::shared_ptr<SharedSstable> file)
    : ref_(std::move(ref)), file_(std::move(file)) {
  std::string start = SeekKeyForRow(ref_.rows.start);
  std::string limit = SeekKeyForRow(ref_.rows.limit);
  if (start > ref_.summary.first_key) start_key_ = std::move(start);
  // Bounds are kept only where they cut the file, so that an iterator over a whole file is not
  // wrapped and its steps need no comparison.
  if (!limit.empty() && limit <= ref_.summary.last_key) limit_key_ = std::move(limit);
}

std::unique_ptr<EntryIterator> TabletFile::NewIterator(const FileRead& read) const {
  auto reader = file_->Reader();
  if (!reader.ok()) return std::make_unique<FailedIterator>(reader.status());
  std::unique_ptr<EntryIterator> entries = (*reader)->NewIterator(read);
  if (start_key_.empty() && limit_key_.empty()) return entries;
  return std::make_unique<ClippedIterator>(std::move(entries), start_key_, limit_key_);
}

bool TabletFile::MayContainRow(std::string_view row_prefix) const {
  auto reader = file_->Reader();
  // A file that does not open may contain anything: NewIterator then reports the error, instead of
  // the row being silently absent.
  return !reader.ok() || (*reader)->MayContainRow(row_prefix);
}

bool TabletFile::MayContainColumn(std::string_view column_prefix) const {
  auto reader = file_->Reader();
  return !reader.ok() || (*reader)->MayContainColumn(column_prefix);
}

StatusOr<std::string> TabletFile::Sample(std::string_view first_key, std::string_view limit_key,
                                         size_t bytes_max) const {
  ASSIGN_OR_RETURN(const SstableReader* reader, file_->Reader());
  std::string_view first = std::max<std::string_view>(first_key, start_key_);
  std::string_view limit = limit_key;
  if (!limit_key_.empty() && (limit.empty() || limit_key_ < limit)) limit = limit_key_;
  return reader->Sample(first, limit, bytes_max);
}

StatusOr<std::vector<std::string>> TabletFile::SplitKeys(uint64_t raw_bytes) const {
  ASSIGN_OR_RETURN(const SstableReader* reader, file_->Reader());
  std::vector<std::string> keys = reader->SplitKeys(raw_bytes);
  // A key outside the visible part would cut an output, or split the tablet, outside its rows.
  std::erase_if(keys, [this](const std::string& key) {
    return key <= start_key_ || (!limit_key_.empty() && key >= limit_key_);
  });
  return keys;
}

}  // namespace sippar::engine
