// Where rows go and how they look: the settings of \format, \x, \o and of the command line, and the
// sink that formats rows into a file as they come. SPDX-License-Identifier: Apache-2.0
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

enum class Expanded { kOff, kOn, kAuto };  // line format: never, always, when a box is too wide

struct OutputSettings {
  std::string format;  // "" chooses: box on a terminal, tsv otherwise
  query::FormatOptions options;
  Expanded expanded = Expanded::kAuto;
  uint64_t rows_max = 0;  // on a terminal, in box and line: the first and the last half; 0: all
  bool dates = false;     // in box and line: times of cells as dates, not microseconds
  bool timing = false;
  bool progress = true;  // only ever on a terminal
};

// Where rows go: stdout, or the file that -o and \o name.
class Output {
 public:
  Output();
  ~Output();  // what is kAtOnce is closed, what is kWhole and not closed never appears
  // "" is stdout again. kWhole: the file is there after Close(); kAtOnce: as rows come.
  [[nodiscard]] Status Redirect(const std::string& path, Appearance appearance);
  // The file is complete, and rows go to stdout again.
  [[nodiscard]] Status Close();
  // False when the reader is gone or the disk is full; the first failure stays.
  bool Write(std::string_view text);
  [[nodiscard]] Status Flush();
  bool closed_pipe() const { return closed_pipe_; }
  bool is_terminal() const { return terminal_; }
  size_t screen_width() const;  // 0 when not a terminal

 private:
  void Fail();  // by errno, of stdout

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
  // Prints what is buffered and the foot. Call once, also after a failure (`complete` false).
  [[nodiscard]] Status End(const std::string& next, bool complete);
  uint64_t rows() const { return rows_; }
  uint64_t hidden() const { return hidden_; }  // of these, not shown
  bool has_columns() const { return begun_; }

 private:
  bool Start();
  bool Emit();
  // Keeps the last rows of a result that is longer than the terminal is to show. False: show it.
  bool HoldBack(query::Row* row);
  // Times of cells as dates, where settings ask for it.
  void ShowDates(query::Row* row) const;
  std::string FormatName() const;

  const OutputSettings& settings_;
  query::FormatOptions options_;
  Output* output_;
  ProgressLine progress_;
  std::vector<std::string> columns_;
  std::vector<query::Row> waiting_;  // \x auto decides by the first rows
  std::deque<query::Row> last_;      // of what HoldBack keeps
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
