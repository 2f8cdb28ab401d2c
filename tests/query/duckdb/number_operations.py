"""What Sippar and DuckDB both define on numbers, truth values and any type, in both spellings.

A row is (result, Sippar's spelling, DuckDB's, types of the arguments); $1 is the first argument and ""
means the same spelling. Types in capitals that are no types of SQL (SMALL, SHIFT ...) are literals that
draw.py has; REAL is a FLOAT64 of a library of mathematics: nothing is computed from it, as its last bit
may differ. Macros such as f_add are in rules.py, with the reason why DuckDB's own is not the same.

Left out on purpose (fixed_numbers.py has most of them as cases):
  NaN, infinity         DuckDB orders NaN above all and equal to itself; GoogleSQL's comparisons are FALSE
  INT64 with FLOAT64    = and < are exact in Sippar (LANGUAGE.md); DuckDB rounds the INT64 to a FLOAT64
  MOD of FLOAT64        GoogleSQL has none
  CAST(FLOAT64 AS STRING), CAST(BOOL AS STRING)    the texts differ: '1' and '1.0', 'true' and 'TRUE'
  ROUND of INT64        FLOAT64 in GoogleSQL, INT64 in both here
SPDX-License-Identifier: Apache-2.0
"""

INTEGERS = [
    ("INT64", "($1 + $2)", "", "INT64 INT64"),
    ("INT64", "($1 - $2)", "", "INT64 INT64"),
    ("INT64", "($1 * $2)", "", "INT64 INT64"),
    ("INT64", "(- $1)", "(0::BIGINT - $1)", "INT64"),  # DuckDB's minus widens to HUGEINT
    ("INT64", "(+ $1)", "", "INT64"),
    ("INT64", "DIV($1, $2)", "($1 // $2)", "INT64 INT64"),
    ("INT64", "MOD($1, $2)", "($1 % $2)", "INT64 INT64"),
    ("INT64", "($1 % $2)", "", "INT64 SMALL"),
    ("INT64", "ABS($1)", "abs($1)::BIGINT", "INT64"),
    ("INT64", "SIGN($1)", "sign($1)::BIGINT", "INT64"),
    ("INT64", "($1 & $2)", "", "INT64 INT64"),
    ("INT64", "($1 | $2)", "", "INT64 INT64"),
    ("INT64", "($1 ^ $2)", "xor($1, $2)", "INT64 INT64"),
    ("INT64", "BITWISE_XOR($1, $2)", "xor($1, $2)", "INT64 INT64"),
    ("INT64", "(~ $1)", "", "INT64"),
    ("INT64", "($1 << $2)", "shl($1, $2)", "INT64 SHIFT"),
    ("INT64", "($1 >> $2)", "shr($1, $2)", "INT64 SHIFT"),
    ("INT64", "SHIFT_LEFT($1, $2)", "shl($1, $2)", "INT64 SMALL"),
    ("INT64", "BIT_COUNT($1)", "bit_count($1)::BIGINT", "INT64"),
    ("INT64", "SAFE_ADD($1, $2)", "in_64($1::HUGEINT + $2)", "INT64 INT64"),
    ("INT64", "SAFE_SUBTRACT($1, $2)", "in_64($1::HUGEINT - $2)", "INT64 INT64"),
    ("INT64", "SAFE_MULTIPLY($1, $2)", "in_64($1::HUGEINT * $2)", "INT64 INT64"),
    ("INT64", "SAFE_NEGATE($1)", "in_64(0::HUGEINT - $1)", "INT64"),
    ("INT64", "CAST($1 AS INT64)", "f_to_int($1)", "FLOAT64"),
    ("INT64", "CAST($1 AS INT64)", "$1::BIGINT", "BOOL"),
    ("INT64", "INT64($1)", "text_to_int($1)", "NUMERAL"),
    ("INT64", "CAST(CAST($1 AS STRING) AS INT64)", "$1::VARCHAR::BIGINT", "INT64"),
    ("INT64", "SAFE_CAST($1 AS INT64)", "CASE WHEN regexp_full_match(trim_b($1), '[+-]?[0-9]+') "
     "THEN TRY_CAST(trim_b($1) AS BIGINT) END", "NUMERAL"),
    ("INT64", "(DIV($1, 2) + 1 - 2 * 3 % 4)", "(($1 // 2) + 1 - ((2 * 3) % 4))", "INT64"),  # precedence
    ("INT64", "($1 & 12 | $2 ^ 5 << 1)", "(($1 & 12) | xor($2, (5 << 1)::BIGINT))", "INT64 SMALL"),
]

