"""What Sippar and DuckDB both define on times; see number_operations.py for the form.

TIMESTAMP is DuckDB's without a zone, read as UTC, which the macros of rules.py take into a zone and back.

Left out on purpose:
  MILLISECOND, MICROSECOND   DuckDB's EXTRACT counts the seconds, too; spelled as a rest here
  DAYOFWEEK                  1 is Sunday in GoogleSQL, 0 in DuckDB; spelled + 1
  WEEK                       from Sunday, 0 to 53, in GoogleSQL; ISO weeks in DuckDB; spelled out
  CAST(TIMESTAMP AS STRING)  the texts differ: 2020-01-01T00:00:00Z and 2020-01-01 00:00:00
  %Y before year 1000        as many digits as it takes in GoogleSQL, four in DuckDB: not drawn
  DATE - DATE                a DURATION in Sippar, days in DuckDB
  DATE_DIFF of TIMESTAMPs    whole units in Sippar (TIMESTAMP_DIFF), boundaries in DuckDB: DATEs are drawn
  zones before 1970, 2037 on the two have other data of local mean times: not drawn
  a zone's DATE(), repeated hours of TIMESTAMP_TRUNC     findings; cases of fixed_times.py
SPDX-License-Identifier: Apache-2.0
"""

SIZES = {"MICROSECOND": 1, "MILLISECOND": 1000, "SECOND": 10**6, "MINUTE": 60 * 10**6, "HOUR": 3600 * 10**6,
         "DAY": 86400 * 10**6}

TIMES = [
    ("INT64", "UNIX_MICROS($1)", "micros($1)", "TIMESTAMP"),
    ("INT64", "UNIX_MILLIS($1)", "down(micros($1), 1000)", "TIMESTAMP"),
    ("INT64", "UNIX_SECONDS($1)", "down(micros($1), 1000000)", "TIMESTAMP"),
    ("TIMESTAMP", "TIMESTAMP_MICROS($1)", "from_micros($1)", "MICROS"),
    ("TIMESTAMP", "TIMESTAMP_MILLIS($1)", "from_micros($1 * 1000)", "MILLIS"),
    ("TIMESTAMP", "TIMESTAMP_SECONDS($1)", "from_micros($1 * 1000000)", "SECONDS"),
    ("TIMESTAMP", "TIMESTAMP_TRUNC($1, WEEK)", "sunday($1)", "TIMESTAMP"),
    ("TIMESTAMP", "TIMESTAMP_TRUNC($1, ISOWEEK)", "date_trunc('week', $1)", "TIMESTAMP"),
    ("TIMESTAMP", "TIMESTAMP_TRUNC($1, WEEK(THURSDAY))",
     "(date_trunc('week', $1 - to_days(3)) + to_days(3))", "TIMESTAMP"),
    ("TIMESTAMP", "CAST($1 AS TIMESTAMP)", "$1::TIMESTAMP", "DATE"),
    ("TIMESTAMP", "CAST(CAST($1 AS STRING) AS TIMESTAMP)", "$1", "TIMESTAMP"),
    ("TIMESTAMP", "PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', FORMAT_TIMESTAMP('%F %T', $1))",
     "date_trunc('second', $1)", "TIMESTAMP"),
    ("STRING", "FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S|%j|%a %A|%b %B|%y|%I %p|%%', $1)",
     "strftime($1, '%Y-%m-%d %H:%M:%S|%j|%a %A|%b %B|%y|%I %p|%%')", "TIMESTAMP"),
    ("STRING", "FORMAT_TIMESTAMP('%U %W %w %u %V %G', $1)", "strftime($1, '%U %W %w %u %V %G')", "TIMESTAMP"),
    ("STRING", "FORMAT_TIMESTAMP('%E6S %E3S %T', $1)",
     "(strftime($1, '%S.%f ') || strftime($1, '%S.%g ') || strftime($1, '%H:%M:%S'))", "TIMESTAMP"),
    ("STRING", "FORMAT_DATE('%d.%m.%Y', $1)", "strftime($1, '%d.%m.%Y')", "DATE"),
    ("INT64", "EXTRACT(MILLISECOND FROM $1)", "(extract(millisecond FROM $1)::BIGINT % 1000)", "TIMESTAMP"),
    ("INT64", "EXTRACT(MICROSECOND FROM $1)", "(extract(microsecond FROM $1)::BIGINT % 1000000)", "TIMESTAMP"),
]
for unit, size in SIZES.items():
    TIMES += [
        ("TIMESTAMP", f"TIMESTAMP_ADD($1, INTERVAL $2 {unit})", f"stamp_add($1, $2, {size})", "TIMESTAMP SMALL"),
        ("TIMESTAMP", f"TIMESTAMP_SUB($1, INTERVAL $2 {unit})", f"stamp_add($1, - $2, {size})",
         "TIMESTAMP SMALL"),
        ("TIMESTAMP", f"($1 + INTERVAL $2 {unit})", f"stamp_add($1, $2, {size})", "TIMESTAMP SMALL"),
        ("INT64", f"TIMESTAMP_DIFF($1, $2, {unit})", f"stamp_diff($1, $2, {size})", "TIMESTAMP TIMESTAMP"),
        ("TIMESTAMP", f"TIMESTAMP_TRUNC($1, {unit})", f"date_trunc('{unit.lower()}', $1)", "TIMESTAMP"),
    ]
