// Work of an administrator's call on the tablets of a table: each server works on its own tablets
// in key order, one at a time, while the other servers do so, too. Thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cluster/api/call_time.h"
#include "cluster/api/transport.h"
#include "cluster/client/server_groups.h"
#include "cluster/master/act/tablet_places.h"
#include "engine/base/clock.h"

namespace sippar::cluster::master {

class TableWork {
 public:
  // Returns the tablets that have some of the rows, in key order. kNotFound: table not found.
  using FindPlaces = std::function<StatusOr<std::vector<TabletPlace>>(
      const std::string& table, const std::vector<RowRange>& rows)>;
  using TabletCall = std::function<Status(TabletControl* control, const TabletPlace& place)>;

  TableWork(Transport* transport, engine::Clock* clock, FindPlaces find)
      : transport_(transport), clock_(clock), find_(std::move(find)) {}

  // Finds the tablet that has `row`. Without a server: no server serves the row at present.
  [[nodiscard]] StatusOr<TabletPlace> Find(const std::string& table, const std::string& row) const;
  // Calls `call` for the server of the tablet that has `row`. Looks the tablet up again if it has
  // moved since. Sets *limit to the end of the tablet's rows.
  [[nodiscard]] Status OnTablet(const std::string& table, const std::string& row,
                                const CallTime& time, const TabletCall& call,
                                std::string* limit) const;
  // Calls `call` for the server of each tablet that has some of the rows, for tablets of different
  // servers concurrently. Does what OnTablet does for a tablet that has moved. After an error the
  // work on the other tablets goes on, except that a server whose tablet cannot be reached gets no
  // further call. Returns the first error in key order (FirstError in client/server_groups.h).
  [[nodiscard]] Status OnTablets(const std::string& table, const std::vector<RowRange>& rows,
                                 const CallTime& time, const TabletCall& call) const;
  // Returns the figures of each tablet of the table, in key order, with one call to a server for
  // many of its tablets.
  [[nodiscard]] StatusOr<std::vector<std::vector<GroupStats>>> Figures(const std::string& table,
                                                                       const CallTime& time) const;

 private:
  Status OnPlaces(const std::string& table, const std::vector<RowRange>& rows,
                  const std::vector<TabletPlace>& places, const CallTime& time,
                  const TabletCall& call) const;
  Status OnPlace(const std::string& table, const std::vector<RowRange>& rows,
                 const TabletPlace& place, const CallTime& time, const TabletCall& call) const;
  Status OnRows(const std::string& table, const std::vector<RowRange>& rows, const CallTime& time,
                const TabletCall& call) const;
  StatusOr<std::vector<TabletPlace>> AskOnce(std::vector<TabletPlace> places, const CallTime& time,
                                             RowParts<std::vector<GroupStats>>* parts) const;
  Status CallAt(const TabletPlace& place, const TabletCall& call) const;

  Transport* const transport_;
  engine::Clock* const clock_;
  const FindPlaces find_;
};

}  // namespace sippar::cluster::master
