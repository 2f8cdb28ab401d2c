// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/control_text.h"

#include <fmt/format.h>

namespace sippar::fuse {

StatusOr<std::string> RenderStats(TreeContext* context, const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<cluster::GroupStats> groups,
                   context->client->admin()->Do(cluster::calls::Stats{table}));
  // The text has tabs and a header, so that cut, awk and column can read it; sizes are bytes
  // without units for the same reason.
  std::string text = "group\tsstables\tstored_bytes\traw_bytes\tentries\tmemtable_bytes\n";
  for (const cluster::GroupStats& group : groups) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", group.group, group.sstables, group.stored_bytes,
                        group.raw_bytes, group.entries, group.memtable_bytes);
  }
  return text;
}

StatusOr<std::string> RenderTablets(TreeContext* context, const std::string& table) {
  ASSIGN_OR_RETURN(std::vector<cluster::TabletInfo> tablets,
                   context->data->Do(cluster::calls::ListTablets{table}));
  // The codec encodes the empty key as "%"; here an empty key means an open end of the range.
  auto spell = [&](const std::string& key) {
    return key.empty() ? std::string() : context->codec.Encode(key);
  };
  std::string text =
      "tablet\tstart\tlimit\tserver\tstate\tstored_bytes\tmemtable_bytes\tsstables\n";
  for (const cluster::TabletInfo& tablet : tablets) {
    text +=
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", tablet.tablet_id, spell(tablet.range.start),
                    spell(tablet.range.limit), tablet.server, tablet.state, tablet.stored_bytes,
                    tablet.memtable_bytes, tablet.sstable_count);
  }
  return text;
}

std::string RenderVersion() { return "sippar " SIPPAR_VERSION "\n"; }

std::string RenderAsOfReadme() {
  return "Look up a time here: .as-of/<t>/ shows every table with each column's newest cell whose\n"
         "time is <= t. <t> is microseconds since 1970 (3, -5, 1795132800000000), a UTC time such\n"
         "as 2026-11-20T12:00:00Z, or now; the last two are symlinks to the microseconds.\n"
         "It is a filter on cell times, as AS OF in the query language, and no snapshot: cells\n"
         "written later with an old time appear, deleted and collected ones are gone.\n";
}

std::string RenderStatus(TreeContext* context) {
  const MountStatus::Errors errors = context->status.errors();
  std::string text = RenderVersion();
  text += fmt::format("target: {}\nmode: read-only\nmounted_at_us: {}\nerrors: {}\n",
                      context->client->target(), context->mounted_at_us, errors.count);
  const std::string followed = context->status.followed();
  if (!followed.empty()) text += fmt::format("followed: {}\n", followed);
  text += fmt::format("last_error: {}\n", errors.last);
  return text;
}

}  // namespace sippar::fuse
