// The alterer: the client that changes tables. It adds a family to the common table, removes it,
// creates it again and moves it to another group; it also drops and creates a table of its own. No
// other client uses that family.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/workloads/cluster.h"
#include "tests/sim/workloads/remade_family.h"

namespace sippar::sim {
namespace {

using engine::ReadSpec;
using engine::RowMutation;
using engine::TableSchema;

constexpr const char* kRows[] = {"a5", "b5", "e5"};  // rows that no other client uses

void AddOwnFamily(TableSchema* schema) {
  schema->families.push_back(
      {Cluster::kOwnFamily, engine::FamilyType::kBytes, engine::GcPolicy::MaxVersions(1)});
  schema->groups.front().families.emplace_back(Cluster::kOwnFamily);
}

void DropOwnFamily(TableSchema* schema) {
  std::erase_if(schema->families,
                [](const auto& family) { return family.name == Cluster::kOwnFamily; });
  for (engine::LocalityGroupSchema& group : schema->groups) {
    std::erase(group.families, Cluster::kOwnFamily);
  }
}

void MoveOwnFamily(TableSchema* schema) {
  engine::LocalityGroupSchema* other = nullptr;
  for (engine::LocalityGroupSchema& group : schema->groups) {
    if (std::erase(group.families, Cluster::kOwnFamily) == 0) other = &group;
  }
  if (other == nullptr) other = &schema->groups.front();
  other->families.emplace_back(Cluster::kOwnFamily);
}

bool HasOwnFamily(const TableSchema& schema) {
  return schema.FindFamily(Cluster::kOwnFamily) != nullptr;
}

// True for errors that the alterer must never get about its own family.
bool IsWrong(const Status& status) {
  return status.code() == StatusCode::kNotFound || status.code() == StatusCode::kInvalidArgument ||
         status.code() == StatusCode::kDataLoss || status.code() == StatusCode::kInternal;
}

}  // namespace

class Cluster::Alterer {
 public:
  Alterer(Cluster* cluster, cluster::DataApi* data)
      : cluster_(cluster), world_(cluster->world_), data_(data) {}

