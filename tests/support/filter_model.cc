// Runs a row filter on the model: each filter maps a list of cells to a list of cells.
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/filter_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/printable.h"
#include "engine/model/whole_regex.h"

namespace sippar::engine {
namespace {

using Cells = std::vector<ModelCell>;

void SortByPosition(Cells* cells) {
  std::stable_sort(cells->begin(), cells->end(),
                   [](const ModelCell& a, const ModelCell& b) { return a.position < b.position; });
}

bool Found(const std::string& regex, const std::string& text) {
  return (*WholeRegex::Compile(regex))->Matches(text);
}

bool Passes(const RowFilter& filter, const Cell& cell) {
  switch (filter.kind) {
    case RowFilter::kRowKeyRegex:
      return Found(filter.text, cell.row);
    case RowFilter::kFamilyRegex:
      return Found(filter.text, cell.family);
    case RowFilter::kQualifierRegex:
      return Found(filter.text, cell.qualifier);
    case RowFilter::kValueRegex:
      return Found(filter.text, cell.value);
    case RowFilter::kColumnRange:
      return cell.family == filter.text && filter.range.Contains(cell.qualifier);
    case RowFilter::kValueRange:
      return filter.range.Contains(cell.value);
    case RowFilter::kTimeRange:
      return filter.time.Contains(cell.timestamp_us);
    case RowFilter::kValueBitmask:
      return cell.value.size() == filter.text.size() &&
             std::equal(cell.value.begin(), cell.value.end(), filter.text.begin(),
                        [](char value, char mask) { return (value & mask) == mask; });
    default:
      return filter.kind != RowFilter::kBlockAll;
  }
}

bool HasDifferentCopies(const Cells& cells) {
  return std::adjacent_find(cells.begin(), cells.end(), [](const auto& a, const auto& b) {
           return a.position == b.position && (a.label != b.label || a.cell.value != b.cell.value);
         }) != cells.end();
}

struct Result {
  Cells cells;  // cells that sinks have received
  bool is_open = false;
};

Cells Run(const RowFilter& filter, const Cells& in, Result* result) {
  Cells out;
  if (filter.kind == RowFilter::kRowOffset || filter.kind == RowFilter::kRowLimit ||
      filter.kind == RowFilter::kColumnLimit) {
    result->is_open |= HasDifferentCopies(in);
  }
  switch (filter.kind) {
    case RowFilter::kChain:
      out = in;
      for (const RowFilter& link : filter.filters) out = Run(link, out, result);
      return out;
    case RowFilter::kInterleave:
      for (const RowFilter& branch : filter.filters) {
        Cells part = Run(branch, in, result);
        out.insert(out.end(), part.begin(), part.end());
      }
      SortByPosition(&out);
      return out;
    case RowFilter::kCondition:
      return Run(filter.filters[Run(filter.filters[0], in, result).empty() ? 2 : 1], in, result);
    case RowFilter::kSink:
      result->cells.insert(result->cells.end(), in.begin(), in.end());
      return {};
    case RowFilter::kRowOffset:
      return {in.begin() + std::min<ptrdiff_t>(filter.count, std::ssize(in)), in.end()};
    case RowFilter::kRowLimit:
      return {in.begin(), in.begin() + std::min<ptrdiff_t>(filter.count, std::ssize(in))};
    default:
      break;
  }
  std::map<std::pair<std::string, std::string>, uint32_t> in_column;
  for (ModelCell cell : in) {
    if (!Passes(filter, cell.cell)) continue;
    if (filter.kind == RowFilter::kColumnLimit &&
        in_column[{cell.cell.family, cell.cell.qualifier}]++ >= filter.count) {
      continue;
    }
    if (filter.kind == RowFilter::kStripValue) cell.cell.value.clear();
    if (filter.kind == RowFilter::kLabel) cell.label = filter.text;
    out.push_back(std::move(cell));
  }
  return out;
}

BytesRange RandomRange(Random* random, const std::vector<std::string>& texts) {
  std::string a = texts[random->Uniform(texts.size())];
  std::string b = texts[random->Uniform(texts.size())];
  BytesRange range{std::min(a, b), std::max(a, b)};
  if (random->OneIn(3)) range.limit.reset();
  return range;
}

RowFilter RandomLeaf(Random* random) {
  static const std::vector<std::string> kNames = {"",  "a",  "a.b", "a\\.b", "c", "n",   "q",
                                                  "r", "q1", "q.*", "[ar]",  ".", "a|c", "\\C*"};
  static const std::vector<std::string> kTexts = {"", "q", "q1", "r", "v", "vvvv", "\xff"};
  auto kind = static_cast<RowFilter::Kind>(random->Uniform(RowFilter::kValueBitmask + 1));
  RowFilter leaf = RowFilter::Text(kind, kNames[random->Uniform(kNames.size())]);
  leaf.count = static_cast<uint32_t>(random->Uniform(5));
  leaf.range = RandomRange(random, kTexts);
  if (kind == RowFilter::kTimeRange) {
    leaf.time.start_us = 1'000 + static_cast<int64_t>(random->Uniform(100));
    if (random->OneIn(2)) leaf.time.limit_us = leaf.time.start_us + 30;
  }
  if (kind == RowFilter::kLabel) leaf.text = "label";
  if (kind == RowFilter::kValueBitmask) leaf.text = std::string(8, '\1');
  bool is_inner = kind == RowFilter::kChain || kind == RowFilter::kInterleave ||
                  kind == RowFilter::kCondition || kind == RowFilter::kRowSample;
  return is_inner ? RowFilter() : leaf;
}

RowFilter RandomTree(Random* random, int depth) {
  if (depth == 0 || random->OneIn(3)) return RandomLeaf(random);
  uint64_t kind = random->Uniform(4);
  size_t size = kind == 3 ? 3 : random->Uniform(4);
  std::vector<RowFilter> inner;
  for (size_t i = 0; i < size; ++i) inner.push_back(RandomTree(random, depth - 1));
  return RowFilter::List(kind == 3   ? RowFilter::kCondition
                         : kind == 2 ? RowFilter::kInterleave
                                     : RowFilter::kChain,
                         std::move(inner));
}

}  // namespace

std::vector<ModelCell> RunFilterModel(const RowFilter& filter, const std::vector<Cell>& row,
                                      bool* is_open) {
  Cells in;
  for (const Cell& cell : row) in.push_back({cell, "", in.size()});
  Result result;
  Cells out = Run(filter, in, &result);
  out.insert(out.end(), result.cells.begin(), result.cells.end());
  SortByPosition(&out);
  *is_open |= result.is_open;
  return out;
}

std::string PrintModelCells(std::vector<ModelCell> cells) {
  std::sort(cells.begin(), cells.end(), [](const ModelCell& a, const ModelCell& b) {
    return std::tie(a.position, a.label, a.cell.value) <
           std::tie(b.position, b.label, b.cell.value);
  });
  std::string text;
  for (const ModelCell& each : cells) {
    text += fmt::format("{}:{}@{}={} {}\n", each.cell.family, PrintableBytes(each.cell.qualifier),
                        each.cell.timestamp_us, PrintableBytes(each.cell.value), each.label);
  }
  return text;
}

RowFilter RandomFilter(Random* random) {
  for (;;) {
    RowFilter filter = RandomTree(random, 4);
    if (filter.Validate().ok()) return filter;
  }
}

}  // namespace sippar::engine
