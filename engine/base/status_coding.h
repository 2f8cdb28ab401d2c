// Encodes a Status with its text and its payloads for the protocol between our own processes.
// Decoding trusts no byte. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/coding.h"
#include "engine/base/status.h"

namespace sippar::engine {

// Appends the code and, unless it is OK, the text, the number of payloads, and the name and value
// of each payload, sorted by name.
void EncodeStatus(const Status& status, std::string* out);
// Makes `reader` fail when the bytes are not an encoded Status.
Status DecodeStatus(Reader* reader);

}  // namespace sippar::engine
