// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/crash_note.h"

#include <algorithm>
#include <charconv>

namespace sippar::cluster {
namespace {

constexpr std::string_view kSignal = "signal ";
constexpr std::string_view kTablet = " tablet ";

// Takes `word` and the number after it from the front of `text`; false: they are not there.
template <class Number>
bool Take(std::string_view word, std::string_view* text, Number* number) {
  if (!text->starts_with(word)) return false;
  const char* end = text->data() + text->size();
  auto parsed = std::from_chars(text->data() + word.size(), end, *number);
  text->remove_prefix(static_cast<size_t>(parsed.ptr - text->data()));
  return parsed.ec == std::errc();
}

}  // namespace

// Formats without a library that may allocate memory or take a lock: the thread that crashed may
// hold that lock.
std::string_view EncodeCrashNote(const CrashNote& note, std::array<char, kCrashNoteSizeMax>* room) {
  char* const end = room->data() + room->size();
  char* at = std::copy(kSignal.begin(), kSignal.end(), room->data());
  at = std::to_chars(at, end, note.signal).ptr;
  at = std::copy(kTablet.begin(), kTablet.end(), at);
  at = std::to_chars(at, end, note.tablet_id).ptr;
  *at++ = '\n';
  return {room->data(), static_cast<size_t>(at - room->data())};
}

std::optional<CrashNote> DecodeCrashNote(std::string_view text) {
  if (text.empty()) return std::nullopt;
  CrashNote note;
  const bool is_whole =
      Take(kSignal, &text, &note.signal) && Take(kTablet, &text, &note.tablet_id) && text == "\n";
  if (!is_whole) note.tablet_id = 0;
  return note;
}

}  // namespace sippar::cluster
