// Holds PrintCreateTable and FamilyTypeNames of schema_options.h.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/model/option_text.h"
#include "engine/program/value.h"
#include "query/plan/schema_options.h"
#include "query/syntax/ast_print.h"

namespace sippar::query {

namespace {

// COUNTER, VERSIONS and TTL print in the short forms that users write. Any other type or rule
// prints as TYPE or GC, which can express all of them.
std::string PrintFamily(const engine::FamilySchema& family) {
  std::string text = "FAMILY " + QuoteName(family.name);
  if (family.type == engine::FamilyType::kCounter) {
    text += " COUNTER";
  } else if (family.type != engine::FamilyType::kBytes) {
    text += fmt::format(" TYPE = {}", engine::FamilyTypeName(family.type));
  }
  if (family.gc.kind == engine::GcPolicy::kMaxVersions) {
    text += fmt::format(" VERSIONS {}", family.gc.max_versions);
  } else if (family.gc.kind == engine::GcPolicy::kMaxAge) {
    text += fmt::format(" TTL {}", engine::PrintDuration(family.gc.max_age_us));
    // VERSIONS and TTL together are stored as a UNION and print as one: both forms make the same
    // schema.
  } else if (family.gc.kind != engine::GcPolicy::kKeepAll) {
    text += fmt::format(" GC = {}", family.gc.Print());
  }
  return text;
}

// Prints compression, block size and Bloom filter even where they have their defaults, so that the
// statement creates the same group in a version of Sippar whose defaults differ.
std::string PrintGroup(const engine::LocalityGroupSchema& group) {
  std::string families;
  for (const std::string& family : group.families) {
    families += (families.empty() ? "" : ", ") + QuoteName(family);
  }
  std::string text = fmt::format("LOCALITY GROUP {} ({})", QuoteName(group.name), families);
  if (group.in_memory) text += " IN_MEMORY";
  text += group.compression == engine::Compression::kNone
              ? " COMPRESSION = NONE"
              : fmt::format(" COMPRESSION = ZSTD(LEVEL({}))", group.compression_level);
  text += fmt::format(" BLOCK_SIZE {}", PrintSize(group.block_size));
  std::string bloom = PrintBloom(group.bloom);
  for (char& c : bloom) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  text += " BLOOM = " + bloom;
  if (!group.dictionary) text += " DICTIONARY = FALSE";
  return text;
}

}  // namespace

std::vector<std::string> FamilyTypeNames() {
  std::vector<std::string> names;
  for (size_t i = 0; i <= static_cast<size_t>(engine::kLastFamilyType); ++i) {
    names.emplace_back(engine::FamilyTypeName(static_cast<engine::FamilyType>(i)));
  }
  return names;
}

std::string PrintCreateTable(const engine::TableSchema& schema,
                             const std::vector<std::string>& split_keys) {
  std::string text = fmt::format("CREATE TABLE {} (\n", QuoteName(schema.name));
  std::string elements;
  for (const engine::FamilySchema& family : schema.families) {
    elements += (elements.empty() ? "  " : ",\n  ") + PrintFamily(family);
  }
  // The default group takes the families that no other group names, so it is printed only if it has
  // settings of its own.
  for (const engine::LocalityGroupSchema& group : schema.groups) {
    engine::LocalityGroupSchema plain;
    plain.name = group.name;
    plain.families = group.families;
    if (group.families.empty() || (group.name == engine::kDefaultGroup && group == plain)) continue;
    elements += ",\n  " + PrintGroup(group);
  }
  text += elements + "\n)";
  std::string options;
  for (const auto& [name, value] : engine::OptionTexts(schema)) {
    options += fmt::format("{}{} = {}", options.empty() ? "" : ", ", name, value);
  }
  if (!options.empty()) text += fmt::format(" WITH ({})", options);
  std::string keys;
  // Keys that are UTF-8 are printed as text; the parser reads text and bytes to the same row key.
  for (const std::string& key : split_keys) keys += (keys.empty() ? "" : ", ") + QuoteValue(key);
  if (!keys.empty()) text += fmt::format(" SPLIT AT ({})", keys);
  return text + ";";
}

}  // namespace sippar::query
