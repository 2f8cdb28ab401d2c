// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/open_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/printable.h"

namespace sippar::fuse {
namespace {

// A program that reads a file in small steps needs a piece again within kIdleUs. If the piece were
// dropped between two steps, each step would read it again. A reader that needs room therefore
// drops only pieces that were idle for kIdleUs; after it has waited for kPatienceUs, or for half
// its timeout if that is less, it drops any piece that no reply is using. A waiting reader checks
// for idle pieces every kLookAgainUs.
constexpr int64_t kIdleUs = 200'000;
constexpr int64_t kPatienceUs = 2'000'000;
constexpr int64_t kLookAgainUs = 50'000;

// A value up to this size is one piece.
constexpr uint64_t kPieceSizeMin = 4 << 20;
// The server reads and decodes the whole SSTable block of a value for each piece, unless the block
// is in its cache, and blocks of the largest values are too large for that. With at most
// kPiecesMax pieces, reading a value once in order decodes it at most kPiecesMax times.
constexpr uint64_t kPiecesMax = 8;
// The kernel's read-ahead asks for bytes around the border of two pieces in any order, so two
// pieces are held at first.
constexpr size_t kPiecesHeldMin = 2;

// The name of the file in error messages.
std::string NameOf(const Node& file) {
  if (file.kind == NodeKind::kText) return "file " + file.qualifier;
  return fmt::format("row '{}', column {}:{}", engine::PrintableBytes(file.row), file.family,
                     engine::PrintableBytes(file.qualifier));
}

}  // namespace

uint64_t PieceSize(uint64_t value_size) {
  if (value_size <= kPieceSizeMin) return value_size;
  return std::max(kPieceSizeMin, (value_size + kPiecesMax - 1) / kPiecesMax);
}

OpenValue::OpenValue(std::string key, const Node& node, uint64_t size_bytes)
    : key_(std::move(key)),
      node_(node),
      size_bytes_(size_bytes),
      piece_size_(std::max<uint64_t>(PieceSize(size_bytes), 1)),
      pieces_((size_bytes + piece_size_ - 1) / piece_size_),
      pieces_max_(kPiecesHeldMin) {}

engine::ValuePart OpenValue::PartAt(uint64_t offset) const {
  uint64_t start = offset - offset % piece_size_;
  return {start, std::min(piece_size_, size_bytes_ - start)};
}

StatusOr<OpenValuePtr> OpenValues::Open(const Node& node, uint64_t size_bytes) {
  if (PieceSize(size_bytes) > budget_bytes_) {
    return TooLarge(
        fmt::format("{}: {} of its {} bytes are read at a time, more than --max-value-memory ({} "
                    "bytes); mount with a larger one",
                    NameOf(node), PieceSize(size_bytes), size_bytes, budget_bytes_));
  }
  std::string key;
  EncodeNode(node, &key);
  engine::MutexLock lock(&mutex_);
  OpenValue*& value = open_[key];
  if (value == nullptr) value = new OpenValue(key, node, size_bytes);
  ++value->handles_;
  return OpenValuePtr(value, [this](OpenValue* open) { Close(open); });
}

void OpenValues::Close(OpenValue* value) {
  {
    engine::MutexLock lock(&mutex_);
    if (--value->handles_ > 0) return;
    open_.erase(value->key_);
  }
  delete value;
}

// Sets *oldest to the piece that was used longest ago, if one of `pieces` was used before it. A
// second owner of the bytes means that a reply still uses them; dropping this reference would free
// no memory.
void OpenValues::FindOldest(std::vector<OpenValue::Piece>* pieces, OpenValue::Piece** oldest) {
  for (OpenValue::Piece& piece : *pieces) {
    if (piece.bytes == nullptr || piece.bytes.use_count() > 1) continue;
    if (*oldest == nullptr || piece.used_at_ns < (*oldest)->used_at_ns) *oldest = &piece;
  }
}

// Takes the bytes of the piece that was idle for the longest time; returns null if no piece was
// idle for `idle_us_min`. The caller must not hold the lock when it releases the bytes, because
// their deleter calls Release, which takes the lock.
ValuePtr OpenValues::TakeIdle(int64_t idle_us_min) {
  OpenValue::Piece* oldest = nullptr;
  for (const auto& [key, value] : open_) FindOldest(&value->pieces_, &oldest);
  bool is_idle =
      oldest != nullptr && clock_->MonotonicNanos() - oldest->used_at_ns >= idle_us_min * 1000;
  return is_idle ? std::move(oldest->bytes) : nullptr;
}

// Makes room for one more piece of a value within its limit of pieces: takes the bytes of the piece
// that was used longest ago; null if the limit is not reached, or if reads are using all pieces.
// The caller releases the bytes as those of TakeIdle.
ValuePtr OpenValues::TakeSurplus(OpenValue* value) {
  size_t held = 0;
  for (const OpenValue::Piece& piece : value->pieces_) {
    held += piece.bytes != nullptr || piece.is_loading ? 1 : 0;
  }
  OpenValue::Piece* oldest = nullptr;
  if (held >= value->pieces_max_) FindOldest(&value->pieces_, &oldest);
  return oldest == nullptr ? nullptr : std::move(oldest->bytes);
}

// The bytes are reserved before the load, so that concurrent loads cannot exceed the budget
// together.
bool OpenValues::Reserve(OpenValue* value, OpenValue::Piece* piece, uint64_t size_bytes) {
  if (held_bytes_ + size_bytes > budget_bytes_) return false;
  held_bytes_ += size_bytes;
  piece->is_loading = true;
  // A piece that is read again shows a reader that jumps, or several readers at different places.
  // One more piece is then held, so that each such value is soon held whole instead of being read
  // again and again.
  if (piece->was_held) ++value->pieces_max_;
  return true;
}

Status OpenValues::Wait(const OpenValue& value, bool is_loading, uint64_t size_bytes,
                        int64_t left_us) {
  if (is_loading && left_us <= 0) {
    return DeadlineExceeded(fmt::format(
        "{}: another request still reads the wanted {} of its {} bytes; try again, or mount with a "
        "longer --timeout",
        NameOf(value.node_), size_bytes, value.size_bytes_));
  }
  const bool is_crowded = !is_loading && waiting_ >= kReadersWaitingMax;
  if (left_us <= 0 || is_crowded) {
    return ResourceExhausted(
        fmt::format("{}: there is no room to read {} of its {} bytes{} (files that are being read "
                    "use {} of the {} bytes of --max-value-memory); try again later, or mount with "
                    "more",
                    NameOf(value.node_), size_bytes, value.size_bytes_,
                    is_crowded ? fmt::format(", and {} readers wait already", waiting_) : "",
                    held_bytes_, budget_bytes_));
  }
  ++waiting_;
  // Waits in short steps: a piece that becomes idle sends no notification.
  changed_.WaitFor(&mutex_, std::min(left_us, kLookAgainUs));
  --waiting_;
  return OkStatus();
}

StatusOr<ValuePiece> OpenValues::PieceAt(OpenValue* value, uint64_t offset, int64_t timeout_us,
                                         const LoadPart& load) {
  const engine::ValuePart part = value->PartAt(offset);
  OpenValue::Piece* piece = &value->pieces_[offset / value->piece_size_];
  int64_t start_ns = clock_->MonotonicNanos();
  int64_t patience_us = std::min(kPatienceUs, timeout_us / 2);
  for (bool has_room = false; !has_room;) {
    ValuePtr idle;  // declared before the lock, so destroyed after it: the deleter takes the mutex
    engine::MutexLock lock(&mutex_);
    int64_t now_ns = clock_->MonotonicNanos();
    int64_t waited_us = (now_ns - start_ns) / 1000;
    piece->used_at_ns = now_ns;
    if (piece->bytes != nullptr) return ValuePiece{piece->bytes, part.offset};
    if (!piece->is_loading) {
      idle = TakeSurplus(value);
      if (idle != nullptr) continue;
      has_room = Reserve(value, piece, part.size);
      if (has_room) continue;
      idle = TakeIdle(waited_us < patience_us ? kIdleUs : 0);
    }
    if (idle == nullptr) {
      RETURN_IF_ERROR(Wait(*value, piece->is_loading, part.size, timeout_us - waited_us));
    }
  }
  ASSIGN_OR_RETURN(ValuePtr bytes, Load(value, piece, part, load));
  return ValuePiece{std::move(bytes), part.offset};
}

StatusOr<ValuePtr> OpenValues::Load(OpenValue* value, OpenValue::Piece* piece,
                                    const engine::ValuePart& part, const LoadPart& load) {
  const uint64_t size_bytes = part.size;
  StatusOr<std::string> loaded = load(part);
  Status status = loaded.status();
  if (status.ok() && loaded->size() != size_bytes) {
    status = Internal(fmt::format("{}: a read returned {} bytes of it, expected {}; report this",
                                  NameOf(value->node_), loaded->size(), size_bytes));
  }
  ValuePtr bytes;
  if (status.ok()) {
    // The bytes count against the budget until their last owner releases them. The last owner may
    // be a reply that still uses the bytes after the file was closed.
    bytes =
        ValuePtr(new std::string(*std::move(loaded)), [this, size_bytes](const std::string* text) {
          delete text;
          Release(size_bytes);
        });
  } else {
    Release(size_bytes);
  }
  {
    engine::MutexLock lock(&mutex_);
    piece->is_loading = false;
    piece->was_held = piece->was_held || bytes != nullptr;
    piece->bytes = bytes;
  }
  changed_.NotifyAll();
  if (!status.ok()) return status;
  return bytes;
}

void OpenValues::Release(uint64_t size_bytes) {
  {
    engine::MutexLock lock(&mutex_);
    held_bytes_ -= size_bytes;
  }
  changed_.NotifyAll();
}

uint64_t OpenValues::held_bytes() {
  engine::MutexLock lock(&mutex_);
  return held_bytes_;
}

}  // namespace sippar::fuse