TIMES += [("TIMESTAMP", f"TIMESTAMP_TRUNC($1, {unit})", f"date_trunc('{unit.lower()}', $1)", "TIMESTAMP")
          for unit in ("MONTH", "QUARTER", "YEAR")]

DATES = [
    ("DATE", "CAST($1 AS DATE)", "$1::DATE", "TIMESTAMP"),
    ("DATE", "DATE($1)", "$1::DATE", "TIMESTAMP"),
    ("DATE", "DATE($1, $2, $3)", "make_date($1, $2, $3)", "YEAR SMALL DAYS"),
    ("DATE", "DATE_TRUNC($1, WEEK)", "sunday($1::TIMESTAMP)::DATE", "DATE"),
    ("DATE", "DATE_TRUNC($1, ISOWEEK)", "date_trunc('week', $1)::DATE", "DATE"),
    ("DATE", "LAST_DAY($1)", "last_day($1)", "DATE"),
    ("DATE", "LAST_DAY($1, YEAR)", "make_date(year($1), 12, 31)", "DATE"),
    ("DATE", "LAST_DAY($1, ISOWEEK)", "(date_trunc('week', $1)::DATE + 6)", "DATE"),
    ("DATE", "LAST_DAY($1, QUARTER)", "last_day((date_trunc('quarter', $1) + to_months(2))::DATE)", "DATE"),
    ("DATE", "DATE_FROM_UNIX_DATE($1)", "(DATE '1970-01-01' + $1::INTEGER)", "DAYS"),
    ("DATE", "PARSE_DATE('%d/%m/%Y', FORMAT_DATE('%d/%m/%Y', $1))", "$1", "DATE"),
    ("DATE", "($1 + $2)", "($1 + $2::INTEGER)", "DATE DAYS"),
    ("DATE", "($1 - $2)", "($1 - $2::INTEGER)", "DATE SMALL"),
    ("DATE", "DATE_ADD($1, INTERVAL $2 DAY)", "($1 + $2::INTEGER)", "DATE DAYS"),
    ("DATE", "DATE_SUB($1, INTERVAL $2 WEEK)", "($1 - 7 * $2::INTEGER)", "DATE SMALL"),
    ("DATE", "DATE_ADD($1, INTERVAL $2 MONTH)", "($1 + to_months($2::INTEGER))::DATE", "DATE DAYS"),
    ("DATE", "DATE_SUB($1, INTERVAL $2 MONTH)", "($1 - to_months($2::INTEGER))::DATE", "DATE SMALL"),
    ("DATE", "DATE_ADD($1, INTERVAL $2 QUARTER)", "($1 + to_months(3 * $2::INTEGER))::DATE", "DATE SMALL"),
    ("DATE", "DATE_ADD($1, INTERVAL $2 YEAR)", "($1 + to_years($2::INTEGER))::DATE", "DATE SMALL"),
    ("DATE", "($1 + INTERVAL $2 MONTH)", "($1 + to_months($2::INTEGER))::DATE", "DATE SMALL"),
    ("INT64", "UNIX_DATE($1)", "date_diff('day', DATE '1970-01-01', $1)", "DATE"),
    ("INT64", "DATE_DIFF($1, $2, WEEK)",
     "(date_diff('day', sunday($2::TIMESTAMP)::DATE, sunday($1::TIMESTAMP)::DATE) // 7)", "DATE DATE"),
    ("INT64", "DATE_DIFF($1, $2, ISOWEEK)",
     "(date_diff('day', date_trunc('week', $2)::DATE, date_trunc('week', $1)::DATE) // 7)", "DATE DATE"),
    ("INT64", "DATE_DIFF($1, $2, ISOYEAR)", "(isoyear($1) - isoyear($2))::BIGINT", "DATE DATE"),
]
DATES += [("DATE", f"DATE_TRUNC($1, {unit})", f"date_trunc('{unit.lower()}', $1)::DATE", "DATE")
          for unit in ("DAY", "MONTH", "QUARTER", "YEAR")]
