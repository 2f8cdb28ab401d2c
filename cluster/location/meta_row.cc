// SPDX-License-Identifier: Apache-2.0
#include "cluster/location/meta_row.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>

#include "cluster/location/set_aside.h"
#include "engine/base/coding.h"
#include "engine/base/limits.h"
#include "engine/base/printable.h"

namespace sippar::cluster {
namespace {

using engine::GcPolicy;
using engine::NamePattern;
using engine::Reader;
using engine::RowRange;
using engine::TabletState;

constexpr size_t kTableIdSize = 8;
constexpr std::string_view kRootMagic = "SPRROOT1";
// Limits of PROTOCOL.md for the events of a tablet: 30 days, and the last 50 of a kind.
constexpr int64_t kEventAgeUs = int64_t{30} * 24 * 3600 * 1'000'000;
constexpr uint32_t kEventVersions = 50;
constexpr char kDeathsColumn[] = "state:deaths";
constexpr char kSetAsideColumn[] = "state:set_aside";
constexpr char kYes[] = "yes";
constexpr std::array<std::string_view, 4> kPhases = {"unassigned", "assigned", "recovering",
                                                     "merging"};

std::string TableKey(uint64_t table_id) {
  std::string key;
  engine::PutBig64(&key, table_id);
  return key;
}

// The columns of one row by "family:qualifier". Decoding goes on after an error with empty values;
// `status` then has the first error.
class Columns {
 public:
  Columns(std::string_view row, std::map<std::string, std::string> cells)
      : row_(row), cells_(std::move(cells)) {}

  const std::string* Find(const std::string& column) const {
    auto found = cells_.find(column);
    return found == cells_.end() ? nullptr : &found->second;
  }
  const std::string& Text(const std::string& column) {
    static const std::string kNone;
    const std::string* value = Find(column);
    if (value == nullptr) Fail(column, "is missing");
    return value == nullptr ? kNone : *value;
  }
  uint64_t Number(const std::string& column) {
    const std::string& text = Text(column);
    uint64_t number = 0;
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || text.empty()) {
      Fail(column, "is not a number");
    }
    return number;
  }
  ServerId Server(const std::string& column, std::string_view text) {
    auto server = ServerId::Parse(text);
    if (server.ok()) return *server;
    Fail(column, MessageOf(server.status()));
    return {};
  }
  TabletState State(const std::string& column, std::string_view bytes) {
    auto state = TabletState::Decode(bytes);
    if (state.ok()) return *std::move(state);
    Fail(column, MessageOf(state.status()));
    return {};
  }
  void Fail(const std::string& column, std::string_view what) {
    if (!status_.ok()) return;
    status_ = DataLoss(fmt::format("METADATA row {}: its column {} {}",
                                   engine::PrintableBytes(row_), column, what));
  }
  const Status& status() const { return status_; }

