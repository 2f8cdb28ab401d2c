// SPDX-License-Identifier: Apache-2.0
#include "cli/line_editor.h"

#include <langinfo.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <utility>
// The headers of readline need FILE to be declared first.
#include <readline/history.h>
#include <readline/readline.h>

#include "cli/line_colors.h"
#include "cli/signals.h"
#include "engine/program/value.h"

namespace sippar::cli {
namespace {

// readline calls plain functions without a context argument, so their state is global.
FindCandidatesHook* active_hook = nullptr;
FindColorsHook* active_colors = nullptr;
bool is_painted = false;  // colours may be on the screen in the line that is edited
bool line_done = false;
bool line_is_end = false;
std::string line_text;
std::string noted_text;  // the text before the caret when a note was shown
volatile std::sig_atomic_t window_changed = 0;

void OnWindowChange(int) { window_changed = 1; }

void OnLine(char* line) {
  line_done = true;
  line_is_end = line == nullptr;
  line_text = line == nullptr ? "" : line;
  std::free(line);
  // The handler is removed inside the callback, as readline advises. Otherwise readline would
  // immediately print the prompt for the next line.
  rl_callback_handler_remove();
}

int OnNewLine(int, int) { return rl_insert_text("\n") >= 0 ? 0 : 1; }

bool IsOn(const char* variable) {
  const char* value = rl_variable_value(variable);
  return value != nullptr && std::strcmp(value, "on") == 0;
}

// The width as readline computes it: by the C library, if the locale's characters are UTF-8.
int WidthOf(uint32_t code) {
  static const bool is_utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  if (code < 0x80) return code < 0x7f ? 1 : -1;
  return is_utf8 ? wcwidth(static_cast<wchar_t>(code)) : -1;
}

// True if readline shows the prompt and the line, and nothing else: no search or message, which
// takes the prompt's place, no selected region or sign of a mode, and no part of a line that it
// scrolls.
bool ShowsPlainLine() {
  if (rl_prompt == nullptr || rl_display_prompt == nullptr) return false;
  if (std::strcmp(rl_prompt, rl_display_prompt) != 0 || rl_mark_active_p() != 0) return false;
  return !IsOn("horizontal-scroll-mode") && !IsOn("show-mode-in-prompt") &&
         !IsOn("mark-modified-lines");
}

// The bytes that colour the line that readline has drawn; "" if it must stay as readline draws it.
std::string Paint() {
  if (active_colors == nullptr || !ShowsPlainLine()) return "";
  std::string_view line(rl_line_buffer, static_cast<size_t>(rl_end));
  int lines = 0;
  int columns = 0;
  rl_get_screen_size(&lines, &columns);
  if (!FitsOneLine(rl_prompt, line, static_cast<size_t>(columns), WidthOf)) return "";
  const std::optional<std::vector<query::TokenSpan>> spans = (*active_colors)(line);
  const bool has_work = spans && (is_painted || !spans->empty());
  return has_work ? PaintOver(rl_prompt, line, *spans) : "";
}

// readline always draws the line itself, so what it knows about the screen stays true. The colours
// are then drawn over the same characters.
void OnRedisplay() {
  const std::string colors = Paint();
  if (colors.empty() && is_painted) {
    // readline does not know the colours. It draws the whole line again, to remove them.
    rl_clear_visible_line();
    rl_on_new_line();
  }
  rl_redisplay();
  std::fwrite(colors.data(), 1, colors.size(), rl_outstream);
  std::fflush(rl_outstream);
  is_painted = !colors.empty();
}

// readline clears the line of the old width only if the redisplay function is its own.
void Resize() {
  rl_redisplay_function = rl_redisplay;
  rl_resize_terminal();
  rl_redisplay_function = OnRedisplay;
  OnRedisplay();
}

char* Copy(const std::string& text) { return strdup(text.c_str()); }

// Shows `note` below the line, unless the previous Tab has shown a note for the same text. Returns
// true if it has shown the note.
bool ShowNote(const std::string& note, std::string_view before_caret) {
  if (note.empty() || noted_text == before_caret) return false;
  noted_text = before_caret;
  std::fprintf(rl_outstream, "\r\n%s\r\n", engine::PrintEscaped(note).c_str());
  rl_on_new_line();
  OnRedisplay();
  return true;
}

// Returns the candidates for the word at the caret in the form that readline expects: their common
// prefix comes first.
char** OnComplete(const char*, int start, int end) {
  std::string_view text(rl_line_buffer, static_cast<size_t>(rl_end));
  Candidates found = (*active_hook)(text, static_cast<size_t>(end));
  rl_attempted_completion_over = 1;  // keeps readline from offering file names
  if (ShowNote(found.note, text.substr(0, static_cast<size_t>(end)))) return nullptr;
  // readline replaces only the word that its break characters delimit. If that word begins before
  // the completer's word, the candidates do not fit, and none are offered.
  if (found.words.empty() || found.begin > static_cast<size_t>(start)) {
    return nullptr;
  }
  size_t cut = static_cast<size_t>(start) - found.begin;
  std::string common = found.words[0];
  for (const std::string& word : found.words) {
    size_t same = 0;
    while (same < common.size() && same < word.size() && common[same] == word[same]) ++same;
    common.resize(same);
  }
  if (common.size() < cut) return nullptr;
  rl_completion_suppress_append = found.no_space ? 1 : 0;
  rl_completion_suppress_quote = found.no_quote ? 1 : 0;
  auto** matches = static_cast<char**>(std::calloc(found.words.size() + 2, sizeof(char*)));
  matches[0] = Copy(common.substr(cut));
  if (found.words.size() == 1) return matches;
  for (size_t i = 0; i < found.words.size(); ++i) matches[i + 1] = Copy(found.words[i].substr(cut));
  return matches;
}

// Sets NOFLSH, because by default the terminal discards typed keys at Ctrl-C. A key that poll() has
// reported could then be gone, and reading it would block despite the interrupt. Read() discards
// the keys itself.
void PrepareTerminal(int meta_keys) {
  rl_prep_terminal(meta_keys);
  termios settings = {};
  if (tcgetattr(STDIN_FILENO, &settings) != 0) return;
  settings.c_lflag |= NOFLSH;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

void SetUp() {
  static char name[] = "sippar";
  static char breaks[] = " \t\n(),=<>+-*/%|~![]{};'\"";
  rl_readline_name = name;
  rl_basic_word_break_characters = breaks;  // without ':' and '.', so that anchor:cn is one word
  rl_completer_word_break_characters = breaks;
  rl_catch_signals = 0;
  rl_prep_term_function = PrepareTerminal;
  rl_attempted_completion_function = OnComplete;
  rl_variable_bind("enable-bracketed-paste", "on");
  rl_variable_bind("blink-matching-paren", "on");
  rl_initialize();
  // Set after rl_initialize, which asks for what the terminal can do only if the function is
  // readline's own.
  rl_redisplay_function = OnRedisplay;
  rl_bind_keyseq("\\e\\C-m", OnNewLine);  // Alt-Enter
  rl_bind_keyseq("\\e\\C-j", OnNewLine);
  struct sigaction action = {};
  action.sa_handler = OnWindowChange;
  sigaction(SIGWINCH, &action, nullptr);
}

}  // namespace

LineEditor::LineEditor(FindCandidatesHook candidates, FindColorsHook colors)
    : candidates_(std::move(candidates)), colors_(std::move(colors)) {
  active_hook = &candidates_;
  active_colors = &colors_;
  SetUp();
}

LineEditor::~LineEditor() {
  active_hook = nullptr;
  active_colors = nullptr;
}

LineEvent LineEditor::Wait() {
  while (!line_done) {
    pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {InterruptPipe(), POLLIN, 0}};
    int ready = poll(waits, 2, -1);
    if (window_changed != 0) {
      window_changed = 0;
      Resize();
    }
    if (ready < 0 && errno != EINTR) return LineEvent::kEnd;
    if (ready <= 0) continue;
    // The interrupt is checked before the keys, so that keys typed after Ctrl-C do not extend the
    // old line.
    if ((waits[1].revents & POLLIN) != 0) {
      DrainInterruptPipe();
      return LineEvent::kInterrupt;
    }
    if ((waits[0].revents & (POLLHUP | POLLERR)) != 0 && (waits[0].revents & POLLIN) == 0) {
      return LineEvent::kEnd;
    }
    rl_callback_read_char();
  }
  return line_is_end ? LineEvent::kEnd : LineEvent::kText;
}

LineEvent LineEditor::Read(const std::string& prompt, std::string* text) {
  line_done = false;
  is_painted = false;
  rl_callback_handler_install(prompt.c_str(), OnLine);
  LineEvent event = Wait();
  if (event == LineEvent::kText) {
    *text = std::move(line_text);
    return event;
  }
  if (event == LineEvent::kInterrupt) {
    text->assign(rl_line_buffer, static_cast<size_t>(rl_end));
    tcflush(STDIN_FILENO, TCIFLUSH);
    // ^C is printed before readline restores the terminal, because that moves the cursor to the
    // start of the line.
    std::fputs("^C", rl_outstream);
    std::fflush(rl_outstream);
    rl_free_line_state();
    rl_callback_sigcleanup();
    rl_callback_handler_remove();
    std::fputs("\n", stdout);
  } else {
    rl_callback_handler_remove();
    std::fputs("\n", stdout);
  }
  std::fflush(stdout);
  return event;
}

}  // namespace sippar::cli
