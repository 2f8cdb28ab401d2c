"""GoogleSQL's rules as macros of DuckDB, where the same name means something else there.

Each macro fails (error) where GoogleSQL fails and gives NULL where it gives NULL. A macro that
evaluates an argument twice is fine: nothing that is drawn has side effects.
SPDX-License-Identifier: Apache-2.0
"""

BIG = "9223372036854775807"
TWO_64 = "18446744073709551616::HUGEINT"
# What TRIM of one argument takes off, as far as ASCII goes.
BLANKS = "' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"

MACROS = [
    # FLOAT64: an overflow is an error, DuckDB gives infinity or NaN.
    "fin1(r, a) AS CASE WHEN isfinite(a) AND NOT isfinite(r) THEN error('range') ELSE r END",
    "fin2(r, a, b) AS CASE WHEN isfinite(a) AND isfinite(b) AND NOT isfinite(r) THEN error('range') ELSE r END",
    "f_add(a, b) AS fin2(a + b, a, b)",
    "f_sub(a, b) AS fin2(a - b, a, b)",
    "f_mul(a, b) AS fin2(a * b, a, b)",
    "f_div(a, b) AS CASE WHEN b = 0 AND a IS NOT NULL THEN error('by zero') ELSE fin2(a / b, a, b) END",
    "f_log(a, b) AS CASE WHEN b <= 0 AND a IS NOT NULL THEN error('base') ELSE fin2(ln(a) / ln(b), a, b) END",
    # CAST(FLOAT64 AS INT64) rounds halves away from zero, DuckDB's cast to even.
    "f_to_int(a) AS CAST(round(a) AS BIGINT)",
    # SAFE_*: NULL where the operation fails, not where its arguments do.
    f"in_64(r) AS CASE WHEN r BETWEEN -{BIG}::HUGEINT - 1 AND {BIG}::HUGEINT THEN r::BIGINT END",
    "safe_f(r, a, b) AS CASE WHEN isfinite(a) AND isfinite(b) AND NOT isfinite(r) THEN NULL ELSE r END",
    "safe_div(a, b) AS CASE WHEN b = 0 THEN NULL ELSE safe_f(a / b, a, b) END",
    # Shifts: bits fall off, a shift right fills with zeros; DuckDB fails and keeps the sign.
    f"bits_of(a) AS CASE WHEN a < 0 THEN a::HUGEINT + {TWO_64} ELSE a::HUGEINT END",
    f"from_bits(r) AS CASE WHEN r > {BIG}::HUGEINT THEN (r - {TWO_64})::BIGINT ELSE r::BIGINT END",
    "two_to(n) AS (1::HUGEINT << n::HUGEINT)",
    "shl(a, n) AS CASE WHEN a IS NULL THEN NULL WHEN n < 0 THEN error('shift') WHEN n >= 64 THEN 0::BIGINT "
    "ELSE from_bits((bits_of(a) % two_to(64 - n)) * two_to(n)) END",
    "shr(a, n) AS CASE WHEN a IS NULL THEN NULL WHEN n < 0 THEN error('shift') WHEN n >= 64 THEN 0::BIGINT "
    "ELSE from_bits(bits_of(a) // two_to(n)) END",
    # GREATEST and LEAST of a NULL are NULL; DuckDB skips NULL.
    "most(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE greatest(a, b) END",
    "least_of(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE least(a, b) END",
    # AND and OR look at the right side only where the left does not decide.
    "and_then(a, b) AS CASE WHEN a = false THEN false ELSE a AND b END",
    "or_else(a, b) AS CASE WHEN a = true THEN true ELSE a OR b END",
    "in_two(a, b, c) AS CASE WHEN a IS NULL THEN NULL ELSE or_else(a = b, a = c) END",
    # Texts. Position 0, or before the text, is its begin; a negative length is an error.
    "start_of(p, n) AS CASE WHEN p > 0 THEN p WHEN p = 0 OR p < -n THEN 1 ELSE n + p + 1 END",
    "cut2(s, p) AS substr(s, start_of(p, length(s)))",
    "cut3(s, p, l) AS CASE WHEN l < 0 AND s IS NOT NULL AND p IS NOT NULL THEN error('length') "
    "ELSE substr(s, start_of(p, length(s)), l) END",
    "b_cut3(s, p, l) AS CASE WHEN l < 0 AND s IS NOT NULL AND p IS NOT NULL THEN error('length') "
    "ELSE unhex(substr(hex(s), 2 * start_of(p, octet_length(s)) - 1, 2 * l)) END",
    "left_of(s, n) AS CASE WHEN n < 0 AND s IS NOT NULL THEN error('length') ELSE left(s, n) END",
    "right_of(s, n) AS CASE WHEN n < 0 AND s IS NOT NULL THEN error('length') ELSE right(s, n) END",
    "pad_l(s, n, f) AS CASE WHEN s IS NULL OR n IS NULL OR f IS NULL THEN NULL "
    "WHEN n < 0 OR f = '' THEN error('pad') ELSE lpad(s, n::INTEGER, f) END",
    "pad_r(s, n, f) AS CASE WHEN s IS NULL OR n IS NULL OR f IS NULL THEN NULL "
    "WHEN n < 0 OR f = '' THEN error('pad') ELSE rpad(s, n::INTEGER, f) END",
    "times(s, n) AS CASE WHEN n < 0 AND s IS NOT NULL THEN error('count') ELSE repeat(s, n) END",
    f"trim_b(s) AS trim(s, {BLANKS})",
    f"trim_l(s) AS ltrim(s, {BLANKS})",
    f"trim_r(s) AS rtrim(s, {BLANKS})",
    # The code of an empty text is 0, and ASCII refuses what is not; DuckDB gives -1 and the code.
    "code_of(s) AS CASE WHEN s = '' THEN 0::BIGINT ELSE unicode(s)::BIGINT END",
    "ascii_of(s) AS CASE WHEN code_of(s) > 127 THEN error('ascii') ELSE code_of(s) END",
    "char_of(n) AS CASE WHEN n = 0 THEN '' WHEN n NOT BETWEEN 0 AND 1114111 THEN error('code') "
    "ELSE chr(n::INTEGER) END",
    # Splitting at '' gives characters, and of an empty text one empty part; DuckDB gives no part.
    "parts(s, d) AS CASE WHEN s = '' AND d IS NOT NULL THEN [''] ELSE string_split(s, d) END",
    # DuckDB takes '1.5', '1e3' and '1_0' as whole numbers, too.
    "text_to_int(s) AS CASE WHEN NOT regexp_full_match(trim_b(s), '[+-]?[0-9]+') THEN error('number') "
    "ELSE trim_b(s)::BIGINT END",
    # No match is NULL; DuckDB gives ''.
    "match_of(s, r, g) AS CASE WHEN regexp_matches(s, r) THEN regexp_extract(s, r, g) END",
    # Times are counted down to the second before, also before 1970.
    "micros(t) AS epoch_us(t)",
    "down(n, d) AS (n - ((n % d + d) % d)) // d",
    "from_micros(n) AS make_timestamp(n)",
    "stamp_add(t, n, d) AS make_timestamp(micros(t) + n * d)",
    # Whole units between two times, cut towards zero.
    "stamp_diff(a, b, d) AS (micros(a) - micros(b)) // d",
    # Weeks begin on Sunday, and days before the first one are in week 0.
    "sunday(t) AS (date_trunc('week', t + to_days(1)) - to_days(1))",
    "week_of(t) AS ((dayofyear(t) + 6 - dayofweek(t)) // 7)::BIGINT",
    # Times in a zone: DuckDB's way over a time without a zone.
    "local_time(t, z) AS timezone(z, t::TIMESTAMPTZ)",
    "from_local(t, z) AS timezone('UTC', timezone(z, t))",
    # HOUR, MINUTE and SECOND take the local minutes off the time itself, so a repeated hour stays itself.
    "zone_trunc(u, d, t, z) AS make_timestamp(micros(t) - (micros(local_time(t, z)) % d + d) % d)",
    # JSON_VALUE gives scalars only; DuckDB's ->> shows objects and arrays, too.
    "json_scalar(j, p) AS CASE WHEN json_type(j, p) IN ('OBJECT', 'ARRAY', 'NULL') THEN NULL ELSE j ->> p END",
]
