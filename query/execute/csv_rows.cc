// SPDX-License-Identifier: Apache-2.0
#include "query/execute/csv_rows.h"

namespace sippar::query {

StatusOr<bool> CsvRows::Record(Row* row) {
  row->clear();
  BeginRecord();
  char c = 0;
  ASSIGN_OR_RETURN(bool more, input_.Peek(&c));
  // The end of the file is tested before a record is read: the last line end does not begin a
  // further, empty record.
  if (!more) return false;
  // The limit holds for the whole record, not for a field: a record of many short fields needs
  // memory for many Values.
  record_size_ = 0;
  for (bool last = false; !last;) {
    RETURN_IF_ERROR(Field(row, &last));
  }
  return true;
}

Status CsvRows::Quoted(std::string* text) {
  for (;;) {
    char c = 0;
    ASSIGN_OR_RETURN(bool more, input_.Peek(&c));
    if (!more) return BadRecord("a quoted field is not closed");
    RETURN_IF_ERROR(Grow());
    input_.Skip();
    if (c == quote_) {
      ASSIGN_OR_RETURN(more, input_.Peek(&c));
      // Two quotes stand for one. Only one quote ends the quoted part; the bytes after it belong to
      // the same field, and Field reads them.
      if (!more || c != quote_) return OkStatus();
      input_.Skip();
    }
    text->push_back(c);
    record_size_ += input_.TakeBefore(quote_, text);
  }
}

Status CsvRows::Field(Row* row, bool* last) {
  std::string text;
  bool quoted = false;
  size_t inside = 0;  // length of the part of `text` that was between quotes
  for (;;) {
    char c = 0;
    ASSIGN_OR_RETURN(bool more, input_.Peek(&c));
    *last = !more || c == '\n';
    if (more) input_.Skip();
    if (*last || c == delimiter_) break;
    RETURN_IF_ERROR(Grow());
    // A quote opens a quoted part only at the start of a field (RFC 4180). Elsewhere, as in 5", the
    // quote is data.
    if (c == quote_ && text.empty() && !quoted) {
      quoted = true;
      RETURN_IF_ERROR(Quoted(&text));
      inside = text.size();
    } else {
      text.push_back(c);
      record_size_ += input_.TakeBefore(delimiter_, &text);
    }
  }
  // The \r of a \r\n line end is dropped; a \r between quotes belongs to the field.
  if (*last && text.size() > inside && text.back() == '\r') text.pop_back();
  // Quotes distinguish the empty text from NULL, which csv has no other way to write.
  bool is_null = !quoted && (text.empty() || text == null_text_);
  row->push_back(is_null ? Value::Null() : Value::Text(std::move(text)));
  record_size_ += sizeof(Value);
  return OkStatus();
}

}  // namespace sippar::query
