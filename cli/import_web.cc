// Webtable import. SPDX-License-Identifier: Apache-2.0
#include "cli/import_web.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/web/link_extractor.h"
#include "engine/base/limits.h"
#include "engine/base/thread.h"

namespace sippar::cli {
namespace {

constexpr size_t kBatchBytes = 4 << 20;  // one ApplyBatch: enough to share a sync, small in memory

std::vector<std::string_view> SplitTabs(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

// One job: takes pages in turn, writes them in batches.
class ImportJob {
 public:
  ImportJob(cluster::Client* client, const ImportWebOptions& options, ImportProgress* progress,
            const std::function<void(const ManifestLine&, const Status&)>& fail)
      : client_(client), options_(options), progress_(progress), fail_(fail) {}

  void AddPage(const ManifestLine& page) {
    int64_t start = client_->clock()->MonotonicNanos();
    auto bytes =
        engine::ReadFile(fs_.get(), options_.corpus + "/" + page.path, limits::kValueSizeMax);
    if (!bytes.ok()) return fail_(page, bytes.status());
    engine::RowMutation& mutation = NewRow(page.row, page);
    mutation.Set("contents", "", *bytes, page.timestamp_us);
    mutation.Set("meta", "type", page.content_type, page.timestamp_us);
    mutation.Set("meta", "length", std::to_string(bytes->size()), page.timestamp_us);
    mutation.Set("meta", "package", page.package, page.timestamp_us);
    if (page.content_type == "text/html") AddFacts(page, *bytes);
    progress_->parse_nanos += client_->clock()->MonotonicNanos() - start;
    ++progress_->pages;
    progress_->page_bytes += bytes->size();
    if (batch_bytes_ >= kBatchBytes) Write();
  }

  void Write() {
    if (batch_.empty()) return;
    int64_t start = client_->clock()->MonotonicNanos();
    std::vector<Status> statuses = client_->data()->ApplyBatch(options_.table, batch_);
    for (size_t i = 0; i < statuses.size(); ++i) {
      if (statuses[i].ok()) {
        progress_->cells += batch_[i].entries.size();
      } else {
        fail_(*sources_[i], Annotate(statuses[i], "row " + batch_[i].row));
      }
    }
    progress_->write_nanos += client_->clock()->MonotonicNanos() - start;
    batch_.clear();
    sources_.clear();
    batch_bytes_ = 0;
  }

 private:
  engine::RowMutation& NewRow(const std::string& row, const ManifestLine& source) {
    sources_.push_back(&source);
    return batch_.emplace_back(row);
  }

  void AddFacts(const ManifestLine& page, const std::string& html) {
    std::string host_path = HostPathOfRowKey(page.row);
    PageFacts facts = ExtractPage(html, "http://" + host_path);
    if (!facts.language.empty()) {
      batch_.back().Set("language", "", facts.language, page.timestamp_us);
    }
    batch_bytes_ += batch_.back().ByteSize();
    std::set<std::string> targets;
    for (const PageLink& link : facts.links) {
      std::string row = RowKeyOfUrl(link.target);
      bool storable = !row.empty() && row.size() <= limits::kRowKeySizeMax &&
                      host_path.size() <= limits::kQualifierSizeMax;
      // One cell per (target, source): the first link counts; a page does not vouch for itself.
      if (!storable || row == page.row || !targets.insert(row).second) continue;
      NewRow(row, page).Set("anchor", host_path, link.text, page.timestamp_us);
      batch_bytes_ += batch_.back().ByteSize();
      ++progress_->anchors;
    }
  }

  cluster::Client* client_;
  const ImportWebOptions& options_;
  ImportProgress* progress_;
  const std::function<void(const ManifestLine&, const Status&)>& fail_;
  std::unique_ptr<engine::FileSystem> fs_ = engine::NewPosixFileSystem();
  std::vector<engine::RowMutation> batch_;
  std::vector<const ManifestLine*> sources_;
  size_t batch_bytes_ = 0;
};

Status EnsureTable(cluster::Client* client, const std::string& name) {
  auto table = client->admin()->GetTable(name);
  if (table.status().code() == StatusCode::kNotFound) {
    return client->admin()->CreateTable(WebTableSchema(name), {});
  }
  RETURN_IF_ERROR(table.status());
  for (const char* family : {"anchor", "contents", "language", "meta"}) {
    if (table->schema.FindFamily(family) == nullptr) {
      return FailedPrecondition(fmt::format(
          "table {} has no family {}; a Webtable needs anchor, contents, language and meta: name "
          "another with --table",
          name, family));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<ManifestLine>> ReadManifest(const std::string& corpus) {
  std::string path = corpus + "/manifest.tsv";
  auto fs = engine::NewPosixFileSystem();
  auto text = engine::ReadFile(fs.get(), path);
  if (!text.ok()) {
    return Annotate(text.status(), "a corpus is a directory with manifest.tsv in it");
  }
  std::vector<ManifestLine> manifest;
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty()) continue;
    std::vector<std::string_view> fields = SplitTabs(line);
    ManifestLine entry;
    auto bad = [&](std::string_view what) {
      return InvalidArgument(fmt::format("{}:{}: {}", path, number, what));
    };
    if (fields.size() != 5) {
      return bad(fmt::format("{} fields; expected 5: row key, path, type, timestamp (us), package",
                             fields.size()));
    }
    auto parsed =
        std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), entry.timestamp_us);
    if (parsed.ec != std::errc() || parsed.ptr != fields[3].data() + fields[3].size()) {
      return bad(fmt::format("timestamp '{}' is no number of microseconds", fields[3]));
    }
    Status key = engine::ValidateRowKey(fields[0]);
    if (!key.ok()) return bad(MessageOf(key));
    entry.row = fields[0];
    entry.path = fields[1];
    entry.content_type = fields[2];
    entry.package = fields[4];
    entry.line = number;
    manifest.push_back(std::move(entry));
  }
  return manifest;
}

engine::TableSchema WebTableSchema(const std::string& name) {
  engine::TableSchema schema;
  schema.name = name;
  for (const char* family : {"anchor", "contents", "language", "meta"}) {
    schema.families.emplace_back().name = family;
  }
  auto group = [&](const char* group_name, std::vector<std::string> families) {
    engine::LocalityGroupSchema& added = schema.groups.emplace_back();
    added.name = group_name;
    added.families = std::move(families);
  };
  group("page", {"contents"});
  group("link", {"anchor"});
  group("about", {"language", "meta"});
  return schema;
}

Status ImportWeb(cluster::Client* client, const ImportWebOptions& options,
                 const std::vector<ManifestLine>& manifest, const std::atomic<bool>& cancel,
                 ImportProgress* progress,
                 const std::function<void(const std::string&)>& complain) {
  RETURN_IF_ERROR(EnsureTable(client, options.table));
  engine::Mutex complain_mutex;
  std::function<void(const ManifestLine&, const Status&)> fail = [&](const ManifestLine& page,
                                                                     const Status& status) {
    ++progress->failed;
    engine::MutexLock lock(&complain_mutex);
    complain(fmt::format("manifest.tsv:{}: {}", page.line, MessageOf(status)));
  };
  std::atomic<size_t> next{0};
  {
    std::vector<engine::Thread> threads;
    for (int i = 0; i < std::max(1, options.jobs); ++i) {
      threads.emplace_back("import-" + std::to_string(i), [&] {
        ImportJob job(client, options, progress, fail);
        for (size_t page = next++; page < manifest.size() && !cancel; page = next++) {
          if (options.all_types || manifest[page].content_type == "text/html") {
            job.AddPage(manifest[page]);
          }
        }
        job.Write();
      });
    }
  }
  RETURN_IF_ERROR(client->admin()->Flush(options.table));
  if (cancel)
    return Cancelled("interrupted; the same command goes on where it was, nothing is lost");
  return OkStatus();
}

}  // namespace sippar::cli
