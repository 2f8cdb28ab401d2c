// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/message.h"
#include "cli/signals.h"
#include "query/session/text_width.h"

namespace sippar::cli {
namespace {

// Limit of the rows that \x auto examines before it decides.
constexpr size_t kWaitingRowsMax = 200;
constexpr size_t kBufferMax = 256 << 10;  // formatted bytes that are gathered before a write
// The value of PIPE_BUF: poll() reports a pipe as writable if it has room for this many bytes.
constexpr size_t kPipeRoom = 4096;
constexpr int kLookEveryMs = 50;     // time between checks for Ctrl-C while stdout is full
constexpr size_t kBoxValueMax = 60;  // width of one value in a box on a terminal
constexpr size_t kLineValueMax = 2000;
// Limit of the time for which the printer holds back text that still fits the screen and may yet
// need the pager. After this time, a slow scan shows its rows without a pager.
constexpr int64_t kHeldMaxNs = 1'000'000'000;

// True if `path` is a terminal; "" means stdout.
bool IsTerminal(const std::string& path) {
  if (path.empty()) return isatty(STDOUT_FILENO) == 1;
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  int descriptor = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  bool is_terminal = descriptor >= 0 && isatty(descriptor) == 1;
  if (descriptor >= 0) close(descriptor);
  return is_terminal;
}

// Waits until stdout can take kPipeRoom bytes. Returns false if Ctrl-C or the timeout comes first.
// Without this wait, a write to a reader that has stopped would block and ignore Ctrl-C.
bool WaitForRoom() {
  pollfd out = {STDOUT_FILENO, POLLOUT, 0};
  while (poll(&out, 1, kLookEveryMs) <= 0) {
    if (InterruptSeen()) return false;
  }
  return true;
}

query::Value AsDate(const query::Value& micros) {
  bool is_number = micros.type() == query::ValueType::kInt64;
  return is_number ? query::Value::Timestamp(micros.integer()) : micros;
}

}  // namespace

Output::Output() : terminal_(IsTerminal("")) {}

Output::~Output() {
  if (appearance_ == Appearance::kAtOnce) (void)Close();
}

Status Output::Redirect(const std::string& path, Appearance appearance) {
  std::unique_ptr<query::OutputFile> file;
  if (!path.empty()) {
    ASSIGN_OR_RETURN(file, OpenOutputFile(path, appearance));
  }
  // The new file is opened before the old one is closed: if the opening fails, rows still go to the
  // old file.
  Status closed = Close();
  file_ = std::move(file);
  failure_ = OkStatus();  // an error of the old file does not concern the new one
  appearance_ = appearance;
  terminal_ = IsTerminal(path);
  return closed;
}

Status Output::Close() {
  Status written = Flush();
  if (file_ == nullptr) return written;
  std::unique_ptr<query::OutputFile> file = std::move(file_);
  terminal_ = IsTerminal("");
  return written.ok() ? file->Close() : written;
}

void Output::Drop() {
  file_.reset();
  failure_ = OkStatus();
  terminal_ = IsTerminal("");
}

bool Output::Write(std::string_view text) {
  if (!failure_.ok()) return false;
  if (pager_ != nullptr) return pager_->Write(text);
  if (file_ != nullptr) {
    // Only errno distinguishes a closed pipe from a full disk, because the status holds the reason
    // as text.
    errno = 0;
    failure_ = file_->Write(text);
    closed_pipe_ = !failure_.ok() && errno == EPIPE;
    return failure_.ok();
  }
  if (std::fflush(stdout) != 0) Fail();
  while (failure_.ok() && !text.empty()) {
    if (!WaitForRoom()) return false;
    ssize_t written = write(STDOUT_FILENO, text.data(), std::min(text.size(), kPipeRoom));
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      Fail();
    }
  }
  return failure_.ok();
}

void Output::Fail() {
  closed_pipe_ = errno == EPIPE;
  failure_ = FileError("stdout", "write");
}

Status Output::Flush() {
  bool wanted = failure_.ok() && file_ == nullptr;
  if (wanted && std::fflush(stdout) != 0) Fail();
  return failure_;
}

