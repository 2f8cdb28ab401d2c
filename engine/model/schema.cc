// Validates and encodes table schemas.
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/coding.h"
#include "engine/base/limits.h"
#include "engine/base/printable.h"
#include "engine/model/table_name.h"

namespace sippar::engine {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

Status ValidateName(const char* what, std::string_view name, size_t size_max) {
  // The message shows only the beginning, since the name may be as long as a request.
  if (name.empty() || name.size() > size_max) {
    return InvalidArgument(fmt::format("{} name '{}' has {} bytes; 1 to {} are allowed", what,
                                       name.substr(0, 80), name.size(), size_max));
  }
  if (!std::all_of(name.begin(), name.end(), IsNameByte)) {
    return InvalidArgument(
        fmt::format("{} name '{}' may hold only letters, digits, '-', '_' and '.'", what, name));
  }
  return OkStatus();
}

void EncodeGroup(const LocalityGroupSchema& group, std::string* out) {
  PutBytes(out, group.name);
  PutVarint(out, group.families.size());
  for (const std::string& family : group.families) PutBytes(out, family);
  PutVarint(out, group.block_size);
  out->push_back(static_cast<char>(group.compression));
  PutSigned(out, group.compression_level);
  out->push_back(group.dictionary ? 1 : 0);
  out->push_back(static_cast<char>(group.bloom));
  out->push_back(group.in_memory ? 1 : 0);
}

LocalityGroupSchema DecodeGroup(Reader* reader) {
  LocalityGroupSchema group;
  group.name = reader->Bytes();
  // Count() is at most the number of bytes left, so a damaged count cannot make the loop long.
  size_t count = reader->Count();
  for (size_t i = 0; i < count; ++i) group.families.emplace_back(reader->Bytes());
  group.block_size = static_cast<uint32_t>(reader->Varint());
  // Enums are cast unchecked here: Decode validates the whole schema and refuses unknown values.
  group.compression = static_cast<Compression>(reader->Byte());
  group.compression_level = static_cast<int32_t>(reader->Signed());
  group.dictionary = reader->Byte() != 0;
  group.bloom = static_cast<BloomKind>(reader->Byte());
  group.in_memory = reader->Byte() != 0;
  return group;
}

Status ValidateGroup(const LocalityGroupSchema& group) {
  RETURN_IF_ERROR(ValidateName("locality group", group.name, limits::kFamilyNameSizeMax));
  if (group.block_size < 1024 || group.block_size > limits::kBlockSizeMax) {
    return InvalidArgument(fmt::format("BLOCK_SIZE {} of locality group {} is outside 1 KiB to {}",
                                       group.block_size, group.name, limits::kBlockSizeMax));
  }
  if (group.compression_level < 1 || group.compression_level > 19) {
    return InvalidArgument(fmt::format("compression level {} of locality group {} is outside 1..19",
                                       group.compression_level, group.name));
  }
  if (group.compression > Compression::kZstd || group.bloom > BloomKind::kRowColumn) {
    return InvalidArgument(fmt::format(
        "locality group {}: this sippar does not know its compression ({}) or its kind of Bloom "
        "filter ({}); if a newer sippar wrote the schema, use that one",
        group.name, static_cast<int>(group.compression), static_cast<int>(group.bloom)));
  }
  return OkStatus();
}

// The earlier GC rules of all families are stored as a table option, because an older program reads
// options that it does not know, but no bytes after the schema.
constexpr const char* kEarlierGcOption = "EARLIER_GC";

// The families of type TEXT, separated by commas. Stored as an option for the same reason: an older
// program takes them for BYTES, which it does not check, and can still open the table. A family of
// another type in the list is one that an older program has dropped and made again.
constexpr const char* kTextOption = "TEXT_FAMILIES";

std::string EncodeTextFamilies(const std::vector<FamilySchema>& families) {
  std::string names;
  for (const FamilySchema& family : families) {
    if (family.type != FamilyType::kText) continue;
    if (!names.empty()) names += ',';
    names += family.name;
  }
  return names;
}

void DecodeTextFamilies(std::string_view names, TableSchema* schema) {
  const std::string list = ',' + std::string(names) + ',';
  for (FamilySchema& family : schema->families) {
    const bool is_listed = list.find(',' + family.name + ',') != std::string::npos;
    if (is_listed && family.type == FamilyType::kBytes) family.type = FamilyType::kText;
  }
}

// "" if no family has an earlier rule.
std::string EncodeEarlier(const std::vector<FamilySchema>& families) {
  std::string out;
  for (const FamilySchema& family : families) {
    if (family.earlier.empty()) continue;
    PutBytes(&out, family.name);
    PutVarint(&out, family.earlier.size());
    for (const EarlierGc& earlier : family.earlier) {
      PutVarint(&out, earlier.until_version);
      earlier.gc.Encode(&out);
    }
  }
  return out;
}

// False if the bytes are damaged. Leaves out a family that an older program has dropped.
bool DecodeEarlier(std::string_view bytes, TableSchema* schema) {
  Reader reader(bytes);
  while (reader.ok() && !reader.AtEnd()) {
    std::string name(reader.Bytes());
    std::vector<EarlierGc> rules;
    size_t count = reader.Count();
    for (size_t i = 0; i < count && reader.ok(); ++i) {
      uint64_t until_version = reader.Varint();
      rules.push_back({GcPolicy::Decode(&reader), until_version});
    }
    auto family = std::find_if(schema->families.begin(), schema->families.end(),
                               [&](const FamilySchema& known) { return known.name == name; });
    if (family != schema->families.end()) family->earlier = std::move(rules);
  }
  return reader.ok();
}

}  // namespace

