r"""What Sippar and DuckDB both define on texts, bytes and arrays; see number_operations.py for the form.

Left out on purpose (fixed_texts.py has them as cases):
  UPPER, LOWER          ASCII letters in Sippar (LANGUAGE.md), so DuckDB's are spelled as TRANSLATE
  TRIM without a set    white space of Unicode in GoogleSQL, blanks in DuckDB: drawn with ASCII's only
  TRANSLATE             a letter twice in the second argument is an error in GoogleSQL, not in DuckDB
  REVERSE               DuckDB keeps a letter with its accents together; nothing of that kind is drawn
  REGEXP_EXTRACT_ALL    of an empty match GoogleSQL has none at the end of the text: no such regex is drawn
  TRIM of other than ASCII letters, regular expressions with . or that match nothing, or with such letters:
                        Sippar works on bytes there; cases of fixed_texts.py, drawn with ASCII only
  a regex of two groups an error in GoogleSQL's REGEXP_EXTRACT, documented as a third argument in Sippar
  FORMAT                %d, %s and the floating ones only; %t and %T are GoogleSQL's
  INITCAP, SOUNDEX, REGEXP_INSTR, INSTR of 4, BASE32, CRC32C, HASH64    DuckDB has none
SPDX-License-Identifier: Apache-2.0
"""

TEXTS = [
    ("STRING", "($1 || $2)", "", "STRING STRING"),
    ("STRING", "CONCAT($1, $2, $3)", "($1 || $2 || $3)", "STRING STRING STRING"),  # DuckDB's skips NULL
    ("STRING", "UPPER($1)", "upper($1)", "STRING"),
    ("STRING", "LOWER($1)", "lower($1)", "STRING"),
    ("STRING", "SUBSTR($1, $2)", "cut2($1, $2)", "STRING SMALL"),
    ("STRING", "SUBSTR($1, $2, $3)", "cut3($1, $2, $3)", "STRING SMALL SMALL"),
    ("STRING", "SUBSTRING($1, $2, $3)", "cut3($1, $2, $3)", "STRING SMALL COUNT"),
    ("STRING", "LEFT($1, $2)", "left_of($1, $2)", "STRING SMALL"),
    ("STRING", "RIGHT($1, $2)", "right_of($1, $2)", "STRING SMALL"),
    ("STRING", "LPAD($1, $2)", "pad_l($1, $2, ' ')", "STRING SMALL"),
    ("STRING", "RPAD($1, $2)", "pad_r($1, $2, ' ')", "STRING COUNT"),
    ("STRING", "LPAD($1, $2, $3)", "pad_l($1, $2, $3)", "STRING COUNT STRING"),
    ("STRING", "RPAD($1, $2, $3)", "pad_r($1, $2, $3)", "STRING SMALL STRING"),
    ("STRING", "TRIM($1)", "trim_b($1)", "STRING"),
    ("STRING", "LTRIM($1)", "trim_l($1)", "STRING"),
    ("STRING", "RTRIM($1)", "trim_r($1)", "STRING"),
    ("STRING", "TRIM($1, $2)", "", "STRING LETTERS"),
    ("STRING", "LTRIM($1, $2)", "", "STRING LETTERS"),
    ("STRING", "RTRIM($1, $2)", "", "STRING LETTERS"),
    ("STRING", "REPLACE($1, $2, $3)", "", "STRING LETTERS STRING"),
    ("STRING", "REPLACE($1, $2, $3)", "", "STRING STRING STRING"),
    ("STRING", "REVERSE($1)", "", "STRING"),
    ("STRING", "REPEAT($1, $2)", "times($1, $2)", "STRING SMALL"),
    ("STRING", "TRANSLATE($1, 'abcä', 'xö')", "", "STRING"),
    ("STRING", "SPLIT_PART($1, $2, $3)", "split_part($1, $2, $3::INTEGER)", "STRING SEPARATOR COUNT1"),
    ("STRING", "SPLIT_PART($1, $2, -1)", "", "STRING SEPARATOR"),
    ("STRING", "REGEXP_REPLACE($1, $2, $3)", "regexp_replace($1, $2, $3, 'g')", "STRING REGEX REWRITE"),
    ("STRING", "REGEXP_REPLACE($1, $2, $3)", "regexp_replace($1, $2, $3, 'g')", "ASCII DOT_REGEX REWRITE"),
    ("STRING", "REGEXP_REPLACE($1, $2, $3)", "regexp_replace($1, $2, $3, 'g')", "ASCII EMPTY_REGEX REWRITE"),
    ("STRING", "REGEXP_EXTRACT($1, $2)", "match_of($1, $2, 0)", "STRING PLAIN_REGEX"),
    ("STRING", "REGEXP_EXTRACT($1, $2)", "match_of($1, $2, 1)", "STRING GROUP_REGEX"),
    ("STRING", "REGEXP_EXTRACT($1, $2)", "match_of($1, $2, 1)", "ASCII DOT_REGEX"),
    ("STRING", "REGEXP_SUBSTR($1, $2)", "match_of($1, $2, 0)", "STRING PLAIN_REGEX"),
    ("STRING", "TO_HEX($1)", "lower(hex($1))", "BYTES"),
    ("STRING", "TO_BASE64($1)", "", "BYTES"),
    ("STRING", "CHR($1)", "char_of($1)", "CODE"),
    ("STRING", "CAST($1 AS STRING)", "$1::VARCHAR", "INT64"),
    ("STRING", "CAST($1 AS STRING)", "decode($1)", "BYTES"),
    ("STRING", "FORMAT('%d|%6d|%-6d|%06d|%+d', $1, $1, $1, $1, $1)",
     "printf('%d|%6d|%-6d|%06d|%+d', $1, $1, $1, $1, $1)", "INT64"),
    ("STRING", "FORMAT('%s|%5s|%-5s|%%', $1, $1, $1)",
     "($1 || '|' || lpad_to($1, 5) || '|' || rpad_to($1, 5) || '|%')", "STRING"),
    ("STRING", "FORMAT('%e|%g|%12.4e', $1, $1, $1)", "printf('%e|%g|%12.4e', $1, $1, $1)", "FLOAT64"),
    ("STRING", "FORMAT('%.3f|%f|%8.1f', $1, $1, $1)", "printf('%.3f|%f|%8.1f', $1, $1, $1)", "CALM"),
    ("STRING", "ARRAY_TO_STRING($1, $2)", "", "ARRAY<STRING> SEPARATOR"),
    ("STRING", "ARRAY_TO_STRING($1, $2, '?')", "joined($1, $2, '?')", "ARRAY<STRING> SEPARATOR"),
    ("STRING", "JSON_VALUE($1, $2)", "json_scalar($1, $2)", "JSON PATH"),
    ("STRING", "GREATEST($1, $2, 'b')", "most(most($1, $2), 'b')", "STRING STRING"),
]

