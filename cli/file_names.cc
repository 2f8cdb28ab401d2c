// SPDX-License-Identifier: Apache-2.0
#include "cli/file_names.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace sippar::cli {

std::vector<std::string> FileNames(std::string_view typed) {
  const size_t cut = typed.rfind('/') + 1;  // 0 if there is no slash, because npos + 1 is 0
  const std::string folder(typed.substr(0, cut));
  const std::string_view start = typed.substr(cut);
  std::string place = folder.empty() ? "." : folder;
  const char* home = std::getenv("HOME");
  if (folder.starts_with("~/") && home != nullptr) place = home + folder.substr(1);
  std::vector<std::string> names;
  std::error_code problem;
  std::filesystem::directory_iterator at(place, problem);
  for (; !problem && at != std::filesystem::directory_iterator(); at.increment(problem)) {
    const std::string name = at->path().filename().string();
    const bool is_hidden = name.starts_with('.') && start.empty();
    if (is_hidden || !name.starts_with(start)) continue;
    std::error_code ignored;
    names.push_back(folder + name + (at->is_directory(ignored) ? "/" : ""));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace sippar::cli
