// SPDX-License-Identifier: Apache-2.0
#include "cluster/client/begin_changes.h"

#include <optional>
#include <utility>

namespace sippar::cluster {
namespace {

class BegunChanges final : public ChangeStream {
 public:
  BegunChanges(std::unique_ptr<ChangeStream> changes, ChangeBatch first)
      : changes_(std::move(changes)), first_(std::move(first)) {}

  StatusOr<ChangeBatch> Next(int64_t wait_us) override {
    std::optional<ChangeBatch> first = std::exchange(first_, std::nullopt);
    // An empty first batch only has the position, which the next batch has as well. Returning it
    // would ignore `wait_us`, so the caller would poll once for nothing.
    if (first.has_value() && (first->is_over || !first->changes.empty())) return *std::move(first);
    return changes_->Next(wait_us);
  }

 private:
  const std::unique_ptr<ChangeStream> changes_;
  std::optional<ChangeBatch> first_;
};

}  // namespace

StatusOr<std::unique_ptr<ChangeStream>> BeginChanges(std::unique_ptr<ChangeStream> changes) {
  ASSIGN_OR_RETURN(ChangeBatch first, changes->Next(/*wait_us=*/0));
  return std::make_unique<BegunChanges>(std::move(changes), std::move(first));
}

}  // namespace sippar::cluster