ABOUT_TEXTS = [
    ("INT64", "LENGTH($1)", "length($1)", "STRING"),
    ("INT64", "CHAR_LENGTH($1)", "length($1)", "STRING"),
    ("INT64", "BYTE_LENGTH($1)", "strlen($1)", "STRING"),
    ("INT64", "LENGTH($1)", "octet_length($1)", "BYTES"),
    ("INT64", "OCTET_LENGTH($1)", "octet_length($1)", "BYTES"),
    ("INT64", "STRPOS($1, $2)", "strpos($1, $2)", "STRING STRING"),
    ("INT64", "STRPOS($1, $2)", "strpos($1, $2)", "STRING LETTERS"),
    ("INT64", "INSTR($1, $2)",
     "CASE WHEN $1 IS NULL THEN NULL WHEN $2 = '' THEN 0 ELSE strpos($1, $2) END", "STRING LETTERS"),
    ("INT64", "UNICODE($1)", "code_of($1)", "STRING"),
    ("INT64", "ASCII($1)", "ascii_of($1)", "STRING"),
    ("BOOL", "STARTS_WITH($1, $2)", "", "STRING STRING"),
    ("BOOL", "ENDS_WITH($1, $2)", "", "STRING STRING"),
    ("BOOL", "STARTS_WITH($1, $2)", "", "STRING LETTERS"),
    ("BOOL", "ENDS_WITH($1, $2)", "", "STRING LETTERS"),
    ("BOOL", "($1 LIKE $2)", "($1 LIKE $2 ESCAPE '\\')", "STRING LIKE"),
    ("BOOL", "($1 NOT LIKE $2)", "($1 NOT LIKE $2 ESCAPE '\\')", "STRING LIKE"),
    ("BOOL", "REGEXP_CONTAINS($1, $2)", "regexp_matches($1, $2)", "STRING REGEX"),
    ("BOOL", "REGEXP_CONTAINS($1, $2)", "regexp_matches($1, $2)", "ASCII DOT_REGEX"),
    ("BOOL", "REGEXP_CONTAINS($1, $2)", "regexp_matches($1, $2)", "ASCII EMPTY_REGEX"),
]

