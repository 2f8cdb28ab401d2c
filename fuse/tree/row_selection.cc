// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/row_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/check.h"
#include "engine/base/coding.h"

namespace sippar::fuse {
namespace {

constexpr std::string_view kHomes[] = {".prefix", ".range", ".where", ".first"};
constexpr std::string_view kBetween = "..";  // separator between the two keys of a range

enum class Step : uint8_t { kRange = 1, kWhere = 2, kFirst = 3 };

Status NotDecodable(std::string_view home, std::string_view name) {
  return InvalidArgument(
      fmt::format("{}/{}: the name cannot be decoded; write % as %25, and any other byte as % and "
                  "two upper-case "
                  "hex digits",
                  home, name));
}

// The bytes that a name encodes; std::nullopt for a long name, which does not contain its whole
// key.
std::optional<std::string> KeyOf(const NameCodec& codec, std::string_view name) {
  std::optional<DecodedName> decoded = codec.Decode(name);
  if (!decoded.has_value() || decoded->is_long) return std::nullopt;
  return std::move(decoded->key);
}

// Encodes one end of a range as part of a name. Escapes dots that could be taken for kBetween.
std::string SpellEnd(const NameCodec& codec, const std::string& key) {
  if (key.empty()) return "";
  std::string name = codec.Encode(key);
  for (size_t at = name.find(kBetween); at != std::string::npos; at = name.find(kBetween, at)) {
    name.replace(at + 1, 1, "%2E");
  }
  if (name.ends_with('.')) name.replace(name.size() - 1, 1, "%2E");
  return name;
}

void PutStep(std::string* selection, Step step) { selection->push_back(static_cast<char>(step)); }

void PutRange(std::string* selection, const engine::RowRange& range) {
  PutStep(selection, Step::kRange);
  engine::PutBytes(selection, range.start);
  engine::PutBytes(selection, range.limit);
}

StatusOr<SelectionStep> PrefixStep(const NameCodec& codec, std::string_view name) {
  std::optional<std::string> prefix = KeyOf(codec, name);
  if (!prefix.has_value()) return NotDecodable(".prefix", name);
  SelectionStep step{codec.Encode(*prefix), {}};
  PutRange(&step.selection, engine::RowRange::Prefix(*prefix));
  return step;
}

StatusOr<SelectionStep> RangeStep(const NameCodec& codec, std::string_view name) {
  size_t between = name.find(kBetween);
  if (between == std::string_view::npos) {
    return InvalidArgument(
        fmt::format(".range/{}: the range is not valid; write START..LIMIT, where the limit is not "
                    "in the range "
                    "and either may be left out",
                    name));
  }
  std::string_view ends[] = {name.substr(0, between), name.substr(between + kBetween.size())};
  engine::RowRange range;
  for (auto [text, key] : {std::pair(ends[0], &range.start), std::pair(ends[1], &range.limit)}) {
    if (text.empty()) continue;
    std::optional<std::string> decoded = KeyOf(codec, text);
    if (!decoded.has_value()) return NotDecodable(".range", name);
    *key = *std::move(decoded);
  }
  if (range.IsEmpty()) {
    return InvalidArgument(
        fmt::format(".range/{}: its start is not before its limit; exchange them", name));
  }
  SelectionStep step;
  step.canonical = SpellEnd(codec, range.start) + std::string(kBetween);
  step.canonical += SpellEnd(codec, range.limit);
  if (step.canonical.size() > kNameSizeMax) return NotDecodable(".range", name);
  PutRange(&step.selection, range);
  return step;
}

StatusOr<SelectionStep> WhereStep(const NameCodec& codec, std::string_view name) {
  std::optional<std::string> test = KeyOf(codec, name);
  if (!test.has_value()) return NotDecodable(".where", name);
  SelectionStep step{codec.Encode(*test), {}};
  PutStep(&step.selection, Step::kWhere);
  engine::PutBytes(&step.selection, *test);
  return step;
}

StatusOr<SelectionStep> FirstStep(std::string_view name) {
  uint64_t count = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), count);
  bool is_number = error == std::errc() && end == name.data() + name.size() && count > 0;
  if (!is_number) {
    return InvalidArgument(
        fmt::format(".first/{}: the number of rows is not valid; write 1 or more", name));
  }
  SelectionStep step{std::to_string(count), {}};
  PutStep(&step.selection, Step::kFirst);
  engine::PutVarint(&step.selection, count);
  return step;
}

}  // namespace

bool IsSelectionHome(std::string_view name) {
  return std::find(std::begin(kHomes), std::end(kHomes), name) != std::end(kHomes);
}

RowSelection DecodeSelection(std::string_view bytes) {
  RowSelection selection;
  for (engine::Reader reader(bytes); !reader.AtEnd(); ++selection.steps) {
    switch (static_cast<Step>(reader.Byte())) {
      case Step::kRange: {
        engine::RowRange range;
        range.start = reader.Bytes();
        range.limit = reader.Bytes();
        selection.range = Intersect(selection.range, range);
        break;
      }
      case Step::kWhere:
        selection.tests.emplace_back(reader.Bytes());
        break;
      case Step::kFirst:
        selection.rows_max = reader.Varint();
        break;
      default:
        CHECK(false);  // never reached, because AddStep wrote these bytes in this process
    }
  }
  return selection;
}

StatusOr<SelectionStep> AddStep(const NameCodec& codec, std::string_view selection,
                                std::string_view home, std::string_view name) {
  // Programs look up names such as .git and .hidden in every directory, so such a lookup must not
  // be logged as an error.
  bool is_probe = name.starts_with('.') && !(home == ".range" && name.starts_with(kBetween));
  if (is_probe) return NotFound(fmt::format("entry {} not found", name));
  StatusOr<SelectionStep> step = home == ".prefix"  ? PrefixStep(codec, name)
                                 : home == ".range" ? RangeStep(codec, name)
                                 : home == ".where" ? WhereStep(codec, name)
                                                    : FirstStep(name);
  if (step.ok()) step->selection.insert(0, selection);
  return step;
}

}  // namespace sippar::fuse
