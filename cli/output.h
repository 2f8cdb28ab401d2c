// Where rows go and how they look: the settings of \format, \x, \o and of the command line, and the
// sink that formats rows into a file as they come. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "query/format/format.h"
#include "query/result.h"

namespace sippar::cli {

enum class Expanded { kOff, kOn, kAuto };  // line format: never, always, when a box is too wide

struct OutputSettings {
  std::string format;  // "" chooses: box on a terminal, tsv otherwise
  query::FormatOptions options;
  Expanded expanded = Expanded::kAuto;
  bool timing = false;
  bool progress = true;  // only ever on a terminal
};

// The file behind rows: stdout, or what -o and \o name.
class Output {
 public:
  Output();
  ~Output();
  // "" is stdout again.
  [[nodiscard]] Status Redirect(const std::string& path);
  // False when the reader is gone or the disk is full; the first failure stays.
  bool Write(std::string_view text);
  [[nodiscard]] Status Flush();
  bool closed_pipe() const { return closed_pipe_; }
  bool is_terminal() const { return terminal_; }
  size_t screen_width() const;  // 0 when not a terminal

 private:
  FILE* file_;
  std::string path_;
  bool terminal_;
  bool failed_ = false;
  bool closed_pipe_ = false;
  int error_ = 0;
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
  bool has_columns() const { return begun_; }

 private:
  bool Start();
  bool Emit();
  std::string FormatName() const;

  const OutputSettings& settings_;
  query::FormatOptions options_;
  Output* output_;
  ProgressLine progress_;
  std::vector<std::string> columns_;
  std::vector<query::Row> waiting_;  // \x auto decides by the first rows
  std::unique_ptr<query::ResultFormatter> formatter_;
  std::string text_;
  Status status_;
  uint64_t rows_ = 0;
  bool begun_ = false;
  bool started_ = false;
};

}  // namespace sippar::cli
