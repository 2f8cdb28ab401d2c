// Scripts as streams: reads a file or stdin piece by piece and runs every statement as soon as it
// is complete, so that a script of any length needs little memory. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cli/statement_runner.h"

namespace sippar::cli {

// Runs shell commands (\format …); gives an exit code.
using MetaRunner = std::function<int(std::string_view line)>;

class Script {
 public:
  Script(StatementRunner* runner, MetaRunner meta, bool keep_going)
      : runner_(runner), meta_(std::move(meta)), keep_going_(keep_going) {}

  // Exit codes; after a failure the rest is left out unless keep_going.
  int RunText(std::string_view text, const std::string& name);
  int RunFile(const std::string& path);  // "-": stdin

 private:
  int RunDescriptor(int descriptor, const std::string& name);
  // Runs the complete statements of buffer_, keeps the rest. `last`: the rest is a statement too.
  int RunBuffer(const std::string& name, bool last);
  int RunOne(const query::StatementText& statement, const ScriptPlace& place);

  StatementRunner* runner_;
  MetaRunner meta_;
  bool keep_going_;
  std::string buffer_;
  int first_line_ = 1;
  int failed_ = 0;
};

}  // namespace sippar::cli
