// Script: runs a file or stdin as a stream. Each statement runs as soon as it is complete, so the
// memory depends on the longest statement and not on the size of the script. Not thread safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/statement_runner.h"

namespace sippar::cli {

// Runs a shell command (\format …) and returns its exit code.
using MetaRunner = std::function<int(std::string_view line)>;

class Script {
 public:
  Script(StatementRunner* runner, MetaRunner meta, bool keep_going)
      : runner_(runner), meta_(std::move(meta)), keep_going_(keep_going) {}

  // Both return an exit code. After a failure the remaining statements are skipped unless
  // keep_going is set.
  int RunText(std::string_view text, const std::string& name);
  int RunFile(const std::string& path);  // "-" is stdin

 private:
  int RunDescriptor(int descriptor, const std::string& name);
  // Runs the complete statements in buffer_ and keeps the rest. `last`: no more input follows, so
  // the rest is a statement as well.
  int RunBuffer(const std::string& name, bool last);
  // Runs the first statement, or several statements that can share a sync; *done is their number.
  int RunSome(std::span<const query::StatementText> statements, const ScriptPlace& place,
              size_t* done);

  StatementRunner* runner_;
  MetaRunner meta_;
  bool keep_going_;
  std::string buffer_;
  int first_line_ = 1;
  int failed_ = 0;
};

}  // namespace sippar::cli
