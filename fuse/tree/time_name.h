// File names of times. Decimal microseconds are the canonical spelling; .as-of also accepts an ISO
// time in UTC and "now", which become symlinks to the microseconds. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sippar::fuse {

std::string PrintTime(int64_t timestamp_us);
// Accepts only what PrintTime writes, from kTimeMin to kTimeMax.
std::optional<int64_t> ParseTime(std::string_view name);
// Accepts "now", "2026-11-20" and "2026-11-20T12:00:00Z", the latter with up to six fraction
// digits.
std::optional<int64_t> ParseTimeAlias(std::string_view name, int64_t now_us);

}  // namespace sippar::fuse
