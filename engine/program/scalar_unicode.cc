// Case and normal forms of TEXT by Unicode's tables, from utf8proc.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "engine/base/utf8.h"
#include "engine/program/program_error.h"
#include "engine/program/scalar_function.h"

namespace sippar::engine {
namespace {

using enum ValueType;

enum class Case : uint8_t { kLower, kUpper, kTitle, kFolded };

// The library holds four bytes for each character that it normalizes.
constexpr size_t kNormalizedMax = 16 << 20;

char AsciiIn(Case wanted, char c) {
  if (wanted == Case::kLower || wanted == Case::kFolded)
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

uint32_t CodeIn(Case wanted, uint32_t code) {
  const auto from = static_cast<utf8proc_int32_t>(code);
  switch (wanted) {
    case Case::kLower:
      return static_cast<uint32_t>(utf8proc_tolower(from));
    case Case::kUpper:
      return static_cast<uint32_t>(utf8proc_toupper(from));
    case Case::kTitle:
      return static_cast<uint32_t>(utf8proc_totitle(from));
    case Case::kFolded:  // by way of the upper case: ς and σ are both lower case, of Σ
      return static_cast<uint32_t>(utf8proc_tolower(utf8proc_toupper(from)));
  }
  return code;
}

// Appends a character of TEXT or a byte of BYTES in the case wanted. BYTES have ASCII letters only,
// and so have the bytes of a TEXT that are not UTF-8.
void AppendUnit(ValueType type, std::string_view unit, Case wanted, std::string* out) {
  if (unit.size() == 1 || type != kText) {
    for (char c : unit) *out += AsciiIn(wanted, c);
    return;
  }
  const Utf8Character character = FirstCharacter(unit);
  if (character.size == 0) {
    *out += unit;
  } else {
    AppendCharacter(CodeIn(wanted, character.code), out);
  }
}

// LOWER, UPPER, and the sides of ILIKE. ILIKE takes BYTES by characters, too: the cells of most
// families are BYTES, its pattern is TEXT, and a letter has to become the same on both sides.
Status ChangeCase(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const bool folds = site->function == Function::kFoldCase;
  const ValueType units = folds ? kText : args[0]->type();
  const Case wanted = folds                                ? Case::kFolded
                      : site->function == Function::kUpper ? Case::kUpper
                                                           : Case::kLower;
  std::string text;
  text.reserve(args[0]->bytes().size());
  if (units != kText || IsAscii(args[0]->bytes())) {
    for (char c : args[0]->bytes()) text += AsciiIn(wanted, c);
  } else {
    for (std::string_view rest = args[0]->bytes(); !rest.empty();) {
      AppendUnit(units, TakeUnit(units, &rest), wanted, &text);
    }
  }
  RETURN_IF_ERROR(CheckTextSize(text.size()));  // a character may get longer
  out->AssignBytes(args[0]->type(), text);
  return OkStatus();
}

Status Initcap(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  constexpr std::string_view kBetweenWords = " \t\r\n\f\v[](){}/|<>!?@\"^#$&~_,.:;*%+-";
  const std::string_view separators = args.size() == 2 ? args[1]->bytes() : kBetweenWords;
  const ValueType type = args[0]->type();
  std::string text;
  bool begins = true;
  for (std::string_view rest = args[0]->bytes(); !rest.empty();) {
    const std::string_view unit = TakeUnit(type, &rest);
    AppendUnit(type, unit, begins ? Case::kTitle : Case::kLower, &text);
    begins = separators.find(unit) != separators.npos;
  }
  RETURN_IF_ERROR(CheckTextSize(text.size()));
  out->AssignBytes(type, text);
  return OkStatus();
}

struct Form {
  std::string_view name;
  unsigned options;
};
constexpr std::array<Form, 4> kForms = {{
    {"NFC", UTF8PROC_COMPOSE},
    {"NFD", UTF8PROC_DECOMPOSE},
    {"NFKC", UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
    {"NFKD", UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
}};

StatusOr<unsigned> OptionsOf(const CallSite& site, const Value& form) {
  std::string name = form.is_string() ? form.bytes() : form.Print();
  for (char& c : name) c = AsciiIn(Case::kUpper, c);
  for (const Form& each : kForms) {
    if (each.name == name) return each.options;
  }
  return ProgramError("RANGE",
                      fmt::format("{}: unknown form '{}'", FindFunction(site.function)->name, name),
                      "NFC, NFD, NFKC or NFKD");
}

// NORMALIZE_FORM and NORMALIZE_FOLD. The first argument is the form.
Status Normalize(CallSite* site, Arguments args, Value* out) {
  if (!AllStrings(args)) return TypeError(*site, args);
  const std::string& text = args[1]->bytes();
  ASSIGN_OR_RETURN(unsigned options, OptionsOf(*site, *args[0]));
  if (site->function == Function::kNormalizeFold) options |= UTF8PROC_CASEFOLD;
  if (!IsUtf8(text)) return NotUtf8(*site);
  if (text.size() > kNormalizedMax) {
    return ProgramError(
        "TOO_LARGE",
        fmt::format("{}: the text has {} bytes (at most {})", FindFunction(site->function)->name,
                    text.size(), kNormalizedMax),
        "SUBSTR takes a part of it", StatusCode::kResourceExhausted);
  }
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
  if (size < 0) return Internal(fmt::format("utf8proc: {}", utf8proc_errmsg(size)));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  RETURN_IF_ERROR(CheckTextSize(static_cast<size_t>(size)));
  out->AssignBytes(args[1]->type(),
                   {reinterpret_cast<const char*>(made), static_cast<size_t>(size)});
  return OkStatus();
}

}  // namespace

ScalarEntry FindUnicodeFunction(Function function) {
  switch (function) {
    case Function::kLower:
    case Function::kUpper:
    case Function::kFoldCase:
      return {ChangeCase};
    case Function::kInitcap:
      return {Initcap};
    case Function::kNormalizeForm:
    case Function::kNormalizeFold:
      return {Normalize};
    default:
      return {};
  }
}

}  // namespace sippar::engine
