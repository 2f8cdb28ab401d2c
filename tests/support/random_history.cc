// Draws random schemas, mutations and reads.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_history.h"

#include <algorithm>

namespace sippar::engine {
namespace {

using std::string_literals::operator""s;

GcPolicy RandomPolicy(Random* random) {
  GcPolicy versions = GcPolicy::MaxVersions(static_cast<uint32_t>(1 + random->Uniform(3)));
  GcPolicy age = GcPolicy::MaxAge(static_cast<int64_t>(3 + random->Uniform(15)));
  switch (random->Uniform(5)) {
    case 0:
      return GcPolicy::KeepAll();
    case 1:
      return age;
    case 2:
      return GcPolicy::Union({versions, age});
    case 3:
      return GcPolicy::Intersection({versions, age});
    default:
      return versions;
  }
}

}  // namespace

TableSchema RandomHistory::Schema() {
  TableSchema schema;
  schema.name = "t";
  for (const char* name : {"a", "a.b", "c"}) {
    schema.families.push_back({name, FamilyType::kBytes, RandomPolicy(&random_)});
  }
  schema.families.push_back({"n", FamilyType::kCounter, RandomPolicy(&random_)});
  schema.families.push_back({"s", FamilyType::kSum, RandomPolicy(&random_)});
  schema.families.push_back({"u", FamilyType::kUniqueBytes, RandomPolicy(&random_)});
  for (const FamilySchema& family : schema.families) {
    if (random_.OneIn(2)) continue;
    std::string group = random_.OneIn(2) ? "g1" : "g2";
    if (schema.FindGroup(group) == nullptr) {
      LocalityGroupSchema& added = schema.groups.emplace_back();
      added.name = group;
      added.block_size = 1024;
      added.compression = random_.OneIn(2) ? Compression::kNone : Compression::kZstd;
      added.bloom = static_cast<BloomKind>(random_.Uniform(3));
    }
    schema.FindGroup(group)->families.push_back(family.name);
  }
  schema.Normalize();
  return schema;
}

std::vector<std::string> RandomHistory::SplitKeys() {
  if (random_.OneIn(2)) return {};
  return {"a\0"s, "b"s};
}

std::string RandomHistory::Key() {
  static const std::vector<std::string> kKeys = {
      "a", "a\0"s, "a\0\0"s, "a\1"s, "a\xff", "ab", "b", "b\0\xff"s, "c", "\xff\xff"s, "\0"s};
  return kKeys[random_.Uniform(kKeys.size())];
}

std::string RandomHistory::Qualifier() {
  static const std::vector<std::string> kQualifiers = {"", "q", "q\0"s, "q1", "r", "\xff"};
  return kQualifiers[random_.Uniform(kQualifiers.size())];
}

RowMutation RandomHistory::Mutation(const TableSchema& schema, int64_t now_us) {
  RowMutation mutation(Key());
  for (uint64_t i = 1 + random_.Uniform(4); i > 0; --i) {
    const FamilySchema& family = schema.families[random_.Uniform(schema.families.size())];
    std::string qualifier = Qualifier();
    int64_t time = Time(now_us);
    uint64_t kind = random_.Uniform(12);
    if (kind == 0) {
      mutation.DeleteRow();
    } else if (kind == 1) {
      mutation.DeleteFamily(family.name);
    } else if (kind == 2) {
      mutation.DeleteColumn(family.name, qualifier);
    } else if (kind <= 4 || IsAggregate(family.type)) {  // an aggregate accepts no Set
      int64_t limit = time + 1 + static_cast<int64_t>(random_.Uniform(6));
      mutation.DeleteColumn(family.name, qualifier, {time, random_.OneIn(4) ? kTimeMax : limit});
    } else if (family.type == FamilyType::kCounter) {
      mutation.Set(family.name, qualifier, EncodeInt64(static_cast<int64_t>(random_.Uniform(99))),
                   time);
    } else {
      mutation.Set(family.name, qualifier,
                   std::string(random_.Uniform(30), 'v') + std::to_string(random_.Uniform(1000)),
                   time);
    }
  }
  if (random_.OneIn(6)) {
    mutation.entries.clear();
    if (random_.OneIn(3)) {
      for (uint64_t i = 1 + random_.Uniform(4); i > 0; --i) {
        mutation.Add("s", Qualifier(), EncodeInt64(5), Time(now_us));
        mutation.Add("u", Qualifier(), Key(), Time(now_us));
      }
    } else if (random_.OneIn(2)) {
      mutation.Increment("n", Qualifier(), 7, Time(now_us));
    } else {
      mutation.Append("a", Qualifier(), "+", Time(now_us));
    }
  }
  return mutation;
}

NamePattern RandomHistory::Pattern(const std::string& text) {
  switch (random_.Uniform(4)) {
    case 0:
      return NamePattern::Exact(text);
    case 1:
      return NamePattern::Prefix(text.substr(0, 1));
    case 2:
      return NamePattern::Regex(random_.OneIn(2) ? "^q" : "[ar]$");
    default:
      return NamePattern::Any();
  }
}

ReadSpec RandomHistory::Read(const TableSchema& schema, int64_t now_us) {
  ReadSpec read;
  if (random_.OneIn(2)) {
    read.rows = RowSet();
    for (uint64_t i = 1 + random_.Uniform(3); i > 0; --i) {
      std::string a = Key();
      std::string b = Key();
      read.rows.Add(random_.OneIn(2) ? RowRange::Single(a)
                                     : RowRange{std::min(a, b), std::max(a, b)});
    }
  }
  for (uint64_t i = random_.Uniform(3); i > 0; --i) {
    const FamilySchema& family = schema.families[random_.Uniform(schema.families.size())];
    read.columns.push_back({Pattern(family.name), Pattern(Qualifier())});
  }
  if (random_.OneIn(3)) {
    int64_t a = Time(now_us);
    read.time = {a, random_.OneIn(2) ? kTimeMax : a + static_cast<int64_t>(random_.Uniform(12))};
  }
  if (random_.OneIn(3)) read.versions_per_column = static_cast<uint32_t>(1 + random_.Uniform(3));
  if (random_.OneIn(5)) read.cells_per_family = 1 + random_.Uniform(3);
  if (random_.OneIn(5)) read.cells_per_family_offset = random_.Uniform(3);
  if (random_.OneIn(5)) read.cells_per_row = 1 + random_.Uniform(3);
  if (random_.OneIn(5)) read.cells_per_row_offset = random_.Uniform(3);
  read.reverse = random_.OneIn(3);
  read.strip_values = random_.OneIn(6);
  read.keys_only = random_.OneIn(6);
  return read;
}

}  // namespace sippar::engine
