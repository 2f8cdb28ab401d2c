# What a terminal shows of the bytes that a program writes: characters with their colours, and where the
# cursor is. It knows the sequences that readline and the shell use, and refuses others.
# SPDX-License-Identifier: Apache-2.0
import re
import unicodedata

# A sequence, a control character, or one character; a sequence that is cut short matches none of them.
TOKEN = re.compile(r"\x1b\[([?>0-9;]*)([@A-Za-z])|\x1b([78=>])|([\x00-\x1f])|([^\x00-\x1f\x1b])")
STYLES = {"1": "bold", "32": "green", "33": "yellow", "90": "grey", "7": "reverse", "2": "dim"}


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class PtyScreen:
    def __init__(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.rows = [self._blank() for _ in range(lines)]
        self.row = self.column = 0
        self.style = ""
        self.saved = (0, 0)
        self.rest = ""

    def _blank(self):
        return [(" ", "")] * self.columns

    def feed(self, text):
        text = self.rest + text
        at = 0
        while at < len(text):
            token = TOKEN.match(text, at)
            if not token:
                break
            arguments, name, escape, control, character = token.groups()
            if name:
                self._sequence(arguments, name)
            elif escape:
                self._escape(escape)
            elif control:
                self._control(control)
            else:
                self._put(character)
            at = token.end()
        self.rest = text[at:]
        assert len(self.rest) < 16, f"unknown sequence {self.rest!r}"

    def _put(self, character):
        width = width_of(character)
        if width == 0:
            shown, style = self.rows[self.row][self.column - 1]
            self.rows[self.row][self.column - 1] = (shown + character, style)
            return
        if self.column + width > self.columns:
            self.column = 0
            self._control("\n")
        # The second column of a wide character holds an empty text.
        for i in range(width):
            self.rows[self.row][self.column + i] = (character if i == 0 else "", self.style)
        self.column += width

    def _control(self, control):
        if control == "\r":
            self.column = 0
        elif control == "\b":
            self.column = max(min(self.column, self.columns - 1) - 1, 0)
        elif control == "\n":
            self.row += 1
            if self.row == self.lines:
                self.rows = self.rows[1:] + [self._blank()]
                self.row -= 1

    def _escape(self, escape):
        if escape == "7":
            self.saved = (self.row, self.column)
        elif escape == "8":
            self.row, self.column = self.saved

    def _sequence(self, arguments, name):
        if name in "hl" or arguments.startswith((">", "?")):
            assert arguments != "4", "insert mode is not known"
            return
        if name == "m":
            for code in arguments.split(";"):
                self.style = STYLES.get(code, "")
            return
        count = int(arguments.split(";")[0] or "1" if arguments else "1")
        line = self.rows[self.row]
        at = self.column
        if name == "C":
            self.column = min(at + count, self.columns - 1)
        elif name == "D":
            self.column = max(at - count, 0)
        elif name == "A":
            self.row = max(self.row - count, 0)
        elif name == "B":
            self.row = min(self.row + count, self.lines - 1)
        elif name == "G":
            self.column = count - 1
        elif name == "K":
            line[at:] = [(" ", "")] * (self.columns - at)
        elif name == "P":
            self.rows[self.row] = line[:at] + line[at + count:] + [(" ", "")] * count
        elif name == "@":
            self.rows[self.row] = (line[:at] + [(" ", "")] * count + line[at:])[:self.columns]
        elif name == "H":
            row, column = (arguments.split(";") + ["1"])[:2] if arguments else ("1", "1")
            self.row, self.column = int(row) - 1, int(column) - 1
        elif name == "J":
            line[at:] = [(" ", "")] * (self.columns - at)
            if arguments == "2":
                self.rows = [self._blank() for _ in range(self.lines)]
            else:
                self.rows[self.row + 1:] = [self._blank() for _ in range(self.lines - self.row - 1)]
        else:
            raise AssertionError(f"unknown sequence CSI {arguments}{name}")

    def line(self, row=None):
        """The text of a row, without blanks at its end."""
        return "".join(text for text, _ in self.rows[self.row if row is None else row]).rstrip()

    def styled(self, row=None):
        """The parts of a row that have a style, as (style, text)."""
        parts = []
        last = ""
        for text, style in self.rows[self.row if row is None else row]:
            if style and style == last:
                parts[-1] = (style, parts[-1][1] + text)
            elif style:
                parts.append((style, text))
            last = style
        return parts
