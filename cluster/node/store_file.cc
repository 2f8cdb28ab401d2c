// SPDX-License-Identifier: Apache-2.0
#include "cluster/node/store_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

constexpr std::string_view kMaking = "making ";
constexpr std::string_view kCollapsing = "collapsing ";

}  // namespace

StatusOr<StoreFile> ParseStoreFile(const std::string& content) {
  StoreFile file;
  std::string place = content;
  if (content.starts_with(kMaking)) {
    file.phase = StorePhase::kMaking;
    place = content.substr(kMaking.size());
  } else if (content.starts_with(kCollapsing)) {
    file.phase = StorePhase::kCollapsing;
    const size_t end = std::min(content.find('\n'), content.size());
    place = content.substr(kCollapsing.size(), end - kCollapsing.size());
    file.target = content.substr(std::min(end + 1, content.size()));
  }
  ASSIGN_OR_RETURN(file.place, ParseStorePlace(place));
  return file;
}

std::string PrintStoreFile(const StoreFile& file) {
  const std::string place = PrintStorePlace(file.place);
  switch (file.phase) {
    case StorePhase::kComplete:
      return place;
    case StorePhase::kMaking:
      return std::string(kMaking) + place;
    case StorePhase::kCollapsing:
      return fmt::format("{}{}\n{}", kCollapsing, place, file.target);
  }
  return place;
}

StatusOr<StorePlace> PlaceOfComplete(const std::string& content) {
  ASSIGN_OR_RETURN(StoreFile file, ParseStoreFile(content));
  switch (file.phase) {
    case StorePhase::kComplete:
      break;
    case StorePhase::kMaking:
      return FailedPrecondition(
          fmt::format("`sippar admin init` with --store {} has begun to make it and has not "
                      "ended; repeat that command, or use another name",
                      engine::PrintableBytes(PrintStorePlace(file.place))));
    case StorePhase::kCollapsing:
      return FailedPrecondition(
          fmt::format("it is being collapsed into the store of one process ({}); finish that with "
                      "`sippar admin collapse TARGET {}`",
                      engine::PrintableBytes(PrintStorePlace(file.place)),
                      engine::PrintableBytes(file.place.directory)));
  }
  return file.place;
}

}  // namespace sippar::cluster
