// Reads what is stored in the rows of one tablet, whether a normal read shows it or not: versions
// that deletes, later puts or the GC rule hide, and the deletes themselves. For diagnosis: when a
// compaction removes an entry that is not needed any more decides whether it is still returned. Not
// thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/read/row_reader.h"

namespace sippar::engine {

// Each cell() of the stream has an entry(). The stream comes in storage order, in which a delete
// comes before everything that it can hide. It leaves out what belongs to a dropped family. A
// delete is returned if it may hide versions of the wanted columns and times; its cell has the time
// 0 and no value, and no qualifier, or no family either, if it deletes a whole family or row.
//
// Of options.limits this uses time, reverse and strip_values: the other limits count the cells that
// a normal read returns.
std::unique_ptr<CellStream> NewEntryReader(RowReaderOptions&& options);

}  // namespace sippar::engine