DOUBLES = [
    ("FLOAT64", "($1 + $2)", "f_add($1, $2)", "FLOAT64 FLOAT64"),
    ("FLOAT64", "($1 - $2)", "f_sub($1, $2)", "FLOAT64 FLOAT64"),
    ("FLOAT64", "($1 * $2)", "f_mul($1, $2)", "FLOAT64 FLOAT64"),
    ("FLOAT64", "($1 / $2)", "f_div($1, $2)", "FLOAT64 FLOAT64"),
    ("FLOAT64", "($1 / $2)", "f_div($1::DOUBLE, $2::DOUBLE)", "INT64 INT64"),
    ("FLOAT64", "($1 + $2)", "f_add($1::DOUBLE, $2)", "INT64 FLOAT64"),
    ("FLOAT64", "($1 * $2)", "f_mul($1, $2::DOUBLE)", "FLOAT64 INT64"),
    ("FLOAT64", "(- $1)", "", "FLOAT64"),
    ("FLOAT64", "ABS($1)", "", "FLOAT64"),
    ("FLOAT64", "SIGN($1)", "sign($1)::DOUBLE", "FLOAT64"),
    ("FLOAT64", "CEIL($1)", "", "FLOAT64"),
    ("FLOAT64", "FLOOR($1)", "", "FLOAT64"),
    ("FLOAT64", "ROUND($1)", "", "FLOAT64"),
    ("FLOAT64", "TRUNC($1)", "", "FLOAT64"),
    ("FLOAT64", "SQRT($1)", "fin1(sqrt($1), $1)", "FLOAT64"),
    ("FLOAT64", "CAST($1 AS FLOAT64)", "$1::DOUBLE", "INT64"),
    # The text brings every bit back but the sign of zero.
    ("FLOAT64", "CAST(CAST($1 AS STRING) AS FLOAT64)", "($1 + '0.0'::DOUBLE)", "FLOAT64"),
    ("FLOAT64", "SAFE_DIVIDE($1, $2)", "safe_div($1, $2)", "FLOAT64 FLOAT64"),
    ("FLOAT64", "SAFE_ADD($1, $2)", "safe_f($1 + $2, $1, $2)", "FLOAT64 FLOAT64"),
    ("FLOAT64", "SAFE_MULTIPLY($1, $2)", "safe_f($1 * $2, $1, $2)", "FLOAT64 FLOAT64"),
    ("REAL", "ROUND($1, $2)", "round($1, $2::INTEGER)", "CALM PLACES"),
    ("REAL", "EXP($1)", "fin1(exp($1), $1)", "FLOAT64"),
    ("REAL", "LN($1)", "fin1(ln($1), $1)", "FLOAT64"),
    ("REAL", "LOG($1)", "fin1(ln($1), $1)", "FLOAT64"),
    ("REAL", "LOG($1, $2)", "f_log($1, $2)", "FLOAT64 BASE"),
    ("REAL", "LOG10($1)", "fin1(log10($1), $1)", "FLOAT64"),
    ("REAL", "POW($1, $2)", "fin2(pow($1, $2), $1, $2)", "FLOAT64 CALM"),
    ("REAL", "ATAN2($1, $2)", "", "FLOAT64 FLOAT64"),
    ("REAL", "SEC($1)", "fin1(1 / cos($1), $1)", "CALM"),
    ("REAL", "CSC($1)", "fin1(1 / sin($1), $1)", "CALM"),
    ("REAL", "COT($1)", "fin1(1 / tan($1), $1)", "CALM"),
    ("REAL", "SECH($1)", "(1 / cosh($1))", "CALM"),
    ("REAL", "CSCH($1)", "fin1(1 / sinh($1), $1)", "CALM"),
    ("REAL", "COTH($1)", "fin1(1 / tanh($1), $1)", "CALM"),
]
DOUBLES += [("REAL", f"{name}($1)", f"fin1({name.lower()}($1), $1)", "FLOAT64") for name in (
    "SIN", "COS", "TAN", "ATAN", "SINH", "COSH", "TANH", "ASINH", "ACOSH")]
