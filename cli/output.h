// Where rows go and how they look: the settings of \format, \x, \o and of the command line, and the
// sink that formats rows into a file as they arrive. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cli/output_file.h"
#include "cli/progress.h"
#include "query/format/format.h"
#include "query/session/result.h"

namespace sippar::cli {

// Line format instead of box: never, always, or when a box would be too wide for the terminal.
enum class Expanded { kOff, kOn, kAuto };

struct OutputSettings {
  std::string format;  // "": box on a terminal, tsv otherwise
  query::FormatOptions options;
  Expanded expanded = Expanded::kAuto;
  // On a terminal, box and line show this many rows of a result, half of them its first and half
  // its last ones; 0: all.
  uint64_t rows_max = 0;
  // Box and line show times of cells as dates, not as microseconds.
  bool dates = false;
  bool timing = false;
  bool progress = true;  // shown on a terminal only
};

// The destination of rows: stdout, or the file that -o and \o name.
class Output {
 public:
  Output();
  // Closes a kAtOnce file. A kWhole file that was not closed never appears.
  ~Output();
  // Redirects to `path`; "" means stdout. kWhole: the file appears at Close(). kAtOnce: rows are
  // written as they arrive.
  [[nodiscard]] Status Redirect(const std::string& path, Appearance appearance);
  // Completes the file; later rows go to stdout.
  [[nodiscard]] Status Close();
  // False if the reader is gone, the disk is full, or the statement was interrupted. The first
  // write error is kept.
  bool Write(std::string_view text);
  [[nodiscard]] Status Flush();
  bool closed_pipe() const { return closed_pipe_; }
  bool is_terminal() const { return terminal_; }
  size_t screen_width() const;  // columns; 0 if not a terminal

 private:
  void Fail();  // records errno of a write to stdout

  std::unique_ptr<query::OutputFile> file_;  // null: stdout
  Appearance appearance_ = Appearance::kAtOnce;
  bool terminal_;
  Status failure_;
  bool closed_pipe_ = false;
};

class RowPrinter : public query::ResultSink {
 public:
  RowPrinter(const OutputSettings& settings, const std::string& table, Output* output);
  void Begin(const std::vector<query::ResultColumn>& columns) override;
  bool Rows(std::vector<query::Row> rows) override;
  void OnProgress(const query::Progress& progress) override { progress_.Show(progress); }
  // Prints the buffered rows and the foot. Call once, also after a failure (then `complete` is
  // false).
  [[nodiscard]] Status End(const std::string& next, bool complete);
  // The format's name: as set, or the default of the output; box may still be shown as line.
  std::string FormatName() const;
  uint64_t rows() const { return rows_; }
  uint64_t hidden() const { return hidden_; }  // rows left out of the middle
  bool has_columns() const { return begun_; }

 private:
  size_t BoxWidth() const;
  std::string ChooseFormat();
  bool Start();
  bool Emit();
  // Keeps a row that may be left out: a terminal shows only the first and the last rows of a long
  // result. Returns false if the row must be printed now.
  bool HoldBack(query::Row* row);
  // Turns times of cells into dates; called if the settings ask for it.
  void ShowDates(query::Row* row) const;

  const OutputSettings& settings_;
  query::FormatOptions options_;
  Output* output_;
  ProgressLine progress_;
  std::vector<std::string> columns_;
  std::vector<query::Row> waiting_;  // first rows, kept until \x auto has chosen
  std::deque<query::Row> last_;      // the last rows, taken by HoldBack
  uint64_t rows_max_ = 0;
  bool dates_ = false;
  uint64_t hidden_ = 0;
  std::unique_ptr<query::ResultFormatter> formatter_;
  std::string text_;
  Status status_;
  uint64_t rows_ = 0;
  bool begun_ = false;
  bool started_ = false;
};

}  // namespace sippar::cli
