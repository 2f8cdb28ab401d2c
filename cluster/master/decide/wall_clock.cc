// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/decide/wall_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace sippar::cluster::master {
namespace {

bool Agree(int64_t a_us, int64_t b_us) { return std::abs(a_us - b_us) <= kClockSlackUs; }

double Seconds(int64_t micros) { return static_cast<double>(micros) / 1e6; }

}  // namespace

void WallClock::Tick(int64_t wall_us, int64_t now_us) {
  const int64_t ahead_us = wall_us - now_us;
  if (!has_ticked_ || !Agree(ahead_us, ahead_us_)) even_since_us_ = now_us;
  has_ticked_ = true;
  wall_us_ = wall_us;
  ahead_us_ = ahead_us;
  Settle(now_us);
}

void WallClock::Learn(int64_t noted_us, int64_t now_us) {
  noted_us_ = noted_us;
  Settle(now_us);
}

// A believed clock may be corrected by steps within the slack. A clock that has jumped is believed
// again at once if it jumps back.
void WallClock::Settle(int64_t now_us) {
  if (!has_ticked_ || !noted_us_.has_value()) return;
  const bool is_near = *noted_us_ == 0 || (wall_us_ >= *noted_us_ - kClockSlackUs &&
                                           wall_us_ <= *noted_us_ + kClockRestUs);
  const bool agrees = believed_us_.has_value() ? Agree(ahead_us_, *believed_us_) : is_near;
  if (agrees || now_us - even_since_us_ >= kClockProbationUs) believed_us_ = ahead_us_;
}

bool WallClock::IsBelieved() const {
  return believed_us_.has_value() && Agree(ahead_us_, *believed_us_);
}

int64_t WallClock::BestMicros(int64_t now_us) const {
  if (believed_us_.has_value()) return *believed_us_ + now_us;
  return std::max(ahead_us_ + now_us, noted_us_.value_or(0));
}

// A note of a later time than the clock shows is from a clock that was wrong or is of another
// master, whose clock may go ahead by the slack.
int64_t WallClock::ToNote(int64_t now_us) const {
  if (!IsBelieved()) return 0;
  const int64_t best_us = BestMicros(now_us);
  const bool is_due = best_us - *noted_us_ >= kClockNoteUs || best_us < *noted_us_ - kClockSlackUs;
  return is_due ? best_us : 0;
}

std::string WallClock::WhyDoubted(const std::vector<int64_t>& skews_us) const {
  if (!has_ticked_ || !noted_us_.has_value()) {
    return "the time that masters note in the lock service is not read yet";
  }
  if (!believed_us_.has_value()) {
    return fmt::format(
        "the master's clock shows {:+.0f} s compared with the time that a master "
        "noted last",
        Seconds(wall_us_ - *noted_us_));
  }
  if (!IsBelieved()) {
    return fmt::format("the master's clock has jumped by {:+.0f} s",
                       Seconds(ahead_us_ - *believed_us_));
  }
  const auto agreeing = static_cast<size_t>(
      std::count_if(skews_us.begin(), skews_us.end(), [](int64_t skew) { return Agree(skew, 0); }));
  if (skews_us.empty() || 2 * agreeing > skews_us.size()) return "";
  return fmt::format(
      "the clocks of {} of {} servers differ from the master's by more than {:.0f} s",
      skews_us.size() - agreeing, skews_us.size(), Seconds(kClockSlackUs));
}

}  // namespace sippar::cluster::master
