// An SSTable as one tablet sees it: only the rows in the tablet's part of the file (FileRef::rows)
// are visible. The other rows of a shared file belong to other tablets and may be out of date here
// (paper section 6: the children of a split share the parent's SSTables).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/cell_iterator.h"
#include "engine/tablet/file_registry.h"
#include "engine/tablet/tablet_state.h"

namespace sippar::engine {

// Immutable, thread safe.
class TabletFile {
 public:
  TabletFile(FileRef ref, std::shared_ptr<SharedSstable> file);

  const FileRef& ref() const { return ref_; }
  const FileSummary& summary() const { return ref_.summary; }
  [[nodiscard]] StatusOr<const SstableReader*> Reader() const { return file_->Reader(); }

  // Bounds of the visible part: no key is below first_key(), and no key is at or above a key for
  // which EndsBefore() is true.
  const std::string& first_key() const {
    return start_key_.empty() ? ref_.summary.first_key : start_key_;
  }
  bool EndsBefore(std::string_view key) const {
    return limit_key_.empty() ? ref_.summary.last_key < key : limit_key_ <= key;
  }

  // If the file cannot be opened, the iterator is invalid from the start and status() is the error.
  std::unique_ptr<EntryIterator> NewIterator(const FileRead& read) const;
  bool MayContainRow(std::string_view row_prefix) const;
  bool MayContainColumn(std::string_view column_prefix) const;
  // Like the functions of SstableReader with the same names, but limited to the visible part.
  [[nodiscard]] StatusOr<std::string> Sample(std::string_view first_key, std::string_view limit_key,
                                             size_t bytes_max) const;
  [[nodiscard]] StatusOr<std::vector<std::string>> SplitKeys(uint64_t raw_bytes) const;

 private:
  const FileRef ref_;
  const std::shared_ptr<SharedSstable> file_;
  // Bounds of the visible part; "" where it begins or ends with the file itself.
  std::string start_key_;
  std::string limit_key_;
};

}  // namespace sippar::engine
