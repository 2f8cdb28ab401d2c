// The bytes of a Status with its text and its payloads, as servers send it to each other. Decoding
// trusts no byte. Pure. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/coding.h"
#include "engine/base/status.h"

namespace sippar::engine {

// code | and, unless it is OK: text | count | payloads, each its name and its value, by their names
void EncodeStatus(const Status& status, std::string* out);
// Makes `reader` fail when the bytes are not an encoded Status.
Status DecodeStatus(Reader* reader);

}  // namespace sippar::engine
