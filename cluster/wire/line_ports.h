// Implements the interfaces of cluster/api by calls to another process over a line (wire/line.h).
// Each call is made once; a caller that retries writes must give them request ids
// (cluster/PROTOCOL.md). Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cluster/api/admin_api.h"
#include "cluster/api/call_codec.h"
#include "cluster/api/control_api.h"
#include "cluster/api/tablet_service.h"
#include "cluster/wire/line.h"

namespace sippar::cluster {

// Implements an interface that has calls but no streams: AdminApi, TabletControl, MasterNotices.
template <class Interface, Method kMethod>
class LinePort final : public Interface {
 public:
  explicit LinePort(std::shared_ptr<Line> line) : line_(std::move(line)) {}

  void Carry(const typename Interface::AnyCall& call, const CallOptions& options) override {
    TakeReply(line_->Call(kMethod, RuleOf(call), EncodeCall(call), options), call);
  }

 private:
  const std::shared_ptr<Line> line_;
};

using LineAdmin = LinePort<AdminApi, Method::kAdmin>;
using LineControl = LinePort<TabletControl, Method::kControl>;
using LineNotices = LinePort<MasterNotices, Method::kNotices>;

// DataApi of a member that serves whole tables by their names.
class LineData final : public DataApi {
 public:
  explicit LineData(std::shared_ptr<Line> line) : line_(std::move(line)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override;
  StatusOr<std::unique_ptr<CellStream>> Read(const std::string& table, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const std::string& table, const RowRange& tablet_range, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const std::string& table,
                                                      const ChangesRequest& wanted,
                                                      const CallOptions& options) override;

 private:
  const std::shared_ptr<Line> line_;
};

// TabletService of one tablet server, which serves its tablets by their addresses.
class LineTablets final : public TabletService {
 public:
  explicit LineTablets(std::shared_ptr<Line> line) : line_(std::move(line)) {}

  void Carry(const AnyCall& call, const CallOptions& options) override;
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const TabletAddress& tablet, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress& tablet,
                                                      const ChangesRequest& wanted,
                                                      const CallOptions& options) override;

 private:
  const std::shared_ptr<Line> line_;
};

}  // namespace sippar::cluster
