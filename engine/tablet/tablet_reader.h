// Reads of one tablet: the snapshot, the locality groups and files that may hold an answer, and the
// rows merged from them (paper sections 5.3 and 6). Thread safe: a read takes the body's lock once,
// for the snapshot, and none afterwards.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/base/stop_signal.h"
#include "engine/model/cell_iterator.h"
#include "engine/model/read_spec.h"
#include "engine/read/row_reader.h"
#include "engine/tablet/tablet_body.h"

namespace sippar::engine {

class TabletReader {
 public:
  // `body` outlives this object. A stream may outlive both.
  explicit TabletReader(TabletBody* body)
      : body_(body), totals_(body->context->read_totals(body->table_id)) {}
  TabletReader(const TabletReader&) = delete;
  TabletReader& operator=(const TabletReader&) = delete;

  // The stream shows one consistent snapshot and keeps it alive. Rows are clipped to the tablet's
  // range. `stop` (may be null) is polled now and then; the counts of the read are added to
  // `counters` (may be null) when the stream ends. Both outlive the stream.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> Read(const ReadSpec& read,
                                                           const StopSignal* stop = nullptr,
                                                           ReadCounters* counters = nullptr,
                                                           ReadForm form = ReadForm::kCells);
  // Reads `row` only, whatever rows `read` names and in whatever direction.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> ReadRow(const std::string& row,
                                                              const ReadSpec& read);
  // Like ReadRow, but reads from a snapshot that the caller took.
  [[nodiscard]] StatusOr<std::unique_ptr<CellStream>> ReadRowIn(TabletSnapshot snapshot,
                                                                const std::string& row,
                                                                const ReadSpec& read);

 private:
  StatusOr<std::unique_ptr<CellStream>> ReadSnapshot(TabletSnapshot snapshot, const ReadSpec& read,
                                                     const StopSignal* stop, ReadCounters* counters,
                                                     ReadForm form);
  RowReaderOptions OptionsOf(TabletSnapshot snapshot, const ReadSpec& read,
                             const StopSignal* stop) const;
  std::unique_ptr<CellStream> NoCellsOf(const ReadCounters& opened, ReadCounters* counters);

  TabletBody* const body_;
  const std::shared_ptr<ReadTotals> totals_;  // totals of the whole table
};

}  // namespace sippar::engine
