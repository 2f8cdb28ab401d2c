// SPDX-License-Identifier: Apache-2.0
#include "cli/serve_settings.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <istream>
#include <string>
#include <vector>

#include "query/session/query_error.h"

namespace sippar::cli {
namespace {

constexpr const char* kConfigOption = "config";

// The name of the environment variable for an option: SIPPAR_SLOW_CALL for slow-call.
std::string VariableOf(const std::string& name) {
  std::string variable = "SIPPAR_";
  for (char c : name) {
    variable.push_back(c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<uint8_t>(c))));
  }
  return variable;
}

// The --tls-… options have no variable: SIPPAR_TLS_… name the certificates with which the user's
// programs call other servers, and `serve DIR` must not use those as its own.
bool HasVariable(const std::string& name) { return !name.starts_with("tls-"); }

// CLI11's reader of a configuration file, with two differences. An unknown key is an error that
// suggests the nearest name. A setting is skipped if the environment variable of its option is set,
// because in CLI11 the file would override the environment.
class CheckedConfig final : public CLI::ConfigINI {
 public:
  explicit CheckedConfig(std::vector<std::string> names) : names_(std::move(names)) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> found = CLI::ConfigINI::from_config(input);
    for (const CLI::ConfigItem& item : found) Check(item);
    std::erase_if(found, [](const CLI::ConfigItem& item) {
      if (!HasVariable(item.name)) return false;
      const char* value = std::getenv(VariableOf(item.name).c_str());
      return value != nullptr && *value != '\0';
    });
    return found;
  }

 private:
  void Check(const CLI::ConfigItem& item) const {
    if (!item.parents.empty()) {
      throw CLI::ValidationError(
          "--config", fmt::format("section '[{}]' is not supported; write NAME = VALUE lines alone",
                                  item.parents.front()));
    }
    if (std::find(names_.begin(), names_.end(), item.name) != names_.end()) return;
    const std::string near = query::NearestWord(item.name, names_);
    throw CLI::ValidationError(
        "--config",
        fmt::format("setting '{}' is not known{}", item.name,
                    near.empty() ? "; `sippar serve --help` has all names, without their '--'"
                                 : fmt::format(", did you mean {}?", near)));
  }

  const std::vector<std::string> names_;
};

}  // namespace

void AddSettings(CLI::App* app) {
  std::vector<std::string> names;
  for (CLI::Option* option : app->get_options()) {
    if (option->get_lnames().empty() || option == app->get_help_ptr()) continue;
    const std::string& name = option->get_lnames().front();
    names.push_back(name);
    if (HasVariable(name)) option->envname(VariableOf(name));
  }
  app->set_config(std::string("--") + kConfigOption, "",
                  "file with a line NAME = VALUE for each of these options, without the '--'");
  app->config_formatter(std::make_shared<CheckedConfig>(std::move(names)));
}

}  // namespace sippar::cli
