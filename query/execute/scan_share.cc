// SPDX-License-Identifier: Apache-2.0
#include "query/execute/scan_share.h"

#include <algorithm>
#include <utility>

namespace sippar::query {
namespace {

constexpr size_t kDigits = 8;  // number of bytes compared; later bytes hardly change the share

struct Alphabet {
  int first;
  int last;
};

// The byte at `at`; -1 if `text` is shorter.
int ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : -1;
}

// Returns the first alphabet that contains all three bytes. If all 256 byte values were digits,
// the keys '10' to '19' would lie close together and far below '20', which distorts the share.
Alphabet AlphabetOf(int low, int high, int key) {
  for (Alphabet alphabet :
       {Alphabet{'0', '9'}, Alphabet{'a', 'z'}, Alphabet{'A', 'Z'}, Alphabet{0x20, 0x7e}}) {
    auto has = [&](int byte) {
      return byte < 0 || (byte >= alphabet.first && byte <= alphabet.last);
    };
    if (has(low) && has(high) && has(key)) return alphabet;
  }
  return {0, 0xff};
}

}  // namespace

double KeyShare(std::string_view low, std::string_view high, std::string_view key) {
  if (key <= low) return 0;
  if (!high.empty() && key >= high) return 1;
  auto [in_low, in_high] = std::mismatch(low.begin(), low.end(), high.begin(), high.end());
  size_t common = high.empty() ? 0 : static_cast<size_t>(in_low - low.begin());
  double from = 0, to = 0, at = 0, digit = 1;
  for (size_t i = common; i < common + kDigits; ++i) {
    int top = high.empty() ? 0xff : ByteAt(high, i);
    Alphabet alphabet = AlphabetOf(ByteAt(low, i), top, ByteAt(key, i));
    // The divisor is the size of the alphabet, plus 1 for the end of a key.
    digit /= alphabet.last - alphabet.first + 2;
    auto value = [&](int byte) { return byte < 0 ? 0 : byte - alphabet.first + 1; };
    from += digit * value(ByteAt(low, i));
    to += digit * value(top);
    at += digit * value(ByteAt(key, i));
  }
  return to <= from ? 0 : std::clamp((at - from) / (to - from), 0.0, 1.0);
}

ScanShare::ScanShare(std::vector<ScanPiece> pieces, bool reverse)
    : pieces_(std::move(pieces)), reverse_(reverse) {
  for (ScanPiece& piece : pieces_) {
    // Adds 1 so that an empty tablet has a small share of the scan, and the sum is never 0.
    piece.bytes += 1;
    bytes_ += static_cast<double>(piece.bytes);
  }
}

double ScanShare::At(size_t piece, std::string_view last_row) {
  double done = 0;
  for (size_t i = 0; i < piece; ++i) done += static_cast<double>(pieces_[i].bytes);
  if (piece < pieces_.size() && !last_row.empty()) {
    const engine::RowRange& range = pieces_[piece].range;
    double within = KeyShare(range.start, range.limit, last_row);
    done += static_cast<double>(pieces_[piece].bytes) * (reverse_ ? 1 - within : within);
  }
  share_ = std::max(share_, std::min(done / bytes_, 1.0));
  return share_;
}

}  // namespace sippar::query