DOUBLES += [("REAL", f"{name}($1)", f"fin1({name.lower()}($1), $1)", "UNIT") for name in ("ASIN", "ACOS", "ATANH")]

TRUTH = [
    ("BOOL", "($1 AND $2)", "and_then($1, $2)", "BOOL BOOL"),
    ("BOOL", "($1 OR $2)", "or_else($1, $2)", "BOOL BOOL"),
    ("BOOL", "(NOT $1)", "", "BOOL"),
    ("BOOL", "($1 OR $2 AND NOT $1)", "or_else($1, and_then($2, NOT $1))", "BOOL BOOL"),  # precedence
    ("BOOL", "CAST($1 AS BOOL)", "$1::BOOLEAN", "INT64"),
    ("BOOL", "IS_NAN($1)", "isnan($1)", "FLOAT64"),
    ("BOOL", "IS_INF($1)", "isinf($1)", "FLOAT64"),
    # rows of the table, by ranges of the key
    ("BOOL", "(row = $1)", "(k = $1)", "KEY"),
    ("BOOL", "(row < $1)", "(k < $1)", "KEY"),
    ("BOOL", "(row >= $1)", "(k >= $1)", "KEY"),
    ("BOOL", "($1 <= row)", "($1 <= k)", "KEY"),
    ("BOOL", "(row BETWEEN $1 AND $2)", "(k BETWEEN $1 AND $2)", "KEY KEY"),
    ("BOOL", "(row IN ($1, $2))", "(k IN ($1, $2))", "KEY KEY"),
    ("BOOL", "(row NOT IN ($1, $2))", "(k NOT IN ($1, $2))", "KEY KEY"),
    ("BOOL", "STARTS_WITH(row, $1)", "starts_with(k, $1)", "KEY"),
    ("BOOL", "(row LIKE $1 || '%')", "(k LIKE $1 || '%')", "KEY"),
]

ORDERED = ("INT64", "FLOAT64", "STRING", "BYTES", "BOOL", "TIMESTAMP", "DATE")


def for_any_type():
    """Comparisons and conditions: DuckDB compares texts by bytes, as Sippar does."""
    rows = []
    for kind in ORDERED:
        two, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
        rows += [("BOOL", f"($1 {sign} $2)", "", two) for sign in ("=", "!=", "<", "<=", ">", ">=")]
        rows += [
            ("BOOL", "($1 BETWEEN $2 AND $3)", "and_then($1 >= $2, $1 <= $3)", three),
            ("BOOL", "($1 NOT BETWEEN $2 AND $3)", "(NOT and_then($1 >= $2, $1 <= $3))", three),
            ("BOOL", "($1 IN ($2, $3))", "in_two($1, $2, $3)", three),
            ("BOOL", "($1 NOT IN ($2, $3))", "(NOT in_two($1, $2, $3))", three),
            ("BOOL", "($1 IS NULL)", "", kind),
            ("BOOL", "($1 IS NOT NULL)", "", kind),
            (kind, "NULLIF($1, $2)", "", two),
            (kind, "GREATEST($1, $2)", "most($1, $2)", two),
            (kind, "LEAST($1, $2)", "least_of($1, $2)", two),
        ]
    for kind in (*ORDERED, "ARRAY<INT64>", "ARRAY<STRING>"):
        rows += [
            (kind, "IF($1, $2, $3)", "CASE WHEN $1 THEN $2 ELSE $3 END", f"BOOL {kind} {kind}"),
            (kind, "CASE WHEN $1 THEN $2 WHEN $3 THEN $4 END", "", f"BOOL {kind} BOOL {kind}"),
            (kind, "COALESCE($1, $2)", "", f"{kind} {kind}"),
            (kind, "IFNULL($1, $2)", "COALESCE($1, $2)", f"{kind} {kind}"),
        ]
    rows.append(("STRING", "CASE $1 WHEN $2 THEN $3 WHEN $4 THEN 'b' ELSE 'c' END", "",
                 "INT64 SMALL STRING SMALL"))
    return rows


OPERATIONS = INTEGERS + DOUBLES + TRUTH + for_any_type()
