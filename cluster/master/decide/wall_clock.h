// Decides whether the master's wall clock may end what is kept until a date or for a time: the
// trash, backups, changes and dropped tables (PROTOCOL.md, "Clocks"; tests/FAULTS.md C1). A clock
// that is wrong by a year must remove nothing, so the clock has to agree with the other clocks that
// a master knows: its own monotonic clock, those of the servers, and the time that masters have
// noted in the lock service. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sippar::cluster::master {

// Two clocks agree if they differ by at most this.
inline constexpr int64_t kClockSlackUs = 30'000'000;
// A clock that shows up to this much after the noted time is believed from a master's start on.
inline constexpr int64_t kClockRestUs = int64_t{30} * 24 * 3600 * 1'000'000;
// Any other time is believed when the clock has gone for so long without a jump.
inline constexpr int64_t kClockProbationUs = int64_t{24} * 3600 * 1'000'000;
// Time between two notes of the clock in the lock service.
inline constexpr int64_t kClockNoteUs = int64_t{3600} * 1'000'000;

// What one master knows of its wall clock. Times named `now_us` are of its monotonic clock.
class WallClock {
 public:
  // The wall clock shows `wall_us`.
  void Tick(int64_t wall_us, int64_t now_us);
  // The lock service has the note `noted_us`; 0: no master has made one.
  void Learn(int64_t noted_us, int64_t now_us);

  // The wall-clock time to go by: that of the believed clock, which jumps of the real one do not
  // move. While no clock is believed, what the clock shows, but not less than the note.
  int64_t BestMicros(int64_t now_us) const;
  // The time to note in the lock service now; 0: nothing. A master whose servers disagree with its
  // clock (WhyDoubted) does not note it.
  int64_t ToNote(int64_t now_us) const;
  // Why nothing may be removed by date now, for people; "": it may. `skews_us`: how far the clocks
  // of the live servers are ahead of this one.
  std::string WhyDoubted(const std::vector<int64_t>& skews_us) const;

 private:
  bool IsBelieved() const;
  void Settle(int64_t now_us);

  bool has_ticked_ = false;
  int64_t wall_us_ = 0;                 // at the last tick
  int64_t ahead_us_ = 0;                // of the monotonic clock, at the last tick
  int64_t even_since_us_ = 0;           // monotonic time of the last jump, or of the first tick
  std::optional<int64_t> noted_us_;     // none: not learned yet
  std::optional<int64_t> believed_us_;  // the last `ahead_us_` that was believed
};

}  // namespace sippar::cluster::master
