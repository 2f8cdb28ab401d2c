// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/workload.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <map>
#include <memory>

#include "cli/bench/latency_histogram.h"
#include "engine/base/thread.h"

namespace sippar::cli {
namespace {

constexpr int64_t kSampleMicros = 100'000;

double CpuMicros() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  auto micros = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

using Counters = std::map<std::string, uint64_t>;

// Sum of the counters whose name ends with `ending`.
uint64_t Sum(const Counters& counters, std::string_view ending) {
  uint64_t sum = 0;
  for (const auto& [name, value] : counters) sum += name.ends_with(ending) ? value : 0;
  return sum;
}

// Returns how much the counters whose names end with `ending` grew between two readings. If another
// process opens the directory in between, the counters start at 0 again, so their sum in `after`
// may be smaller.
uint64_t Growth(const Counters& before, const Counters& after, std::string_view ending) {
  const uint64_t from = Sum(before, ending);
  const uint64_t to = Sum(after, ending);
  return to > from ? to - from : 0;
}

class WorkloadRun {
 public:
  WorkloadRun(cluster::Client* client, const Workload& workload, const BenchOptions& options,
              const ValuePool& values, const std::atomic<bool>& cancel)
      : client_(client),
        workload_(workload),
        options_(options),
        values_(values),
        cancel_(cancel),
        meters_(options.threads),
        running_(options.threads) {}

  StatusOr<WorkloadResult> Run(const WorkloadProgress& progress);

 private:
  // The counts of one client. Each Meter has its own cache line, because its client writes it at
  // every call.
  struct alignas(64) Meter {
    std::atomic<uint64_t> done{0};
    uint64_t found = 0;
    LatencyHistogram latencies;
  };

  void RunClient(uint64_t client);
  Status Write(uint64_t first, uint64_t limit, engine::Random* random, Meter* meter);
  Status Read(uint64_t first, uint64_t limit, engine::Random* random, Meter* meter);
  Status Scan(uint64_t first, uint64_t limit, Meter* meter);
  Status CheckValue(const engine::CellView& cell) const;
  engine::ReadSpec ReadOf(engine::RowRange rows) const;
  void Watch(const WorkloadProgress& progress);
  void TakeSample();
  Counters Metrics() const;
  uint64_t Done() const;
  bool Stopped() const { return cancel_ || failed_; }
  int64_t Now() const { return client_->clock()->MonotonicNanos(); }
  double Seconds() const { return static_cast<double>(Now() - start_) / 1e9; }

  cluster::Client* client_;
  const Workload& workload_;
  const BenchOptions& options_;
  const ValuePool& values_;
  const std::atomic<bool>& cancel_;
  std::vector<Meter> meters_;
  int64_t start_ = 0;
  std::atomic<bool> failed_{false};
  engine::Mutex mutex_;
  engine::CondVar ended_;
  uint64_t running_ GUARDED_BY(mutex_);
  Status status_ GUARDED_BY(mutex_);  // the first error

