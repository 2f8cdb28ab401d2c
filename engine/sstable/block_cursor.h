// Walks the entries of one decoded block (FORMAT.md "Blocks"). Checks every byte that it uses: a
// block that does not parse makes the cursor invalid and damaged. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/cache/block.h"

namespace sippar::engine {

class BlockCursor {
 public:
  // `bytes` must stay valid while the cursor uses them. The cursor is invalid until a Seek.
  void Init(std::string_view bytes);
  // Like the function above, but also uses the search keys of the block if it has any.
  void Init(const Block& block);
  bool Valid() const { return entry_ != nullptr; }
  bool damaged() const { return damaged_; }

  uint32_t restarts() const { return restart_count_; }
  uint32_t RestartOffset(uint32_t index) const;  // Requires: index < restarts()
  uint32_t entries_size() const { return static_cast<uint32_t>(restarts_ - begin_); }
  void SeekToRestart(uint32_t index);  // Requires: index < restarts()
  void SeekToFirst();
  void SeekToLast();
  void Seek(std::string_view target);        // moves to the first entry >= target
  void SeekBefore(std::string_view target);  // moves to the last entry < target
  void Next();                               // Requires: Valid()
  // Used instead of Init and Seek for a block that holds a single large value and was not read,
  // because the index has its key. Moves to that entry, with an empty value. `key` must stay valid
  // until the next move.
  void StandOnLone(std::string_view key);

  // Points into the block when the entry stores its whole key, else into the cursor; after
  // StandOnLone it is the key given there.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  // Sets entry_, key_ and value_ from `entry`; makes the cursor invalid at the end of the entries.
  void Parse(const char* entry);
  void TakeKey(size_t shared, std::string_view suffix);
  void SetDamaged();
  const char* RestartEntry(uint32_t index);
  // The last restart with a key < target; 0 when there is none. Sets damaged_ on damage.
  uint32_t RestartBefore(std::string_view target);
  // Narrows [low, high], which contains the result of RestartBefore, without reading the block.
  void NarrowByHeads(std::string_view target, uint32_t* low, uint32_t* high) const;

  const char* begin_ = nullptr;
  const char* restarts_ = nullptr;  // also the end of the entries
  uint32_t restart_count_ = 0;
  const RestartHeads* heads_ = nullptr;  // null: the block has no search keys
  const char* entry_ = nullptr;          // the current entry, nullptr when invalid
  const char* next_ = nullptr;
  std::string_view key_;
  std::string_view value_;
  std::string key_buffer_;
  bool damaged_ = false;
};

// The size of the value in a block of `raw_size` bytes that holds one entry with a key of
// `key_size` bytes; nullopt when no such block is possible.
std::optional<uint64_t> LoneValueSize(uint64_t key_size, uint64_t raw_size);

// Makes the search keys of a data block from its restarts. They are empty when the block does not
// parse or has too few restarts to need them.
RestartHeads MakeRestartHeads(std::string_view bytes);

}  // namespace sippar::engine
