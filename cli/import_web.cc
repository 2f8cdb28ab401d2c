// SPDX-License-Identifier: Apache-2.0
#include "cli/import_web.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/web/page_rows.h"
#include "cluster/node/target.h"
#include "engine/base/thread.h"

namespace sippar::cli {
namespace {

// Size of one ApplyBatch in bytes: large enough that many rows share a sync of the log, but small
// enough for the memory.
constexpr size_t kBatchBytes = 4 << 20;

Status EnsureTable(cluster::Client* client, const std::string& name) {
  auto table = client->admin()->Do(cluster::calls::GetTable{name});
  if (table.status().code() == StatusCode::kNotFound) {
    return client->admin()->Do(cluster::calls::CreateTable{WebTableSchema(name), {}});
  }
  RETURN_IF_ERROR(table.status());
  for (const char* family : {"anchor", "contents", "language", "meta"}) {
    if (table->schema.FindFamily(family) == nullptr) {
      return FailedPrecondition(fmt::format(
          "table {} has no family {}; a Webtable needs anchor, contents, language and meta: name "
          "another table with --table",
          name, family));
    }
  }
  return OkStatus();
}

// The whole import, shared by its jobs. Each job takes the next page, parses it and writes in
// batches, so that memory holds at most jobs * (kBatchBytes + one page).
class WebImport {
 public:
  WebImport(cluster::Client* client, const ImportWebOptions& options,
            const std::vector<ManifestLine>& pages, const std::atomic<bool>& cancel,
            ImportProgress* progress, const std::function<void(const std::string&)>& complain)
      : client_(client),
        options_(options),
        pages_(pages),
        cancel_(cancel),
        progress_(progress),
        complain_(complain) {}

  Status Run() {
    {
      std::vector<engine::Thread> threads;
      for (int i = 0; i < std::max(1, options_.jobs); ++i) {
        threads.emplace_back("import-" + std::to_string(i), [this] { RunJob(); });
      }
    }
    // The threads have been joined, so no lock is needed.
    return failure_;
  }

 private:
  struct Batch {
    std::vector<engine::RowMutation> rows;
    std::vector<const ManifestLine*> sources;  // the page of each row
    size_t byte_size = 0;
  };

  void RunJob() {
    Batch batch;
    for (size_t i = next_++; i < pages_.size() && !cancel_ && !stopped_; i = next_++) {
      if (!options_.all_types && pages_[i].content_type != "text/html") continue;
      AddPage(pages_[i], &batch);
      if (batch.byte_size >= kBatchBytes) Write(&batch);
    }
    // Pages that were parsed are written even after an interruption, so that the counts are true.
    Write(&batch);
  }

  void AddPage(const ManifestLine& page, Batch* batch) {
    auto read = ReadPage(fs_.get(), options_.corpus, page);
    if (!read.ok()) return FailPage(page, read.status());
    ++progress_->pages;
    progress_->page_bytes += read->page_bytes;
    progress_->links += read->rows.size() - 1;
    batch->byte_size += read->byte_size;
    batch->sources.insert(batch->sources.end(), read->rows.size(), &page);
    std::move(read->rows.begin(), read->rows.end(), std::back_inserter(batch->rows));
  }

  void Write(Batch* batch) {
    if (batch->rows.empty() || stopped_) return;
    int64_t start = client_->clock()->MonotonicNanos();
    std::vector<Status> statuses = client_->data()->ApplyBatch(options_.table, batch->rows);
    progress_->write_nanos += client_->clock()->MonotonicNanos() - start;
    for (size_t i = 0; i < statuses.size(); ++i) {
      if (statuses[i].ok()) {
        progress_->cells += batch->rows[i].entries.size();
        // kInvalidArgument means that the page is at fault (a key or value that is too large). Any
        // other error would occur again for every page, so it ends the import.
      } else if (statuses[i].code() == StatusCode::kInvalidArgument) {
        FailPage(*batch->sources[i], Annotate(statuses[i], "row " + batch->rows[i].row));
      } else {
        Stop(statuses[i]);
        break;
      }
    }
    *batch = Batch();
  }

  void FailPage(const ManifestLine& page, const Status& status) {
    ++progress_->failed;
    engine::MutexLock lock(&mutex_);
    complain_(fmt::format("{}/manifest.tsv:{}: {}", options_.corpus, page.line, MessageOf(status)));
  }

  void Stop(const Status& status) {
    engine::MutexLock lock(&mutex_);
    if (failure_.ok()) failure_ = status;
    stopped_ = true;
  }

  cluster::Client* client_;
  const ImportWebOptions& options_;
  const std::vector<ManifestLine>& pages_;
  const std::atomic<bool>& cancel_;
  ImportProgress* progress_;
  std::unique_ptr<engine::FileSystem> fs_ = cluster::FileSystemOf(options_.corpus);
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  engine::Mutex mutex_;
  const std::function<void(const std::string&)>& complain_ GUARDED_BY(mutex_);
  Status failure_ GUARDED_BY(mutex_);
};

}  // namespace

Status ImportWeb(cluster::Client* client, const ImportWebOptions& options,
                 const std::vector<ManifestLine>& pages, const std::atomic<bool>& cancel,
                 ImportProgress* progress,
                 const std::function<void(const std::string&)>& complain) {
  RETURN_IF_ERROR(EnsureTable(client, options.table));
  WebImport import(client, options, pages, cancel, progress, complain);
  constexpr const char* kHowToResume = "what was written stays; run the same command to go on";
  Status status = import.Run();
  if (!status.ok()) return {status.code(), fmt::format("{} ({})", MessageOf(status), kHowToResume)};
  RETURN_IF_ERROR(client->admin()->Do(cluster::calls::Flush{options.table}));
  if (cancel) return Cancelled(fmt::format("interrupted; {}", kHowToResume));
  return OkStatus();
}

}  // namespace sippar::cli
