// TabletService of a server's tablets. Every answer is true at some moment during the call
// (PROTOCOL.md): a write is acknowledged if the lease is found held after the sync of the log; a
// read takes its snapshot and then checks that the lease is still held and the tablet still served
// here. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cluster/api/tablet_service.h"
#include "cluster/tabletserver/server_parts.h"

namespace sippar::cluster {

class TabletHandler final : public TabletService {
 public:
  explicit TabletHandler(const ServerParts* parts) : parts_(parts) {}

  // A write that has begun runs to its end, so its options are ignored.
  void Carry(const AnyCall& call, const CallOptions&) override {
    AnswerBy(call, [this](const auto& asked) { return Perform(asked); });
  }
  StatusOr<std::unique_ptr<CellStream>> Read(const TabletAddress& tablet, const ReadSpec& read,
                                             const CallOptions& options) override;
  Status Run(const TabletAddress& tablet, const engine::Program& program,
             const CallOptions& options, engine::ProgramSink* sink) override;
  StatusOr<std::unique_ptr<ChangeStream>> ReadChanges(const TabletAddress& tablet,
                                                      const ChangesRequest& request,
                                                      const CallOptions& options) override;
  engine::CpuCount* cpu() override { return parts_->host->cpu(); }

 private:
  using Updates = calls::UpdateRows<TabletAddress>;

  StatusOr<std::vector<Status>> Perform(const calls::ApplyRows<TabletAddress>& asked);
  StatusOr<Updates::Reply> Perform(const Updates& asked);
  Status Perform(const calls::CommitRow<TabletAddress>& asked);

  StatusOr<std::unique_ptr<CellStream>> Open(const TabletAddress& tablet, const ReadSpec& read,
                                             engine::ReadForm form,
                                             const CallOptions& options) const;
  // Returns the tablet for a stream; the returned pointer also keeps the server alive.
  StatusOr<std::shared_ptr<engine::Tablet>> Hold(const Served& served) const;
  StatusOr<std::shared_ptr<Served>> Find(const TabletAddress& tablet) const;
  StatusOr<std::shared_ptr<Served>> FindForWrite(const TabletAddress& tablet, size_t rows,
                                                 const std::string& first_row) const;
  StatusOr<std::shared_ptr<Served>> FindForRead(const TabletAddress& tablet,
                                                const std::string& first_row) const;
  Status CheckAnswer(const Served& served) const;
  Status MakeDurable(const Served& served) const;

  const ServerParts* const parts_;
};

}  // namespace sippar::cluster