 private:
  std::string_view row_;
  std::map<std::string, std::string> cells_;
  Status status_;
};

// Calls `word` for each word of `text`; a single blank separates words.
template <typename Word>
void ForEachWord(std::string_view text, Word word) {
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The tablet state without the parts that only columns of their own have: groups (files:<group>)
// and redo point (log:redo).
std::string EncodeCore(const TabletState& state) {
  TabletState core = state;
  core.groups.clear();
  core.redo_sequence = 0;
  return core.Encode();
}

std::string EncodeGroup(const engine::GroupState& group) {
  TabletState only;
  only.groups.push_back(group);
  return only.Encode();
}

std::string EncodeSplit(const std::optional<SplitRecord>& split) {
  std::string out;
  if (!split) return out;
  engine::PutBytes(&out, split->left.Encode());
  engine::PutBytes(&out, split->right.Encode());
  return out;
}

std::optional<SplitRecord> DecodeSplit(MetaPart part, Columns* columns) {
  const std::string& bytes = columns->Text("state:split");
  if (bytes.empty()) return std::nullopt;
  Reader reader(bytes);
  SplitRecord split;
  split.left = columns->State("state:split", reader.Bytes());
  split.right = columns->State("state:split", reader.Bytes());
  if (!reader.AtEnd() || split.left.range.limit != split.right.range.start) {
    columns->Fail("state:split", "cannot be decoded");
  }
  if (part == MetaPart::kPlace) {
    split.left.groups.clear();
    split.right.groups.clear();
  }
  return split;
}

TabletState DecodeState(MetaPart part, Columns* columns) {
  TabletState state = columns->State("state:tablet_state", columns->Text("state:tablet_state"));
  if (part == MetaPart::kPlace) return state;
  state.redo_sequence = columns->Number("log:redo");
  ForEachWord(columns->Text("state:groups"), [&](std::string_view name) {
    std::string column = fmt::format("files:{}", name);
    TabletState only = columns->State(column, columns->Text(column));
    if (only.groups.size() == 1 && only.groups[0].name == name) {
      state.groups.push_back(std::move(only.groups[0]));
    } else {
      columns->Fail(column,
                    "does not hold the files of exactly the locality group that it is named after");
    }
  });
  return state;
}

TabletPhase DecodePhase(Columns* columns) {
  const std::string& name = columns->Text("state:phase");
  for (size_t i = 0; i < kPhases.size(); ++i) {
    if (kPhases[i] == name) return static_cast<TabletPhase>(i);
  }
  columns->Fail("state:phase", "is not the name of a phase");
  return TabletPhase::kUnassigned;
}

// Rows that earlier versions of the program wrote do not have these columns: nothing is suspected
// of their tablets.
TabletSuspicion DecodeSuspicion(Columns* columns) {
  TabletSuspicion suspicion;
  if (const std::string* set_aside = columns->Find(kSetAsideColumn)) {
    suspicion.set_aside = *set_aside == kYes;
  }
  if (const std::string* text = columns->Find(kDeathsColumn)) {
    auto deaths = DecodeDeaths(*text);
    if (!deaths.ok()) columns->Fail(kDeathsColumn, MessageOf(deaths.status()));
    if (deaths.ok()) suspicion.deaths = *std::move(deaths);
  }
  return suspicion;
}

StatusOr<TabletRecord> DecodeRecord(uint64_t table_id, const std::string& limit, MetaPart part,
                                    Columns* columns) {
  TabletRecord record;
  record.table_id = table_id;
  record.range = {columns->Text("state:start"), limit};
  record.tablet_id = columns->Number("state:tablet");
  record.tablet_epoch = columns->Number("state:epoch");
  record.change = columns->Number("state:change");
  record.phase = DecodePhase(columns);
  record.server = columns->Server("location:server", columns->Text("location:server"));
  record.state = DecodeState(part, columns);
  record.split = DecodeSplit(part, columns);
  record.suspicion = DecodeSuspicion(columns);
  if (part == MetaPart::kWhole) {
    ForEachWord(columns->Text("log:sealed"), [&](std::string_view server) {
      record.logs.push_back(columns->Server("log:sealed", server));
    });
  }
  // These facts are stored twice: in columns of their own and in the tablet state. If the two
  // disagree, the row is damaged.
  bool same = record.state.tablet_id == record.tablet_id && record.state.table_id == table_id &&
              record.state.range == record.range;
  if (!same) columns->Fail("state:tablet_state", "does not agree with the other columns");
  if (record.range.IsEmpty()) columns->Fail("state:start", "is not below the end of the tablet");
  RETURN_IF_ERROR(columns->status());
  return record;
}

}  // namespace

// 0x01 sorts after 0x00, so the record of a table's last tablet follows all its others.
std::string MetaRowKey(uint64_t table_id, std::string_view limit) {
  std::string key = TableKey(table_id);
  key.push_back(limit.empty() ? '\1' : '\0');
  return key.append(limit);
}

Status ParseMetaRowKey(std::string_view key, uint64_t* table_id, std::string* limit) {
  bool whole = key.size() > kTableIdSize;
  char kind = whole ? key[kTableIdSize] : '\2';
  bool infinite = kind == '\1' && key.size() == kTableIdSize + 1;
  bool finite = kind == '\0' && key.size() > kTableIdSize + 1;
  if (!infinite && !finite) {
    return DataLoss(
        fmt::format("METADATA row '{}': its key is not a table id and the end of a tablet",
                    engine::PrintableBytes(key)));
  }
  *table_id = engine::GetBig64(key.data());
  *limit = key.substr(kTableIdSize + 1);
  return OkStatus();
}

// A tablet's limit is above all its rows, so the lowest possible key is that of the limit directly
// after `row`.
RowRange MetaRowsFrom(uint64_t table_id, std::string_view row) {
  return {MetaRowKey(table_id, engine::RowSuccessor(row)), TableKey(table_id + 1)};
}

RowRange MetaRowsBefore(uint64_t table_id, std::string_view limit) {
  return {MetaRowKey(table_id, limit), TableKey(table_id + 1)};
}

RowRange MetaRowsOf(uint64_t first_table, uint64_t last_table) {
  return {TableKey(first_table), last_table == ~uint64_t{0} ? "" : TableKey(last_table + 1)};
}

Status CheckLimit(std::string_view limit) {
  constexpr size_t kLimitMax = limits::kRowKeySizeMax - kTableIdSize - 1;
  if (limit.size() <= kLimitMax) return OkStatus();
  return InvalidArgument(
      fmt::format("a tablet cannot end at a row key of {} bytes: the limit is {}, because its row "
                  "key in METADATA also contains the table id; split at a shorter key",
                  limit.size(), kLimitMax));
}

// The root tablet contains the records of METADATA's own tablets (table 1) and ends after the last
// possible key of such a record.
RowRange RootRange() { return {"", TableKey(kMetadataTableId + 1)}; }

engine::TableSchema MetadataSchema() {
  engine::TableSchema schema;
  schema.name = kMetadataName;
  for (const char* family : {"files", "location", "log", "state"}) {
    schema.families.push_back({family, engine::FamilyType::kBytes, GcPolicy::MaxVersions(1)});
  }
  GcPolicy of_events =
      GcPolicy::Union({GcPolicy::MaxVersions(kEventVersions), GcPolicy::MaxAge(kEventAgeUs)});
  schema.families.push_back({"events", engine::FamilyType::kBytes, std::move(of_events)});
  engine::LocalityGroupSchema place;
  place.name = "place";
  place.families = {"location", "state"};
  place.in_memory = true;
  schema.groups.push_back(std::move(place));
  schema.Normalize();
  return schema;
}

std::string_view PhaseName(TabletPhase phase) { return kPhases[static_cast<size_t>(phase)]; }

std::string GroupNames(const TabletRecord& record) {
  std::string names;
  for (const engine::GroupState& group : record.state.groups) {
    if (!names.empty()) names.push_back(' ');
    names.append(group.name);
  }
  return names;
}

std::vector<MetaCell> EncodeMetaRow(const TabletRecord& record) {
  std::string sealed;
  for (const ServerId& server : record.logs) {
    if (!sealed.empty()) sealed.push_back(' ');
    sealed.append(server.ToString());
  }
  std::vector<MetaCell> cells = {
      {"location", "server", record.server.ToString()},
      {"state", "tablet", std::to_string(record.tablet_id)},
      {"state", "epoch", std::to_string(record.tablet_epoch)},
      {"state", "change", std::to_string(record.change)},
      {"state", "phase", std::string(PhaseName(record.phase))},
      {"state", "start", record.range.start},
      {"state", "tablet_state", EncodeCore(record.state)},
      {"state", "groups", GroupNames(record)},
      {"state", "split", EncodeSplit(record.split)},
      {"log", "redo", std::to_string(record.state.redo_sequence)},
      {"log", "sealed", std::move(sealed)},
  };
  for (const engine::GroupState& group : record.state.groups) {
    cells.push_back({"files", group.name, EncodeGroup(group)});
  }
  if (record.suspicion) {
    const TabletSuspicion& suspicion = *record.suspicion;
    cells.push_back({"state", "deaths", EncodeDeaths(suspicion.deaths)});
    cells.push_back({"state", "set_aside", suspicion.set_aside ? kYes : ""});
  }
  return cells;
}

// Events outlive their tablet. They are not read here, so that a row with events alone yields no
// cells and does not look like a damaged record.
engine::ReadSpec MetaReadSpec(const RowRange& rows, MetaPart part) {
  engine::ReadSpec read;
  read.rows = engine::RowSet(rows);
  read.versions_per_column = 1;
  for (const char* family : {"location", "state", "files", "log"}) {
    // `location` and `state` come first in the list and suffice to call a tablet.
    if (part == MetaPart::kPlace && read.columns.size() == 2) break;
    read.columns.push_back({NamePattern::Exact(family), NamePattern::Any()});
  }
  return read;
}

Status DecodeMetaRows(engine::CellStream* cells, MetaPart part,
                      const std::function<bool(TabletRecord record)>& visit) {
  while (cells->Valid()) {
    std::string row(cells->cell().row);
    std::map<std::string, std::string> columns;
    for (; cells->Valid() && cells->cell().row == row; cells->Next()) {
      const engine::CellView& cell = cells->cell();
      columns.emplace(fmt::format("{}:{}", cell.family, cell.qualifier), cell.value);
    }
    RETURN_IF_ERROR(cells->status());  // after an error, cells of this row may be missing
    uint64_t table_id = 0;
    std::string limit;
    RETURN_IF_ERROR(ParseMetaRowKey(row, &table_id, &limit));
    Columns of_row(row, std::move(columns));
    ASSIGN_OR_RETURN(TabletRecord record, DecodeRecord(table_id, limit, part, &of_row));
    if (!visit(std::move(record))) return OkStatus();
  }
  return cells->status();
}

std::string EncodeRootFile(const TabletRecord& record) {
  std::string out(kRootMagic);
  for (const MetaCell& cell : EncodeMetaRow(record)) {
    engine::PutBytes(&out, fmt::format("{}:{}", cell.family, cell.qualifier));
    engine::PutBytes(&out, cell.value);
  }
  return out;
}

StatusOr<TabletRecord> DecodeRootFile(std::string_view content, uint64_t version) {
  if (!content.starts_with(kRootMagic)) return DataLoss("it is not a root tablet's record");
  Reader reader(content.substr(kRootMagic.size()));
  std::map<std::string, std::string> columns;
  while (reader.ok() && !reader.AtEnd()) {
    std::string column(reader.Bytes());
    columns[column] = reader.Bytes();
  }
  if (!reader.ok()) return DataLoss("its columns cannot be decoded");
  Columns of_root("root", std::move(columns));
  ASSIGN_OR_RETURN(TabletRecord record,
                   DecodeRecord(kMetadataTableId, RootRange().limit, MetaPart::kWhole, &of_root));
  if (!IsRoot(record.table_id, record.range))
    return DataLoss("it is the record of another tablet than the root tablet");
  record.change = version;
  return record;
}

std::pair<TabletRecord, TabletRecord> ChildrenOf(const TabletRecord& record) {
  auto child = [&](const TabletState& state) {
    TabletRecord part = record;
    part.range = state.range;
    part.tablet_id = state.tablet_id;
    part.state = state;
    part.logs.clear();
    part.split.reset();
    return part;
  };
  return {child(record.split->left), child(record.split->right)};
}

}  // namespace sippar::cluster