  // Only the thread that runs Watch uses the members below.
  Counters metrics_;  // counters at the last sample
  uint64_t sampled_rows_ = 0;
  std::vector<WorkloadSample> samples_;
};

// Approximate while clients run, exact after they have ended.
uint64_t WorkloadRun::Done() const {
  uint64_t done = 0;
  for (const Meter& meter : meters_) done += meter.done.load(std::memory_order_relaxed);
  return done;
}

Status WorkloadRun::Write(uint64_t first, uint64_t limit, engine::Random* random, Meter* meter) {
  std::vector<engine::RowMutation> batch;
  for (uint64_t i = first; i < limit && !Stopped();) {
    batch.clear();
    for (; batch.size() < options_.batch && i < limit; ++i) {
      uint64_t row = workload_.kind == Workload::kWriteSeq ? i : random->Uniform(workload_.rows);
      batch.emplace_back(BenchKey(row).text()).Set(workload_.family, "q", values_.At(i));
    }
    // The batch is built before the clock starts: only the call is measured.
    int64_t start = Now();
    if (batch.size() == 1) {
      RETURN_IF_ERROR(client_->data()->Apply(kBenchTable, batch[0]));
    } else {
      for (const Status& status : client_->data()->ApplyBatch(kBenchTable, batch)) {
        RETURN_IF_ERROR(status);
      }
    }
    meter->latencies.Add(Now() - start);
    meter->done.fetch_add(batch.size(), std::memory_order_relaxed);
  }
  return OkStatus();
}

engine::ReadSpec WorkloadRun::ReadOf(engine::RowRange rows) const {
  engine::ReadSpec read;
  read.rows = engine::RowSet(std::move(rows));
  read.columns = {engine::ColumnPattern::Exact(workload_.family, "q")};
  return read;
}

Status WorkloadRun::CheckValue(const engine::CellView& cell) const {
  if (cell.value.size() == options_.value_size) return OkStatus();
  return DataLoss(fmt::format("row {} of table {} has a value of {} bytes; {} were written",
                              cell.row, kBenchTable, cell.value.size(), options_.value_size));
}

Status WorkloadRun::Read(uint64_t first, uint64_t limit, engine::Random* random, Meter* meter) {
  for (uint64_t i = first; i < limit && !Stopped(); ++i) {
    BenchKey row(workload_.kind == Workload::kReadSeq ? i : random->Uniform(workload_.rows));
    std::string key(row.text());
    // A key between two existing keys. It lies inside the key range of the files, so only a Bloom
    // filter can save the read.
    if (workload_.kind == Workload::kReadMissing) key += '.';
    int64_t start = Now();
    ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> cells,
                     client_->data()->Read(kBenchTable, ReadOf(engine::RowRange::Single(key)), {}));
    RETURN_IF_ERROR(cells->status());
    if (cells->Valid()) {
      RETURN_IF_ERROR(CheckValue(cells->cell()));
      ++meter->found;
    }
    meter->latencies.Add(Now() - start);
    meter->done.fetch_add(1, std::memory_order_relaxed);
  }
  return OkStatus();
}

Status WorkloadRun::Scan(uint64_t first, uint64_t limit, Meter* meter) {
  engine::RowRange rows{std::string(BenchKey(first).text()), std::string(BenchKey(limit).text())};
  int64_t start = Now();
  ASSIGN_OR_RETURN(std::unique_ptr<engine::CellStream> cells,
                   client_->data()->Read(kBenchTable, ReadOf(std::move(rows)), {}));
  while (cells->Valid() && !Stopped()) {
    RETURN_IF_ERROR(CheckValue(cells->cell()));
    ++meter->found;
    cells->Next();
    int64_t now = Now();
    meter->latencies.Add(now - start);
    meter->done.fetch_add(1, std::memory_order_relaxed);
    start = now;
  }
  return cells->status();
}

// Client c of n works on the c-th part of the rows.
void WorkloadRun::RunClient(uint64_t client) {
  uint64_t first = workload_.rows / options_.threads * client;
  uint64_t limit =
      client + 1 == options_.threads ? workload_.rows : first + workload_.rows / options_.threads;
  // The seed depends on the workload, so that random reads do not touch the same rows in the same
  // order as an earlier random fill.
  uint64_t stream = static_cast<uint64_t>(workload_.kind) << 32 | client;
  engine::Random random(options_.seed ^ engine::Random(stream).Next());
  Meter* meter = &meters_[client];
  Status status;
  if (workload_.writes()) {
    status = Write(first, limit, &random, meter);
  } else if (workload_.kind == Workload::kScan) {
    status = Scan(first, limit, meter);
  } else {
    status = Read(first, limit, &random, meter);
  }
  engine::MutexLock lock(&mutex_);
  if (!status.ok() && status_.ok()) status_ = status;
  if (!status.ok()) failed_ = true;
  if (--running_ == 0) ended_.NotifyAll();
}

// Returns the current counters, or those of the last sample if the call fails; the next sample then
// covers both intervals.
Counters WorkloadRun::Metrics() const {
  return client_->admin()->Do(cluster::calls::Metrics{}).value_or(metrics_);
}

void WorkloadRun::TakeSample() {
  Counters metrics = Metrics();
  WorkloadSample& sample = samples_.emplace_back();
  double before = samples_.size() == 1 ? 0 : samples_[samples_.size() - 2].seconds;
  uint64_t done = Done();
  sample.seconds = Seconds();
  sample.ops_per_s = static_cast<double>(done - sampled_rows_) / (sample.seconds - before);
  sample.flushes = Growth(metrics_, metrics, "flushes");
  sample.compactions = Growth(metrics_, metrics, "compactions");
  sampled_rows_ = done;
  metrics_ = std::move(metrics);
}

void WorkloadRun::Watch(const WorkloadProgress& progress) {
  for (;;) {
    {
      engine::MutexLock lock(&mutex_);
      int64_t until = Now() + kSampleMicros * 1000;
      // A wait may end early without a reason, so the time is checked again.
      for (int64_t now = Now(); running_ > 0 && now < until; now = Now()) {
        ended_.WaitFor(&mutex_, (until - now) / 1000 + 1);
      }
      if (running_ == 0) return;
    }
    TakeSample();
    progress(workload_, sampled_rows_, samples_.back().seconds);
  }
}

StatusOr<WorkloadResult> WorkloadRun::Run(const WorkloadProgress& progress) {
  metrics_ = Metrics();
  const Counters at_start = metrics_;
  double cpu_before = CpuMicros();
  start_ = Now();
  {
    std::vector<engine::Thread> clients;
    for (uint64_t i = 0; i < options_.threads; ++i) {
      clients.emplace_back("bench-client", [this, i] { RunClient(i); });
    }
    Watch(progress);
  }
  // The last sample covers the time since the last full interval.
  TakeSample();
  {
    engine::MutexLock lock(&mutex_);
    RETURN_IF_ERROR(status_);
  }
  WorkloadResult result;
  result.workload = workload_.name;
  result.rows = Done();
  result.threads = options_.threads;
  result.sync = options_.sync;
  result.seconds = samples_.back().seconds;
  result.ops_per_s = static_cast<double>(result.rows) / result.seconds;
  auto all = std::make_unique<LatencyHistogram>();
  for (const Meter& meter : meters_) {
    all->Merge(meter.latencies);
    result.found += meter.found;
  }
  result.p50_us = all->Micros(0.5);
  result.p99_us = all->Micros(0.99);
  result.p999_us = all->Micros(0.999);
  if (result.rows > 0) {
    result.cpu_us_per_op = (CpuMicros() - cpu_before) / static_cast<double>(result.rows);
  }
  result.bytes_written = Growth(at_start, metrics_, "bytes_written");
  result.samples = std::move(samples_);
  return result;
}

}  // namespace

StatusOr<WorkloadResult> RunWorkload(cluster::Client* client, const Workload& workload,
                                     const BenchOptions& options, const ValuePool& values,
                                     const std::atomic<bool>& cancel,
                                     const WorkloadProgress& progress) {
  return WorkloadRun(client, workload, options, values, cancel).Run(progress);
}

}  // namespace sippar::cli
