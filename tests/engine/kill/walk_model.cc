// Derives the calls of the kill walk from their numbers, and applies them to the oracle.
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/kill/walk_model.h"

#include <fmt/format.h>

#include "engine/base/checksum.h"
#include "engine/model/change_config.h"

namespace sippar::engine {
namespace {

constexpr uint64_t kRows = 40;  // number of rows of each thread

// Writes several families at once, so that a torn row is detected.
RowMutation Puts(const std::string& row, int64_t time, Random* random) {
  RowMutation mutation(row);
  std::string value = fmt::format("{}.{}", time, random->Uniform(1000));
  mutation.Set("s", "last", value);  // the server chooses the timestamp
  mutation.Set("a", "v", value, time).Set("b", "v", value, time - 1);
  for (uint64_t i = random->Uniform(3); i > 0; --i) {
    uint64_t size = random->OneIn(40) ? 5000 : random->Uniform(300);
    std::string qualifier = fmt::format("q{}", random->Uniform(4));
    int64_t earlier = time - static_cast<int64_t>(random->Uniform(50));
    mutation.Set(random->OneIn(2) ? "a" : "b", qualifier, value + std::string(size, '.'), earlier);
  }
  return mutation;
}

RowMutation Deletes(const std::string& row, int64_t time, Random* random) {
  RowMutation mutation(row);
  switch (random->Uniform(4)) {
    case 0:
      return mutation.DeleteRow();
    case 1:
      return mutation.DeleteFamily(random->OneIn(2) ? "a" : "b");
    case 2:
      return mutation.DeleteColumn("a", "v", {time - 2000, time - 1000});
    default:
      return mutation.DeleteColumn("b", fmt::format("q{}", random->Uniform(4)))
          .Set("a", "v", "after a delete", time);
  }
}

RowMutation OneMutation(const std::string& row, int64_t time, Random* random) {
  uint64_t kind = random->Uniform(10);
  if (kind == 0) return RowMutation(row).Increment("n", "count", 7, time);
  if (kind == 1) return RowMutation(row).Append("a", "log", "+", time);
  return kind <= 3 ? Deletes(row, time, random) : Puts(row, time, random);
}

std::vector<WalkAtom> Writes(const WalkCall& call, Random* random) {
  auto time = static_cast<int64_t>(call.life * 10'000'000 + call.number * 10);
  std::set<std::string> rows;
  for (uint64_t i = random->OneIn(5) ? 2 + random->Uniform(6) : 1; i > 0; --i) {
    rows.insert(WalkRow(random, call.thread));
  }
  std::vector<WalkAtom> atoms;
  for (const std::string& row : rows) {
    atoms.push_back({WalkAtom::kWrite, "t", OneMutation(row, time, random)});
  }
  return atoms;
}

}  // namespace

std::string WalkRow(Random* random, uint64_t thread) {
  return fmt::format("r{:02}.{}", random->Uniform(kRows), thread);
}

std::vector<WalkAtom> AtomsOf(uint64_t seed, const WalkCall& call) {
  Random random(Checksum(fmt::format("{}/{}/{}", call.life, call.thread, call.number), seed));
  auto time = static_cast<int64_t>(call.life * 10'000'000 + call.number * 10);
  switch (call.kind) {
    case 'x': {
      RowMutation mutation(WalkRow(&random, kScriptThread));
      return {{WalkAtom::kWrite, "t", mutation.Set("x", "v", std::to_string(time), time)}};
    }
    case 'u': {
      RowMutation mutation(WalkRow(&random, kScriptThread));
      return {{WalkAtom::kWrite, "u", mutation.Set("f", "v", std::to_string(time), time)}};
    }
    case '+':
      return {{WalkAtom::kCreateTable, "", {}}};
    case '-':
      return {{WalkAtom::kDropTable, "", {}}};
    case '<':
      return {{WalkAtom::kDropFamily, "", {}}};
    case '>':
      return {{WalkAtom::kAddFamily, "", {}}};
    default:
      return Writes(call, &random);
  }
}

TableSchema WalkSchema(uint64_t seed) {
  Random random(seed);
  TableSchema schema;
  schema.name = "t";
  schema.families = {{"a", FamilyType::kBytes, GcPolicy::MaxVersions(3)},
                     {"b", FamilyType::kBytes, GcPolicy::MaxVersions(2)},
                     {"n", FamilyType::kCounter, GcPolicy::MaxVersions(1)},
                     {"s", FamilyType::kBytes, GcPolicy::MaxVersions(1)},
                     {"x", FamilyType::kBytes, GcPolicy::KeepAll()}};
  for (std::string name : {"default", "g"}) {
    LocalityGroupSchema& group = schema.groups.emplace_back();
    group.name = name;
    group.block_size = 1024;
    group.compression = random.OneIn(2) ? Compression::kNone : Compression::kZstd;
    group.bloom = static_cast<BloomKind>(random.Uniform(3));
    group.in_memory = random.OneIn(4);
  }
  schema.groups.back().families = {"b"};
  SetChangeStream(ChangeStreamConfig{int64_t{24} * 3600 * 1'000'000, 0}, &schema);
  schema.Normalize();
  return schema;
}

TableSchema ExtraSchema() {
  TableSchema schema;
  schema.name = "u";
  schema.families = {{"f", FamilyType::kBytes, GcPolicy::MaxVersions(1)}};
  schema.Normalize();
  return schema;
}

void AddToContent(const std::string& table, Cell cell, WalkContent* content) {
  // The server chose this timestamp, so only the order is known.
  if (cell.family == "s") cell.timestamp_us = 0;
  (*content)[table + "/" + cell.row] += PrintCells({cell});
}

void WalkModel::Apply(const WalkAtom& atom) {
  switch (atom.kind) {
    case WalkAtom::kWrite: {
      RowMutation timed = atom.mutation;
      for (MutationEntry& entry : timed.entries) {
        if (entry.timestamp_us == kServerTime) entry.timestamp_us = 0;
      }
      (atom.table == "t" ? main_ : extra_).Apply(timed, 0);
      if (timed.entries[0].family == "x") family_rows_.insert(timed.row);
      return;
    }
    case WalkAtom::kCreateTable:
    case WalkAtom::kDropTable:
      has_table_ = atom.kind == WalkAtom::kCreateTable;
      extra_ = ReferenceTable(ExtraSchema());
      return;
    case WalkAtom::kAddFamily:
      has_family_ = true;
      return;
    case WalkAtom::kDropFamily:
      has_family_ = false;
      for (const std::string& row : family_rows_) {
        main_.Apply(RowMutation(row).DeleteFamily("x"), 0);
      }
      family_rows_.clear();
      return;
  }
}

WalkContent WalkModel::Content() const {
  WalkContent content;
  for (const Cell& cell : main_.Read({}, 0)) AddToContent("t", cell, &content);
  for (const Cell& cell : extra_.Read({}, 0)) AddToContent("u", cell, &content);
  if (has_family_) content["family x"] = "there";
  if (has_table_) content["table u"] = "there";
  return content;
}

}  // namespace sippar::engine