BYTES = [
    ("BYTES", "($1 || $2)", "", "BYTES BYTES"),
    ("BYTES", "CAST($1 AS BYTES)", "encode($1)", "STRING"),
    ("BYTES", "SUBSTR($1, $2, $3)", "b_cut3($1, $2, $3)", "BYTES SMALL SMALL"),
    ("BYTES", "REPEAT($1, $2)", "times($1, $2)", "BYTES SMALL"),
    ("BYTES", "FROM_HEX(TO_HEX($1))", "$1", "BYTES"),
    ("BYTES", "FROM_BASE64(TO_BASE64($1))", "from_base64(to_base64($1))", "BYTES"),
    ("BYTES", "MD5($1)", "unhex(md5($1))", "BYTES"),
    ("BYTES", "SHA1($1)", "unhex(sha1($1))", "BYTES"),
    ("BYTES", "SHA256($1)", "unhex(sha256($1))", "BYTES"),
    ("BYTES", "SHA256($1)", "unhex(sha256($1))", "STRING"),
]

ARRAYS = [
    ("ARRAY<STRING>", "SPLIT($1, $2)", "parts($1, $2)", "STRING SEPARATOR"),
    ("ARRAY<STRING>", "SPLIT($1)", "parts($1, ',')", "STRING"),
    ("ARRAY<STRING>", "SPLIT($1, '')", "parts($1, '')", "STRING"),
    ("ARRAY<STRING>", "REGEXP_EXTRACT_ALL($1, $2)", "regexp_extract_all($1, $2)", "STRING PLAIN_REGEX"),
    ("ARRAY<STRING>", "REGEXP_EXTRACT_ALL($1, $2)", "regexp_extract_all($1, $2, 1)", "STRING GROUP_REGEX"),
    ("ARRAY<STRING>", "REGEXP_EXTRACT_ALL($1, $2)", "regexp_extract_all($1, $2, 1)", "ASCII DOT_REGEX"),
    ("ARRAY<STRING>", "ARRAY_TRANSFORM($1, x -> x || 'z')", "list_transform($1, lambda x: x || 'z')",
     "ARRAY<STRING>"),
    ("ARRAY<INT64>", "GENERATE_ARRAY($1, $2, $3)", "generate_series($1, $2, $3)", "SMALL SMALL COUNT1"),
    ("ARRAY<INT64>", "GENERATE_ARRAY($1, $2, -2)", "generate_series($1, $2, -2)", "SMALL SMALL"),
    ("ARRAY<INT64>", "ARRAY_TRANSFORM($1, x -> x & 7)", "list_transform($1, lambda x: x & 7)", "ARRAY<INT64>"),
    ("ARRAY<INT64>", "ARRAY_FILTER($1, x -> x > $2)", "list_filter($1, lambda x: x > $2)", "ARRAY<INT64> SMALL"),
    ("ARRAY<INT64>", "TO_CODE_POINTS($1)", "list_transform(CASE WHEN $1 = '' THEN []::VARCHAR[] "
     "ELSE string_split($1, '') END, lambda c: unicode(c)::BIGINT)", "STRING"),
]
for item in ("INT64", "STRING"):
    both = f"ARRAY<{item}> ARRAY<{item}>"
    ARRAYS += [
        (f"ARRAY<{item}>", "ARRAY_CONCAT($1, $2)", "both_lists($1, $2)", both),
        (f"ARRAY<{item}>", "ARRAY_REVERSE($1)", "list_reverse($1)", f"ARRAY<{item}>"),
        ("INT64", "ARRAY_LENGTH($1)", "len($1)", f"ARRAY<{item}>"),
        (item, "$1[SAFE_ORDINAL($2)]", "CASE WHEN $2 > 0 THEN ($1)[$2] END", f"ARRAY<{item}> INDEX"),
        (item, "$1[SAFE_OFFSET($2)]", "CASE WHEN $2 >= 0 THEN ($1)[$2 + 1] END", f"ARRAY<{item}> INDEX"),
        (item, "$1[ORDINAL($2)]", "item_of($1, $2)", f"ARRAY<{item}> INDEX"),
        (item, "ARRAY_FIRST($1)", "item_of($1, 1)", f"ARRAY<{item}>"),
    ]

MORE_MACROS = [
    # ARRAY_CONCAT of a NULL is NULL; DuckDB skips it.
    "both_lists(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE list_concat(a, b) END",
    "item_of(a, n) AS CASE WHEN n IS NULL OR a IS NULL THEN NULL WHEN n < 1 OR n > len(a) THEN error('range') "
    "ELSE a[n] END",
    "joined(a, s, n) AS array_to_string(list_transform(a, lambda x: coalesce(x, n)), s)",
    # A width never cuts.
    "lpad_to(s, n) AS CASE WHEN length(s) < n THEN lpad(s, n, ' ') ELSE s END",
    "rpad_to(s, n) AS CASE WHEN length(s) < n THEN rpad(s, n, ' ') ELSE s END",
]

OPERATIONS = TEXTS + ABOUT_TEXTS + BYTES + ARRAYS
