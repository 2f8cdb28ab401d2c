// Reads the changes of a table with a change stream: all its parts in turn, and on across splits
// and merges of its tablets. Used from one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/change_api.h"
#include "query/execute/tail_position.h"
#include "query/session/session.h"

namespace sippar::query {

class ChangeWalk {
 public:
  // Gets each change; those of one row come in the order of their commits. Sets *goes_on to false
  // when it needs no more.
  using Handler = std::function<Status(const cluster::Change& change, bool* goes_on)>;
  // `end_us`: the last commit time wanted. The context outlives the walk.
  ChangeWalk(const StatementContext& context, std::string table, std::optional<int64_t> end_us,
             Handler handler)
      : context_(context),
        table_(std::move(table)),
        end_us_(end_us),
        handler_(std::move(handler)) {}

  bool from_now = false;  // start at the current time of the servers, not at start_us

  // Begins at the positions of these parts, which cover the rows that are wanted.
  [[nodiscard]] Status Open(const std::vector<TailPart>& parts);
  // Returns at the end time, when the handler needs no more, or when the statement is stopped.
  // While a server is away, waits for it.
  [[nodiscard]] Status Run();
  // How far the changes have been handled.
  std::vector<TailPart> Position() const;

 private:
  struct Part {
    TailPart at;
    // End tokens of the parts that a split or merge has turned into this part; may be empty.
    std::vector<cluster::ChangeToken> tokens;
    std::unique_ptr<cluster::ChangeStream> stream;
  };

  Status OpenPending();
  // Opens `part` at its token or time, or at `tokens` if there are any.
  Status OpenPart(const TailPart& part, std::vector<cluster::ChangeToken> tokens);
  Status ReadPart(Part* part, int64_t wait_us, bool* over);
  // Opens each new partition once all parts that it replaces have been read up to their split or
  // merge. After a merge, one of these parts may be finished while the other is still read.
  Status OpenSuccessors();

  const StatementContext& context_;
  const std::string table_;
  const std::optional<int64_t> end_us_;
  const Handler handler_;
  std::list<Part> open_;
  std::list<TailPart> pending_;  // parts that are opened when others are over
  std::vector<TailPart> ended_;  // parts read up to the end time
  // Positions at the ends of parts that were split or merged.
  std::vector<cluster::ChangeToken> waiting_;
  std::vector<engine::RowRange> successors_;  // new partitions that continue at waiting_
  uint64_t seen_ = 0;
  bool goes_on_ = true;
  bool quiet_ = false;  // no part had a change in the last round
};

}  // namespace sippar::query