std::string_view FamilyTypeName(FamilyType type) {
  static constexpr std::string_view kNames[] = {"BYTES",   "COUNTER",        "SUM", "MIN", "MAX",
                                                "UNIQUES", "UNIQUES(BYTES)", "TEXT"};
  return kNames[static_cast<size_t>(type)];
}

const FamilySchema* TableSchema::FindFamily(std::string_view family) const {
  for (const FamilySchema& candidate : families) {
    if (candidate.name == family) return &candidate;
  }
  return nullptr;
}

const LocalityGroupSchema* TableSchema::FindGroup(std::string_view group) const {
  for (const LocalityGroupSchema& candidate : groups) {
    if (candidate.name == group) return &candidate;
  }
  return nullptr;
}

LocalityGroupSchema* TableSchema::FindGroup(std::string_view group) {
  return const_cast<LocalityGroupSchema*>(std::as_const(*this).FindGroup(group));
}

const LocalityGroupSchema& TableSchema::GroupOf(std::string_view family) const {
  for (const LocalityGroupSchema& group : groups) {
    if (std::find(group.families.begin(), group.families.end(), family) != group.families.end()) {
      return group;
    }
  }
  // Reached only for a family that does not exist: Validate requires each family to be in a group.
  return groups.front();
}

std::vector<std::string> TableSchema::FamilyNames() const {
  std::vector<std::string> names;
  for (const FamilySchema& family : families) names.push_back(family.name);
  return names;
}

void TableSchema::DropFamily(std::string_view family) {
  std::erase_if(families, [family](const FamilySchema& each) { return each.name == family; });
  for (LocalityGroupSchema& group : groups) std::erase(group.families, family);
  options.erase(kValueTypeOption + std::string(family));
}

void TableSchema::Normalize() {
  // The schema keeps its families sorted by name, and they are shown and encoded in this order.
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::set<std::string> grouped;
  for (const LocalityGroupSchema& group : groups) {
    grouped.insert(group.families.begin(), group.families.end());
  }
  for (const FamilySchema& family : families) {
    if (grouped.contains(family.name)) continue;
    if (FindGroup(kDefaultGroup) == nullptr) {
      groups.emplace_back().name = kDefaultGroup;
    }
    FindGroup(kDefaultGroup)->families.push_back(family.name);
  }
  for (LocalityGroupSchema& group : groups) std::sort(group.families.begin(), group.families.end());
}

Status TableSchema::Validate() const {
  RETURN_IF_ERROR(ValidateTableName(name));
  if (families.size() > limits::kFamiliesPerTableMax) {
    return InvalidArgument(fmt::format("table {} has {} families; the limit is {}", name,
                                       families.size(), limits::kFamiliesPerTableMax));
  }
  std::set<std::string> names;
  for (const FamilySchema& family : families) {
    RETURN_IF_ERROR(ValidateFamilyName(family.name));
    if (!names.insert(family.name).second) {
      return InvalidArgument(fmt::format("family {} is named twice", family.name));
    }
    if (family.type > kLastFamilyType) {
      return InvalidArgument(
          fmt::format("family {} has type {}, which this sippar does not know; if a newer sippar "
                      "wrote the schema, use that one",
                      family.name, static_cast<int>(family.type)));
    }
    RETURN_IF_ERROR(Annotate(family.gc.Validate(), "family " + family.name));
  }
  std::set<std::string> grouped;
  std::set<std::string> group_names;
  for (const LocalityGroupSchema& group : groups) {
    RETURN_IF_ERROR(ValidateGroup(group));
    if (!group_names.insert(group.name).second) {
      return InvalidArgument(fmt::format("locality group {} is named twice", group.name));
    }
    for (const std::string& family : group.families) {
      if (!names.contains(family)) {
        return InvalidArgument(
            fmt::format("locality group {} names the unknown family {}", group.name, family));
      }
      if (!grouped.insert(family).second) {
        return InvalidArgument(fmt::format("family {} is in two locality groups", family));
      }
    }
  }
  for (const auto& family : names) {
    if (grouped.contains(family)) continue;
    return InvalidArgument(fmt::format(
        "family {} of table {} is in no locality group; put it into one", family, name));
  }
  return OkStatus();
}

