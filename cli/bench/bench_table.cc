// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_table.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string>

#include "cli/bench/workload.h"

namespace sippar::cli {
namespace {

// Name of the row that records what a fill has written. The row's family and locality group have
// the same name. The keys of all other rows are digits, so this row sorts after them.
constexpr const char* kAbout = "about";

engine::TableSchema SchemaOf(const BenchOptions& options) {
  engine::TableSchema schema;
  schema.name = kBenchTable;
  for (const char* name : {"f", "m", kAbout}) {
    engine::FamilySchema& family = schema.families.emplace_back();
    family.name = name;
    // Keeps one value per row, even if a random fill has written the row several times.
    family.gc = engine::GcPolicy::MaxVersions(1);
    // Three groups, so that reads of one family touch no data of the others, and only "m" is held
    // in memory.
    engine::LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = name[0] == 'f' ? std::string(engine::kDefaultGroup) : name;
    group.families = {name};
    group.in_memory = name[0] == 'm';
    if (options.compression == "none") {
      group.compression = engine::Compression::kNone;
      group.dictionary = false;
    } else if (options.compression == "high") {
      group.compression_level = 3;
      group.block_size = 256 << 10;
    }
  }
  return schema;
}

std::string DescribeValues(const BenchOptions& options) {
  return fmt::format("{} bytes, {}, compression {}", options.value_size,
                     options.workload == "paper" ? "random" : "half random", options.compression);
}

StatusOr<std::map<std::string, std::string>> ReadAbout(cluster::Client* client) {
  engine::ReadSpec read;
  read.rows = engine::RowSet(engine::RowRange::Single(kAbout));
  std::map<std::string, std::string> about;
  ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> cells,
                   client->data()->Read(kBenchTable, read, {}));
  for (; cells->Valid(); cells->Next()) {
    about[std::string(cells->cell().qualifier)] = cells->cell().value;
  }
  RETURN_IF_ERROR(cells->status());
  return about;
}

}  // namespace

// MakeBenchTable drops a table, so a benchmark must not run on a store that holds a user's tables.
Status CheckOnlyBenchTable(cluster::Client* client) {
  constexpr const char* kHint = "use an empty or new directory for a benchmark";
  ASSIGN_OR_RETURN(std::vector<cluster::TableInfo> tables,
                   client->admin()->Do(cluster::calls::ListTables{}));
  for (const cluster::TableInfo& table : tables) {
    bool ours = table.schema.name == kBenchTable && table.schema.FindFamily(kAbout) != nullptr;
    if (ours) continue;
    return FailedPrecondition(fmt::format("{} contains table {}, which no benchmark made; {}",
                                          client->target(), table.schema.name, kHint));
  }
  return OkStatus();
}

StatusOr<uint64_t> FilledRows(cluster::Client* client, const BenchOptions& options) {
  auto table = client->admin()->Do(cluster::calls::GetTable{kBenchTable});
  if (table.status().code() == StatusCode::kNotFound) return uint64_t{0};
  RETURN_IF_ERROR(table.status());
  ASSIGN_OR_RETURN(auto about, ReadAbout(client));
  // A table filled with values of another size or compression does not count, because its results
  // would be reported under these options.
  if (about["values"] != DescribeValues(options)) return uint64_t{0};
  uint64_t rows = 0;
  std::from_chars(about["rows"].data(), about["rows"].data() + about["rows"].size(), rows);
  return rows;
}

Status MakeBenchTable(cluster::Client* client, const BenchOptions& options) {
  Status dropped = client->admin()->Do(cluster::calls::DropTable{kBenchTable});
  if (!dropped.ok() && dropped.code() != StatusCode::kNotFound) return dropped;
  return client->admin()->Do(cluster::calls::CreateTable{SchemaOf(options), {}});
}

Status NoteFilled(cluster::Client* client, const BenchOptions& options, uint64_t rows) {
  // Written after the fill: an interrupted fill leaves no record, so its rows do not count.
  engine::RowMutation about(kAbout);
  about.Set(kAbout, "rows", std::to_string(rows));
  about.Set(kAbout, "values", DescribeValues(options));
  return client->data()->Apply(kBenchTable, about);
}

}  // namespace sippar::cli
