// SPDX-License-Identifier: Apache-2.0
#include "engine/read/entry_skips.h"

namespace sippar::engine {
namespace {

// The number of steps tried before a seek: a step is cheaper than a seek (measured by tests/bench).
constexpr int kStepsBeforeSeek = 8;

}  // namespace

void EntrySkips::PastPart(std::string_view part) {
  for (int step = 0; step < kStepsBeforeSeek; ++step) {
    if (!input_->Valid() || !input_->key().starts_with(part)) return;
    input_->Next();
  }
  if (!input_->Valid() || !input_->key().starts_with(part)) return;
  seek_key_ = part;
  seek_key_.back() = static_cast<char>(seek_key_.back() + 1);
  input_->Seek(seek_key_);
}

// After the row part, all keys of a family have its name, 00 and then 00 or 01. The next family
// sorts after NAME 00 ff.
void EntrySkips::PastFamily(const EntryPlace& place) {
  for (int step = 0; step < kStepsBeforeSeek; ++step) {
    if (!input_->Valid() || !place.HasFamily(input_->key())) return;
    input_->Next();
  }
  seek_key_ = place.row_part();
  seek_key_.append(place.family()).append("\0\xff", 2);
  input_->Seek(seek_key_);
}

void EntrySkips::ToQualifier(const EntryPlace& place, std::string_view qualifier) {
  seek_key_ = EncodeColumnPart(place.row_part(), place.family(), qualifier);
  for (int step = 0; step < kStepsBeforeSeek; ++step) {
    if (!input_->Valid() || input_->key() >= seek_key_) return;
    input_->Next();
  }
  input_->Seek(seek_key_);
}

}  // namespace sippar::engine