DATES += [("INT64", f"DATE_DIFF($1, $2, {unit})", f"date_diff('{unit.lower()}', $2, $1)", "DATE DATE")
          for unit in ("DAY", "MONTH", "QUARTER", "YEAR")]

PARTS = {"YEAR": "year($1)::BIGINT", "QUARTER": "quarter($1)::BIGINT", "MONTH": "month($1)::BIGINT",
         "DAY": "day($1)::BIGINT", "DAYOFYEAR": "dayofyear($1)::BIGINT", "DAYOFWEEK": "(dayofweek($1) + 1)::BIGINT",
         "WEEK": "week_of($1)", "ISOWEEK": "weekofyear($1)::BIGINT", "ISOYEAR": "isoyear($1)::BIGINT"}
CLOCK = {part: f"{part.lower()}($1)::BIGINT" for part in ("HOUR", "MINUTE", "SECOND")}

for part, spelled in {**PARTS, **CLOCK}.items():
    TIMES.append(("INT64", f"EXTRACT({part} FROM $1)", spelled, "TIMESTAMP"))
    TIMES.append(("INT64", f"EXTRACT({part} FROM $1 AT TIME ZONE $2)",
                  spelled.replace("$1", "local_time($1, $2)"), "RECENT ZONE"))
for part, spelled in PARTS.items():
    DATES.append(("INT64", f"EXTRACT({part} FROM $1)", spelled, "DATE"))

ZONED = [
    ("TIMESTAMP", f"TIMESTAMP_TRUNC($1, {unit}, $2)",
     f"from_local(date_trunc('{unit.lower()}', local_time($1, $2)), $2)", "RECENT ZONE")
    for unit in ("DAY", "MONTH", "QUARTER", "YEAR")]
ZONED += [
    ("TIMESTAMP", "TIMESTAMP_TRUNC($1, WEEK, $2)", "from_local(sunday(local_time($1, $2)), $2)", "RECENT ZONE"),
    ("STRING", "FORMAT_TIMESTAMP('%F %T', $1, $2)", "strftime(local_time($1, $2), '%Y-%m-%d %H:%M:%S')",
     "RECENT ZONE"),
    ("TIMESTAMP", "PARSE_TIMESTAMP('%F %T', '2021-01-15 12:00:00', $1)",
     "from_local(TIMESTAMP '2021-01-15 12:00:00', $1)", "ZONE"),
    ("TIMESTAMP", "PARSE_TIMESTAMP('%F %T', '2021-07-15 00:30:00', $1)",
     "from_local(TIMESTAMP '2021-07-15 00:30:00', $1)", "ZONE"),
]

OPERATIONS = TIMES + DATES + ZONED