  void Run() {
    RemakeFamily();
    RemakeTable();
    for (uint64_t i = 0; i < cluster_->knobs_.operations_each && cluster_->trouble_; ++i) {
      world_->SleepMicros(static_cast<int64_t>(world_->random()->Uniform(100'000)));
      OneStep();
    }
  }

 private:
  // A table that has the family, and the values that may be in it.
  struct Place {
    std::string table;
    RemadeFamily family;
  };

  void OneStep() {
    Place* place = world_->random()->OneIn(3) ? &own_ : &common_;
    switch (world_->random()->Uniform(12)) {
      case 0:
        return RemakeFamily();
      case 1:
        return RemakeTable();
      case 2:
        return (void)Alter([](TableSchema* schema) {
          engine::LocalityGroupSchema& group = schema->groups.front();
          group.block_size = group.block_size == 1024 ? 2048 : 1024;
        });
      case 3:
        return (void)Alter(MoveOwnFamily);
      case 4:
      case 5:
      case 6:
        return Look(place);
      default:
        return Write(place);
    }
  }

  void Note(const std::string& what) { world_->scheduler()->Note("alterer: " + what); }

  void Write(Place* place) {
    std::string row = kRows[world_->random()->Uniform(std::size(kRows))];
    std::string value = fmt::format("x{}", ++values_);
    Status status = data_->Apply(place->table, RowMutation(row).Set(kOwnFamily, "", value));
    Note(fmt::format("{} {} = {}: {}", place->table, row, value, MessageOf(status)));
    Judge(*place, status);
    place->family.Wrote(row, value, status);
  }

  void Look(Place* place) {
    ReadSpec read;
    read.columns = {engine::ColumnPattern::Exact(kOwnFamily, "")};
    read.versions_per_column = 1;
    cluster::CallOptions options;
    options.timeout_us = 1'000'000;
    auto cells = data_->Read(place->table, read, options);
    std::map<std::string, std::string> seen;
    for (; cells.ok() && (*cells)->Valid(); (*cells)->Next()) {
      seen[std::string((*cells)->cell().row)] = (*cells)->cell().value;
    }
    Status status = cells.ok() ? (*cells)->status() : cells.status();
    Judge(*place, status);
    if (!status.ok()) return;
    for (const char* row : kRows) {
      auto found = seen.find(row);
      std::optional<std::string> value;
      if (found != seen.end()) value = found->second;
      Note(fmt::format("{} {} is {}", place->table, row, value.value_or("none")));
      if (place->family.MayShow(row, value)) continue;
      world_->scheduler()->Fail(fmt::format("family {} of table {}, row {}: it cannot be {}",
                                            kOwnFamily, place->table, row,
                                            value.value_or("empty")));
    }
  }

  void Judge(const Place& place, const Status& status) {
    if (!IsWrong(status) || place.family.is_vague()) return;
    world_->scheduler()->Fail("the alterer was told: " + status.ToString());
  }

  // Asks one of the masters; after an error the next call asks the next master.
  template <typename T>
  StatusOr<T> Ask(std::function<StatusOr<T>(cluster::AdminApi*)> work) {
    auto answer = cluster_->OnMaster<T>(cluster_->addresses_.masters[asked_], std::move(work));
    bool reigns = answer.ok() || answer.status().code() == StatusCode::kNotFound;
    if (reigns) return answer;
    asked_ = (asked_ + 1) % kMasters;
    world_->SleepMicros(20'000);
    return answer;
  }
  Status Do(std::function<Status(cluster::AdminApi*)> work) {
    return Ask<bool>([work = std::move(work)](cluster::AdminApi* admin) -> StatusOr<bool> {
             RETURN_IF_ERROR(work(admin));
             return true;
           })
        .status();
  }

  // Changes the schema of the common table once, if no other change comes in between.
  Status Alter(const std::function<void(TableSchema* schema)>& change) {
    auto table = Ask<cluster::TableInfo>(
        [](cluster::AdminApi* admin) { return admin->Do(cluster::calls::GetTable{"t"}); });
    RETURN_IF_ERROR(table.status());
    change(&table->schema);
    table->schema.Normalize();
    // The table is copied, because the call may run after the caller has stopped waiting.
    Status status = Do([asked = *table](cluster::AdminApi* admin) {
      return admin->Do(cluster::calls::AlterTable{asked.schema, asked.schema_version});
    });
    Note(fmt::format("alters t at version {}: {}", table->schema_version, MessageOf(status)));
    return status;
  }

  // Removes the family and creates it again, in one alteration or in two. Retries until that is
  // certain.
  void RemakeFamily() {
    bool at_once = world_->random()->OneIn(2);
    for (bool made = false; !made;) {
      common_.family.MayBeRemade();
      bool makes = false;
      Status status = Alter([&](TableSchema* schema) {
        makes = at_once || !HasOwnFamily(*schema);
        if (!HasOwnFamily(*schema)) return AddOwnFamily(schema);
        if (!at_once) return DropOwnFamily(schema);
        for (engine::FamilySchema& family : schema->families) {
          if (family.name == kOwnFamily) ++family.incarnation;
        }
      });
      made = makes && status.ok();
    }
    common_.family.Remade();
  }

  void RemakeTable() {
    for (;;) {
      own_.family.MayBeRemade();
      Status dropped = Do(
          [name = own_.table](auto* admin) { return admin->Do(cluster::calls::DropTable{name}); });
      Note(fmt::format("drops {}: {}", own_.table, MessageOf(dropped)));
      TableSchema schema;
      schema.name = own_.table;
      schema.groups.emplace_back().name = "g0";
      AddOwnFamily(&schema);
      schema.Normalize();
      bool gone = dropped.ok() || dropped.code() == StatusCode::kNotFound;
      Status made = dropped;
      if (gone)
        made = Do([schema](auto* admin) {
          return admin->Do(cluster::calls::CreateTable{schema, {"b"}});
        });
      Note(fmt::format("makes {}: {}", own_.table, MessageOf(made)));
      if (made.ok()) return own_.family.Remade();
      // The request may still be carried out later, so this table name is not used again.
      own_ = {fmt::format("u{}", ++tables_), {}};
    }
  }

  Cluster* const cluster_;
  World* const world_;
  cluster::DataApi* const data_;
  Place common_{"t", {}};
  Place own_{"u0", {}};
  uint64_t values_ = 0;
  uint64_t tables_ = 0;
  uint64_t asked_ = 0;
};

void Cluster::AlterMain(MachineId id) {
  auto* process = new Process(this, id);
  process->Join();
  Alterer(this, process->data.get()).Run();
  --clients_left_;
}

}  // namespace sippar::sim
