// SPDX-License-Identifier: Apache-2.0
#include "engine/tablet/tablet.h"

#include "engine/tablet/version_files.h"

namespace sippar::engine {

std::shared_ptr<Tablet> Tablet::Open(TabletContext* context, TabletState state,
                                     std::shared_ptr<const TableSchema> schema) {
  std::shared_ptr<Tablet> tablet(new Tablet(context, std::move(state)));
  tablet->families_.SetSchema(std::move(schema));
  return tablet;
}

StatusOr<std::optional<std::string>> Tablet::MiddleRow() const {
  return MiddleRowOf(*body_.TakeSnapshot().version);
}

uint64_t Tablet::StoredBytesOf(const FileRef& file, const RowRange& rows) const {
  return StoredBytesIn(body_.context->files.get(), file, rows);
}

uint64_t Tablet::stored_bytes() const {
  return engine::StoredBytesOf(*body_.TakeSnapshot().version);
}

std::vector<GroupStats> Tablet::Stats() const { return StatsOf(*body_.TakeSnapshot().version); }

Status Tablet::VerifyFiles() const {
  RETURN_IF_ERROR(VerifyFilesOf(*body_.TakeSnapshot().version));
  return changes_.VerifyArchive();
}

}  // namespace sippar::engine
