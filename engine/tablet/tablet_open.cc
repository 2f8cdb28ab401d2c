// Opens a tablet.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/tablet/tablet.h"

namespace sippar::engine {

Tablet::Tablet(TabletContext* context, TabletState state) : body_(context, std::move(state)) {}

std::shared_ptr<Tablet> Tablet::Open(TabletContext* context, TabletState state,
                                     std::shared_ptr<const TableSchema> schema) {
  std::shared_ptr<Tablet> tablet(new Tablet(context, std::move(state)));
  tablet->SetSchema(std::move(schema));
  return tablet;
}

std::shared_ptr<const TableSchema> Tablet::schema() const { return body_.TakeSnapshot().schema; }

uint64_t Tablet::last_sequence() const { return body_.TakeSnapshot().sequence; }

Status Tablet::VerifyFiles() const {
  TabletSnapshot snapshot = body_.TakeSnapshot();
  for (const GroupVersion& group : snapshot.version->groups) {
    for (const TabletRun& run : group.runs) {
      for (const auto& file : run.files) {
        ASSIGN_OR_RETURN(const SstableReader* reader, file->Reader());
        RETURN_IF_ERROR(reader->VerifyAll());
      }
    }
  }
  return changes_.VerifyArchive();
}

}  // namespace sippar::engine