std::string TableSchema::Encode() const {
  std::string out;
  PutBytes(&out, name);
  PutVarint(&out, families.size());
  for (const FamilySchema& family : families) {
    PutBytes(&out, family.name);
    const bool is_text = family.type == FamilyType::kText;
    out.push_back(static_cast<char>(is_text ? FamilyType::kBytes : family.type));
    family.gc.Encode(&out);
  }
  PutVarint(&out, groups.size());
  for (const LocalityGroupSchema& group : groups) EncodeGroup(group, &out);
  std::map<std::string, std::string> all_options = options;
  if (std::string earlier = EncodeEarlier(families); !earlier.empty()) {
    all_options[kEarlierGcOption] = std::move(earlier);
  }
  if (std::string text = EncodeTextFamilies(families); !text.empty()) {
    all_options[kTextOption] = std::move(text);
  }
  PutVarint(&out, all_options.size());
  for (const auto& [key, value] : all_options) {
    PutBytes(&out, key);
    PutBytes(&out, value);
  }
  // Incarnations are written only when needed, so that schemas without them stay readable by older
  // programs.
  bool any_anew = std::any_of(families.begin(), families.end(),
                              [](const FamilySchema& family) { return family.incarnation > 0; });
  if (!any_anew) return out;
  for (const FamilySchema& family : families) PutVarint(&out, family.incarnation);
  return out;
}

StatusOr<TableSchema> TableSchema::Decode(std::string_view bytes) {
  Reader reader(bytes);
  TableSchema schema;
  schema.name = reader.Bytes();
  size_t family_count = reader.Count();
  for (size_t i = 0; i < family_count; ++i) {
    FamilySchema& family = schema.families.emplace_back();
    family.name = reader.Bytes();
    family.type = static_cast<FamilyType>(reader.Byte());
    family.gc = GcPolicy::Decode(&reader);
  }
  size_t group_count = reader.Count();
  for (size_t i = 0; i < group_count; ++i) schema.groups.push_back(DecodeGroup(&reader));
  size_t option_count = reader.Count();
  for (size_t i = 0; i < option_count; ++i) {
    std::string key(reader.Bytes());
    schema.options[key] = reader.Bytes();
  }
  auto earlier = schema.options.extract(kEarlierGcOption);
  if (!earlier.empty() && !DecodeEarlier(earlier.mapped(), &schema)) reader.Fail();
  auto text = schema.options.extract(kTextOption);
  if (!text.empty()) DecodeTextFamilies(text.mapped(), &schema);
  bool any_anew = !reader.AtEnd();
  for (FamilySchema& family : schema.families) {
    if (any_anew) family.incarnation = reader.Varint();
  }
  if (!reader.AtEnd()) {
    return DataLoss("its schema cannot be decoded (bytes are missing or left over)");
  }
  RETURN_IF_ERROR(Annotate(schema.Validate(), "stored schema"));
  return schema;
}

Status ValidateTableName(std::string_view name) {
  if (size_t slash = name.find('/'); slash != std::string_view::npos) {
    size_t end = std::min(name.find('/', slash + 1), name.size());
    RETURN_IF_ERROR(ValidateProjectName(name.substr(0, slash)));
    RETURN_IF_ERROR(ValidateInstanceName(name.substr(slash + 1, end - slash - 1)));
    // A name that ends after the instance leaves "" here, which ValidateName refuses.
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  RETURN_IF_ERROR(ValidateName("table", name, limits::kTableNameSizeMax));
  // Cloud Bigtable does not allow these first characters either.
  if (name[0] == '-' || name[0] == '.') {
    return InvalidArgument(fmt::format("table name '{}' may not begin with '{}'", name, name[0]));
  }
  return OkStatus();
}

Status ValidateProjectName(std::string_view name) {
  std::string plain(name);  // "example.com:project" is a valid project name too
  std::replace(plain.begin(), plain.end(), ':', '.');
  return ValidateName("project", plain, kProjectNameSizeMax);
}

Status ValidateInstanceName(std::string_view name) {
  return ValidateName("instance", name, kInstanceNameSizeMax);
}

Status ValidateFamilyName(std::string_view name) {
  return ValidateName("family", name, limits::kFamilyNameSizeMax);
}

// Refuses the empty key, because as the limit of a range it means the end of the table (row_set.h).
Status ValidateRowKey(std::string_view row) {
  if (row.empty()) return InvalidArgument("row key is empty; 1 byte to 64 KiB are allowed");
  if (row.size() > limits::kRowKeySizeMax) {
    return InvalidArgument(fmt::format("row key '{}...' has {} bytes; the limit is {}",
                                       PrintableBytes(row.substr(0, 40)), row.size(),
                                       limits::kRowKeySizeMax));
  }
  return OkStatus();
}

Status ValidateQualifier(std::string_view qualifier) {
  if (qualifier.size() > limits::kQualifierSizeMax) {
    return InvalidArgument(fmt::format("qualifier '{}...' has {} bytes; the limit is {}",
                                       PrintableBytes(qualifier.substr(0, 40)), qualifier.size(),
                                       limits::kQualifierSizeMax));
  }
  return OkStatus();
}

}  // namespace sippar::engine
