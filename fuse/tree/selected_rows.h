// The rows of a query directory: selects them, finds one, counts them, and lists them in order.
// `directory` is a kTable or a node below it. Used by fuse/directories.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "fuse/tree/answers.h"
#include "fuse/tree/dir_stream.h"
#include "fuse/tree/row_selection.h"
#include "fuse/tree/tree_context.h"

namespace sippar::fuse {

// Returns the question whose answer is the rows of the directory. For .first/<n> it first finds
// where the rows end: at most once per freshness time, it reads rows until n pass the tests.
[[nodiscard]] StatusOr<RowQuestion> RowsOf(TreeContext* context, const TablePtr& table,
                                           const Node& directory, const cluster::CallOptions& call);
[[nodiscard]] StatusOr<bool> HasRow(TreeContext* context, const TablePtr& table,
                                    const Node& directory, std::string_view row,
                                    const cluster::CallOptions& call);
[[nodiscard]] StatusOr<uint64_t> CountRows(TreeContext* context, const TablePtr& table,
                                           const Node& directory, const cluster::CallOptions& call);
std::unique_ptr<EntrySource> NewSelectionSource(TreeContext* context, TablePtr table,
                                                const Node& directory, cluster::CancelFlag cancel);

}  // namespace sippar::fuse
