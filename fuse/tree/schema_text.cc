// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/schema_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/option_text.h"

namespace sippar::fuse {
namespace {

using engine::LocalityGroupSchema;

// Quotes every name: the query language decides which words are keywords, and their number may
// grow.
std::string Quote(std::string_view name) { return fmt::format("`{}`", name); }

std::string PrintFamily(const engine::FamilySchema& family) {
  std::string text = "FAMILY " + Quote(family.name);
  if (family.type == engine::FamilyType::kCounter) {
    text += " COUNTER";
  } else if (family.type != engine::FamilyType::kBytes) {
    text += fmt::format(" TYPE = {}", engine::FamilyTypeName(family.type));
  }
  if (std::string rule = family.gc.Print(); !rule.empty()) text += " GC = " + rule;
  return text;
}

std::string PrintBloom(engine::BloomKind bloom) {
  switch (bloom) {
    case engine::BloomKind::kNone:
      return "NONE";
    case engine::BloomKind::kRow:
      return "ROW";
    case engine::BloomKind::kRowColumn:
      return "ROW_COLUMN";
  }
  return "";
}

// Prints only settings that differ from those of a new group.
std::string PrintSettings(const LocalityGroupSchema& group) {
  const LocalityGroupSchema plain;
  std::string text;
  if (group.in_memory) text += " IN_MEMORY";
  if (group.block_size != plain.block_size)
    text += fmt::format(" BLOCK_SIZE = {}B", group.block_size);
  if (group.compression == engine::Compression::kNone) {
    text += " COMPRESSION = NONE";
  } else if (group.compression_level != plain.compression_level) {
    text += fmt::format(" COMPRESSION = ZSTD(LEVEL({}))", group.compression_level);
  }
  if (group.dictionary != plain.dictionary) text += " DICTIONARY = FALSE";
  if (group.bloom != plain.bloom) text += " BLOOM = " + PrintBloom(group.bloom);
  return text;
}

// Prints nothing for a group without families, and for the default group with default settings,
// which every table has.
std::string PrintGroup(const LocalityGroupSchema& group) {
  std::string settings = PrintSettings(group);
  if (group.families.empty() || (group.name == engine::kDefaultGroup && settings.empty()))
    return "";
  std::string families;
  for (const std::string& family : group.families) {
    families += (families.empty() ? "" : ", ") + Quote(family);
  }
  return fmt::format("LOCALITY GROUP {} ({}){}", Quote(group.name), families, settings);
}

}  // namespace

std::string PrintCreateTable(const engine::TableSchema& schema) {
  std::string elements;
  auto add = [&](const std::string& element) {
    if (element.empty()) return;
    elements += (elements.empty() ? "\n  " : ",\n  ") + element;
  };
  for (const engine::FamilySchema& family : schema.families) add(PrintFamily(family));
  for (const LocalityGroupSchema& group : schema.groups) add(PrintGroup(group));
  std::string options;
  for (const auto& [name, value] : engine::OptionTexts(schema)) {
    options += fmt::format("{}{} = {}", options.empty() ? "" : ", ", name, value);
  }
  if (!options.empty()) options = fmt::format(" WITH ({})", options);
  return fmt::format("CREATE TABLE {} ({}\n){};\n", Quote(schema.name), elements, options);
}

}  // namespace sippar::fuse
