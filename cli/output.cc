// Rows into files and terminals, see output.h. SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sippar::cli {
namespace {

constexpr size_t kWaitingRowsMax = 200;   // looked at before \x auto decides
constexpr size_t kBufferMax = 256 << 10;  // bytes formatted before they are written
constexpr size_t kBoxValueMax = 60;       // columns of one value on a terminal
constexpr size_t kLineValueMax = 2000;

}  // namespace

Output::Output() : file_(stdout), terminal_(isatty(STDOUT_FILENO) == 1) {}

Output::~Output() {
  if (file_ != stdout && file_ != nullptr) std::fclose(file_);
}

Status Output::Redirect(const std::string& path) {
  FILE* file = path.empty() ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return Status(StatusCode::kNotFound,
                  fmt::format("{}: cannot open for writing: {}", path, std::strerror(errno)));
  }
  RETURN_IF_ERROR(Flush());
  if (file_ != stdout) std::fclose(file_);
  file_ = file;
  path_ = path;
  terminal_ = isatty(fileno(file)) == 1;
  failed_ = false;
  return OkStatus();
}

bool Output::Write(std::string_view text) {
  if (failed_) return false;
  if (std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return true;
  error_ = errno;
  closed_pipe_ = error_ == EPIPE;
  failed_ = true;
  return false;
}

Status Output::Flush() {
  if (!failed_ && std::fflush(file_) != 0) {
    error_ = errno;
    closed_pipe_ = error_ == EPIPE;
    failed_ = true;
  }
  if (!failed_) return OkStatus();
  return Status(
      StatusCode::kUnavailable,
      fmt::format("{}: cannot write: {}", path_.empty() ? "stdout" : path_, std::strerror(error_)));
}

size_t Output::screen_width() const {
  winsize size = {};
  if (!terminal_ || ioctl(fileno(file_), TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

RowPrinter::RowPrinter(const OutputSettings& settings, const std::string& table, Output* output)
    : settings_(settings),
      options_(settings.options),
      output_(output),
      progress_(settings.progress && isatty(STDERR_FILENO) == 1) {
  if (!table.empty()) options_.table = table;
  progress_.Start();
}

std::string RowPrinter::FormatName() const {
  if (!settings_.format.empty()) return settings_.format;
  return output_->is_terminal() ? "box" : "tsv";
}

void RowPrinter::Begin(const std::vector<query::ResultColumn>& columns) {
  begun_ = true;
  for (const query::ResultColumn& column : columns) columns_.push_back(column.name);
}

// Chooses between box and line, then prints the rows that waited for it.
bool RowPrinter::Start() {
  started_ = true;
  std::string name = FormatName();
  bool human = name == "box" || name == "line";
  size_t screen = output_->screen_width();
  if (human && screen > 0 && options_.value_width_max == 0) options_.value_width_max = kBoxValueMax;
  if (name == "box" && settings_.expanded == Expanded::kOn) name = "line";
  if (name == "box" && settings_.expanded == Expanded::kAuto && screen > 0) {
    std::string probe;
    auto box = query::NewFormatter("box", options_);
    if (box.ok() && (*box)->Begin(columns_, &probe).ok()) {
      for (const query::Row& row : waiting_) (*box)->Add(row, &probe);
      (*box)->End({}, &probe);
      if (query::TextWidth(probe.substr(0, probe.find('\n'))) > screen) name = "line";
    }
  }
  if (name == "line" && options_.value_width_max == kBoxValueMax) {
    options_.value_width_max = kLineValueMax;
  }
  auto formatter = query::NewFormatter(name, options_);
  status_ = formatter.status();
  if (!status_.ok()) return false;
  formatter_ = std::move(*formatter);
  status_ = formatter_->Begin(columns_, &text_);
  if (!status_.ok()) return false;
  for (const query::Row& row : waiting_) formatter_->Add(row, &text_);
  waiting_.clear();
  return true;
}

bool RowPrinter::Emit() {
  if (text_.empty()) return true;
  progress_.Wipe();
  bool written = output_->Write(text_);
  text_.clear();
  return written;
}

bool RowPrinter::Rows(std::vector<query::Row> rows) {
  rows_ += rows.size();
  for (query::Row& row : rows) {
    if (!started_) {
      waiting_.push_back(std::move(row));
      if (waiting_.size() >= kWaitingRowsMax && !Start()) return false;
      continue;
    }
    if (!status_.ok()) return false;
    formatter_->Add(row, &text_);
    if (text_.size() > kBufferMax && !Emit()) return false;
  }
  return status_.ok() && Emit();
}

Status RowPrinter::End(const std::string& next, bool complete) {
  progress_.Wipe();
  if (!begun_ || (!complete && rows_ == 0)) return OkStatus();
  if (!started_) Start();
  RETURN_IF_ERROR(status_);
  query::FormatEnd end;
  end.next = next;
  formatter_->End(end, &text_);
  Emit();
  return output_->Flush();
}

}  // namespace sippar::cli
