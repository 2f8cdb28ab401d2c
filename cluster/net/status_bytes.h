// A Status as bytes, with its payloads: code, message, payloads in the order of their names. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace sippar::net {

// Messages longer than a small frame's body are cut.
std::string EncodeStatus(const Status& status);
// Never OK: bytes that are no failure are an kInternal that says so.
Status DecodeFailure(std::string_view bytes);

}  // namespace sippar::net