ScreenSize Output::screen() const {
  winsize size = {};
  if (!terminal_ || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

void Output::StartPager(const std::string& command, bool folds) {
  std::fflush(stdout);
  auto pager = Pager::Start(command, folds);
  if (pager.ok()) {
    pager_ = std::move(*pager);
  } else {
    PrintMessage("pager", MessageOf(pager.status()));
  }
}

void Output::Show(std::string_view text, const std::string& command) {
  const bool pages = is_screen() && !command.empty();
  if (pages && !FitsScreen(text, screen(), true)) StartPager(command, true);
  Write(text);
  EndPager();
}

RowPrinter::RowPrinter(const OutputSettings& settings, const std::string& table, Output* output,
                       bool follows)
    : settings_(settings),
      follows_(follows),
      options_(settings.options),
      output_(output),
      progress_(settings.progress && isatty(STDERR_FILENO) == 1) {
  if (!table.empty()) options_.table = table;
  options_.terminal = output->is_terminal();
  std::string format = FormatName();
  bool human = format == "box" || format == "line";
  if (human && output->is_terminal() && !follows) rows_max_ = settings.rows_max;
  dates_ = (human || (follows && settings.format.empty())) && settings.dates;
  may_page_ = output->is_screen() && !settings.pager.empty() && !follows;
  progress_.Start();
}

std::string RowPrinter::FormatName() const {
  if (!settings_.format.empty()) return settings_.format;
  if (!output_->is_terminal()) return "tsv";
  // A box is drawn only when all its rows are known, so following a table (TAIL) uses "plain".
  return follows_ ? "plain" : "box";
}

void RowPrinter::Notice(const std::string& notice) {
  fmt::print(stderr, "note: {}\n", engine::PrintEscaped(notice));
}

void RowPrinter::Begin(const std::vector<query::ResultColumn>& columns) {
  begun_ = true;
  for (const query::ResultColumn& column : columns) columns_.push_back(column.name);
}

// Draws a box of the waiting rows to measure it, because its width depends on its values.
size_t RowPrinter::BoxWidth() const {
  std::string probe;
  auto box = query::NewFormatter("box", options_);
  if (!box.ok() || !(*box)->Begin(columns_, &probe).ok()) return 0;
  for (const query::Row& row : waiting_) (*box)->Add(row, &probe);
  (*box)->End({}, &probe);
  return query::TextWidth(probe.substr(0, probe.find('\n')));
}

// Chooses between the formats box and line, and the width at which values are cut.
std::string RowPrinter::ChooseFormat() {
  std::string name = FormatName();
  const bool human = name == "box" || name == "line";
  const size_t screen = output_->screen().columns;
  const bool may_cut = human && screen > 0 && options_.value_width_max == 0;
  if (may_cut) options_.value_width_max = screen;
  // Values are cut only if whole values make the box too wide.
  if (may_cut && (name == "line" || BoxWidth() > screen)) options_.value_width_max = kBoxValueMax;
  const bool is_auto = settings_.expanded == Expanded::kAuto && screen > 0;
  if (name == "box" && settings_.expanded == Expanded::kOn) name = "line";
  if (name == "box" && is_auto && BoxWidth() > screen) name = "line";
  // Line format has more room for a value than a column of a box.
  if (name == "line" && may_cut) {
    options_.value_width_max = kLineValueMax;
  }
  folds_ = name != "box" && name != "markdown";
  return name;
}

// Formats the rows that waited until the format was chosen.
bool RowPrinter::Start() {
  started_ = true;
  auto formatter = query::NewFormatter(ChooseFormat(), options_);
  status_ = formatter.status();
  if (!status_.ok()) return false;
  formatter_ = std::move(*formatter);
  status_ = formatter_->Begin(columns_, &text_);
  if (!status_.ok()) return false;
  for (const query::Row& row : waiting_) formatter_->Add(row, &text_);
  waiting_.clear();
  return true;
}

bool RowPrinter::HoldsText(bool last) {
  if (!may_page_) return false;
  const int64_t now = engine::Clock::System()->MonotonicNanos();
  if (!FitsScreen(text_, output_->screen(), folds_)) {
    progress_.Wipe();
    output_->StartPager(settings_.pager, folds_);
  } else if (!last && (held_since_ns_ == 0 || now - held_since_ns_ < kHeldMaxNs)) {
    if (held_since_ns_ == 0) held_since_ns_ = now;
    return true;
  }
  may_page_ = false;
  return false;
}

bool RowPrinter::Emit(bool last) {
  left_pager_ = output_->LeftPager();
  if (left_pager_) return false;
  if (text_.empty() || HoldsText(last)) return true;
  progress_.Wipe();
  bool written = output_->Write(text_);
  text_.clear();
  left_pager_ = !written && output_->LeftPager();
  return written;
}

bool RowPrinter::HoldBack(query::Row* row) {
  if (rows_max_ == 0 || rows_ <= rows_max_ / 2) return false;
  last_.push_back(std::move(*row));
  if (last_.size() > rows_max_ - rows_max_ / 2) {
    last_.pop_front();
    ++hidden_;
  }
  return true;
}

void RowPrinter::ShowDates(query::Row* row) const {
  for (size_t i = 0; i < row->size() && i < columns_.size(); ++i) {
    query::Value& value = (*row)[i];
    if (columns_[i] == "timestamp") value = AsDate(value);
    if (value.type() != query::ValueType::kArray) continue;
    query::Value::Items versions = value.items();
    for (query::Value& version : versions) {
      if (version.type() != query::ValueType::kStruct || version.items().size() != 2) continue;
      version = query::Value::Struct({AsDate(version.items()[0]), version.items()[1]});
    }
    value = query::Value::Array(std::move(versions));
  }
}

bool RowPrinter::Rows(std::vector<query::Row> rows) {
  for (query::Row& row : rows) {
    if (InterruptSeen()) return false;
    if (dates_) ShowDates(&row);
    ++rows_;
    if (HoldBack(&row)) continue;
    if (!started_) {
      waiting_.push_back(std::move(row));
      if (waiting_.size() >= kWaitingRowsMax && !Start()) return false;
      continue;
    }
    if (!status_.ok()) return false;
    formatter_->Add(row, &text_);
    if (text_.size() > kBufferMax && !Emit(false)) return false;
  }
  // Rows wait only while the printer must choose between box and line. With any other format, the
  // printer starts at once.
  const bool has_choice = FormatName() == "box" && output_->is_terminal();
  if (!started_ && !has_choice && !Start()) return false;
  return status_.ok() && Emit(false);
}

Status RowPrinter::End(const std::string& next, bool complete) {
  progress_.Wipe();
  // If the statement failed before its first row, the header of an empty table is not printed.
  if (!begun_ || (!complete && rows_ == 0)) return OkStatus();
  if (!started_) Start();
  RETURN_IF_ERROR(status_);
  if (hidden_ > 0) formatter_->AddGap(hidden_, &text_);
  for (const query::Row& row : last_) formatter_->Add(row, &text_);
  query::FormatEnd end;
  end.next = next;
  formatter_->End(end, &text_);
  Emit(true);
  return output_->Flush();
}

}  // namespace sippar::cli
