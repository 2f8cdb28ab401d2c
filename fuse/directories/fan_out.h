// The view .tree: shows keys as paths, for programs that list whole folders. A component of a key
// ends after '/' or '#', and after '.' before the first '/' (so com.cnn.www/a/b is com. cnn. www/
// a/ b). The names of a path, decoded and joined, are the key. At most one seek per entry finds the
// folders, without reading all keys below them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fuse/tree/name_codec.h"

namespace sippar::fuse {

// Returns the size of the first component of `rest`, including its separator; `prefix` is the key
// before `rest`. 0: `rest` has no separator, so it is the last component.
size_t ComponentSize(std::string_view prefix, std::string_view rest);
// Returns the target of a symlink: the path from the folder `prefix` to the directory of `row`.
std::string RowLink(const NameCodec& codec, std::string_view prefix, std::string_view row);

}  // namespace sippar::fuse
