// Tests the text of a crash note.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/crash_note.h"

#include <gtest/gtest.h>

#include <climits>
#include <csignal>
#include <string>

namespace sippar::cluster {
namespace {

std::string Text(const CrashNote& note) {
  std::array<char, kCrashNoteSizeMax> room;
  return std::string(EncodeCrashNote(note, &room));
}

TEST(CrashNote, IsReadAsItWasWritten) {
  EXPECT_EQ(Text({SIGSEGV, 12884901893}), "signal 11 tablet 12884901893\n");
  for (const CrashNote& note :
       {CrashNote{SIGABRT, 0}, CrashNote{SIGBUS, 1}, CrashNote{INT_MIN, UINT64_MAX}}) {
    EXPECT_EQ(DecodeCrashNote(Text(note)), note);
  }
}

TEST(CrashNote, AnEmptyFileIsNoCrash) { EXPECT_EQ(DecodeCrashNote(""), std::nullopt); }

TEST(CrashNote, ATornOrNewerNoteIsACrashThatNamesNoTablet) {
  const std::string whole = Text({SIGSEGV, 123});
  for (size_t size = 1; size < whole.size(); ++size) {
    auto note = DecodeCrashNote(whole.substr(0, size));
    ASSERT_TRUE(note.has_value()) << size;
    EXPECT_EQ(note->tablet_id, 0u) << size;
  }
  EXPECT_EQ(DecodeCrashNote("signal 11 tablet 123 row 7\n")->tablet_id, 0u);
  EXPECT_EQ(DecodeCrashNote("signal 11 tablet 123456789012345678901\n")->tablet_id, 0u);
}

}  // namespace
}  // namespace sippar::cluster
