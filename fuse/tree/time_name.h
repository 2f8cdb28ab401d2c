// Times as file names: decimal microseconds are the one true spelling; in .as-of also an ISO time
// in UTC and "now", which become symlinks to it. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sippar::fuse {

std::string PrintTime(int64_t timestamp_us);
// Only what PrintTime writes, within kTimeMin .. kTimeMax.
std::optional<int64_t> ParseTime(std::string_view name);
// "now", "2026-11-20", "2026-11-20T12:00:00Z", with up to six digits of a second's fraction.
std::optional<int64_t> ParseTimeAlias(std::string_view name, int64_t now_us);

}  // namespace sippar::fuse
