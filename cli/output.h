// The destination and the format of rows: the settings of \format, \x, \o and the command line, and
// the sink that formats rows into a file as they arrive. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cli/output_file.h"
#include "cli/pager.h"
#include "cli/progress.h"
#include "query/format/format.h"
#include "query/session/result.h"

namespace sippar::cli {

// When to use line format instead of box: never, always, or if a box would be too wide for the
// terminal.
enum class Expanded { kOff, kOn, kAuto };

struct OutputSettings {
  std::string format;  // "": box on a terminal (for TAIL plain), tsv otherwise
  query::FormatOptions options;
  Expanded expanded = Expanded::kAuto;
  // On a terminal, the formats box and line show at most this many rows of a result: half from its
  // beginning and half from its end; 0: all.
  uint64_t rows_max = 0;
  // Box and line show cell timestamps as dates, not as microseconds.
  bool dates = false;
  bool timing = false;
  bool progress = true;  // shown on a terminal only
  std::string pager;     // command that shows results larger than the screen; "": no pager
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
  // Discards a kWhole file, so that the old file stays; later rows go to stdout.
  void Drop();
  bool is_redirected() const { return file_ != nullptr; }
  // Returns false if the reader has closed the pipe, the user has left the pager, the disk is full,
  // or the statement was interrupted. The first write error is kept.
  bool Write(std::string_view text);
  [[nodiscard]] Status Flush();
  bool closed_pipe() const { return closed_pipe_; }
  bool is_terminal() const { return terminal_; }
  bool is_screen() const { return terminal_ && !is_redirected(); }  // stdout is a terminal
  ScreenSize screen() const;  // zero columns if rows go to no terminal

  // From now on, sends terminal output to the pager `command`. If the pager cannot start, prints a
  // message and changes nothing.
  void StartPager(const std::string& command, bool folds);
  bool has_pager() const { return pager_ != nullptr; }
  // True if the user has left a pager that was started.
  bool LeftPager() { return pager_ != nullptr && pager_->HasEnded(); }
  // Waits until the user leaves the pager, if there is one.
  void EndPager() { pager_.reset(); }
  // Writes all of `text`, through the pager `command` if it does not fit the screen.
  void Show(std::string_view text, const std::string& command);

 private:
  void Fail();  // records errno after a failed write to stdout

  std::unique_ptr<query::OutputFile> file_;  // null: stdout
  std::unique_ptr<Pager> pager_;             // null: no pager runs
  Appearance appearance_ = Appearance::kAtOnce;
  bool terminal_;
  Status failure_;
  bool closed_pipe_ = false;
};

class RowPrinter : public query::ResultSink {
 public:
  // `follows`: rows arrive until the user stops the statement (TAIL), and each is shown as it
  // arrives.
  RowPrinter(const OutputSettings& settings, const std::string& table, Output* output,
             bool follows = false);
  void Notice(const std::string& notice) override;  // goes to stderr
  void Begin(const std::vector<query::ResultColumn>& columns) override;
  bool Rows(std::vector<query::Row> rows) override;
  void OnProgress(const query::Progress& progress) override {
    // The screen belongs to the pager while it runs.
    if (!output_->has_pager()) progress_.Show(progress);
  }
  // Prints the buffered rows and the footer. Must be called once, also after a failure (`complete`
  // is then false).
  [[nodiscard]] Status End(const std::string& next, bool complete);
  // The name of the format that the user chose, or of the default for this output. If it is "box",
  // the printer may still use "line" instead.
  std::string FormatName() const;
  uint64_t rows() const { return rows_; }
  uint64_t hidden() const { return hidden_; }  // rows left out from the middle of the result
  bool has_columns() const { return begun_; }
  bool left_pager() const { return left_pager_; }  // the user left the pager before the last row

 private:
  size_t BoxWidth() const;
  std::string ChooseFormat();
  bool Start();
  // Writes the formatted text, unless it is held back until the printer knows whether it fits the
  // screen. `last`: no more text follows.
  bool Emit(bool last);
  bool HoldsText(bool last);
  // Keeps a row that may be left out, because a terminal shows only the first and the last rows of
  // a long result. Returns false if the row must be printed now.
  bool HoldBack(query::Row* row);
  // Converts cell timestamps into dates; called if the settings ask for it.
  void ShowDates(query::Row* row) const;

  const OutputSettings& settings_;
  bool follows_;
  query::FormatOptions options_;
  Output* output_;
  ProgressLine progress_;
  std::vector<std::string> columns_;
  std::vector<query::Row> waiting_;  // first rows, kept until the format is chosen
  std::deque<query::Row> last_;      // last rows, kept by HoldBack
  uint64_t rows_max_ = 0;
  bool dates_ = false;
  uint64_t hidden_ = 0;
  std::unique_ptr<query::ResultFormatter> formatter_;
  std::string text_;
  bool may_page_ = false;  // true if a pager starts when the text becomes larger than the screen
  bool folds_ = false;     // true if long lines wrap: in all formats but box and markdown
  int64_t held_since_ns_ = 0;  // time of the first text held back; 0: no text is held back
  bool left_pager_ = false;
  Status status_;
  uint64_t rows_ = 0;
  bool begun_ = false;
  bool started_ = false;
};

}  // namespace sippar::cli
