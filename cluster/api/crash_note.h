// What the process of a tablet server notes when it crashes, in the file CRASH of its log directory
// (store_paths.h): one line. Only a crash is noted: not a kill, a loss of power or a lost lease. So
// the note tells the master that the server's own work was the reason of its death
// (cluster/PROTOCOL.md, "Tablets that are set aside"). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sippar::cluster {

struct CrashNote {
  int signal = 0;
  // The tablet on which the thread worked that crashed; 0: not known.
  uint64_t tablet_id = 0;
  bool operator==(const CrashNote&) const = default;
};

inline constexpr size_t kCrashNoteSizeMax = 64;

// Returns the text of the note, which lies in `room`. May be called in a signal handler.
std::string_view EncodeCrashNote(const CrashNote& note, std::array<char, kCrashNoteSizeMax>* room);
// nullopt: the text is empty, so the process has not crashed. A text that is cut short or that a
// newer program wrote is a note that names no tablet, and blames none.
std::optional<CrashNote> DecodeCrashNote(std::string_view text);

}  // namespace sippar::cluster
