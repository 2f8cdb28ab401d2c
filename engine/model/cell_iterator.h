// The interface of every ordered source of stored entries: memtable, SSTable, merge of sources.
// Keys are the encoded cell keys of engine/model/cell_key.h, ascending by memcmp. Not thread safe.
// key() and value() are valid until the next move.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/base/status.h"
#include "engine/model/cell.h"

namespace sippar::engine {

struct StoredEntry;

class EntryIterator {
 public:
  virtual ~EntryIterator() = default;
  // False at the end, before the first Seek, and after an error; status() shows the error.
  virtual bool Valid() const = 0;
  virtual void Seek(std::string_view key) = 0;  // moves to the first entry >= key; "" is the start
  virtual void Next() = 0;                      // Requires: Valid()
  // Moves to the last entry < key; "" means the last of all entries. Used for reverse scans, once
  // per row.
  virtual void SeekBefore(std::string_view key) = 0;
  virtual std::string_view key() const = 0;    // Requires: Valid()
  virtual std::string_view value() const = 0;  // Requires: Valid()
  // The size of the stored value. value() is empty instead when the read leaves out large values
  // (FileRead::value_size_max).
  virtual uint64_t value_size() const { return value().size(); }  // Requires: Valid()
  virtual Status status() const = 0;
};

// The result of a read: visible cells (of ReadForm::kEntries: all stored entries) in storage order
// (row ascending, or descending when reversed; within a row family ascending, qualifier ascending,
// timestamp descending). cell() is valid until the next move. Not thread safe.
class CellStream {
 public:
  virtual ~CellStream() = default;
  virtual bool Valid() const = 0;
  virtual const CellView& cell() const = 0;  // Requires: Valid()
  // What is stored as cell(), in a read of stored entries (read/entry_reader.h). Null in all
  // others.
  virtual const StoredEntry* entry() const { return nullptr; }
  virtual void Next() = 0;
  // Moves to the first cell of the next row in the direction of the scan.
  virtual void NextRow() = 0;
  virtual Status status() const = 0;
};

}  // namespace sippar::engine
