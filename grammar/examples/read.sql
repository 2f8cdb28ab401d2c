-- Reading: row view, cell view, ranges, versions, aggregates. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q09
SELECT * FROM web WHERE row = 'com.cnn.www';

-- Q10
SELECT CELLS * FROM web WHERE row = 'com.cnn.www' VERSIONS ALL;

-- Q11
SELECT CELLS anchor:* FROM web WHERE row = 'com.cnn.www';

-- Q12
SELECT CELLS anchor:/\.com$/ FROM web;

-- Q13
SELECT CELLS anchor:^my. FROM web;

-- Q14
SELECT CELLS /^(anchor|lang)/:/^$|look/i FROM web;

-- Q15
SELECT CELLS *:total FROM web;

-- Q16
SELECT anchor:"cnnsi.com" AS a, contents: FROM web WHERE row = 'com.cnn.www';

-- Q17
SELECT row, contents: FROM web VERSIONS 2 WHERE row = 'com.cnn.www';

-- Q18
SELECT contents: FROM web AS OF 5 WHERE row = 'com.cnn.www';

-- Q19
SELECT CELLS contents: FROM web TIME FROM 3 TO 6 VERSIONS ALL;

-- Q20
SELECT row FROM web WHERE 'com.' <= row < 'com.cnn.www/';

-- Q21
SELECT row FROM web WHERE row LIKE 'com.cnn.%';

-- Q22
SELECT row FROM web WHERE row STARTS WITH 'org.' ORDER BY row DESC;

-- Q23
SELECT row FROM web WHERE row ~ /^org\..*www$/;

-- Q24
SELECT row FROM web WHERE row IN ('org.apache.www', 'nope', 'com.cnn.www') REVERSE;

-- Q25
SELECT row, language: FROM web WHERE language: = 'EN' AND hits:total >= 10;

-- Q26
SELECT row FROM web WHERE hits:total IS NULL;

-- Q27
SELECT row, LENGTH(contents:) AS n FROM web LIMIT 2;

-- Q28
SELECT row FROM web LIMIT 2 AFTER ROW 'com.cnn.www/world';

-- Q29
SELECT CELLS * FROM web CELLS PER ROW 2 LIMIT 5 CELLS;

-- Q30
SELECT CELLS * FROM web CELLS PER ROW 1 OFFSET 1;

-- Q31
SELECT CELLS contents: FROM web STRIP VALUES WHERE row STARTS WITH 'org.';

-- Q32
SELECT COUNT(*) FROM web;

-- Q33
SELECT COUNT(*) AS cells, SUM(LENGTH(value)) AS bytes FROM CELLS(web) VERSIONS ALL;

-- Q34
SELECT language: AS lang, COUNT(*) AS n FROM web GROUP BY language: ORDER BY n DESC, lang LIMIT 10;

-- Q35
SELECT SPLIT_PART(row, '.', 1) AS tld, SUM(hits:total) AS hits, AVG(hits:total) AS mean FROM web GROUP BY tld HAVING COUNT(*) > 1;

-- Q36
SELECT qualifier, COUNT(*) AS sites, MAX(timestamp) AS newest FROM CELLS(web, anchor:*) GROUP BY qualifier ORDER BY sites DESC LIMIT 1;

-- Q37
SELECT TIME_BUCKET(4us, timestamp) AS t, COUNT(*) AS n, APPROX_COUNT_DISTINCT(row) AS pages FROM CELLS(web, contents:) VERSIONS ALL GROUP BY t ORDER BY t;

-- Q38
SELECT row, family, qualifier, value FROM CELLS(web, anchor:*) WHERE value ~ /^cnn/i LIMIT 1 BY row;

-- Q39
SELECT row, TIMESTAMP(contents:) AS fetched, VERSION_COUNT(contents:) AS kept FROM web VERSIONS ALL WHERE row STARTS WITH 'com.';

-- Q40
SELECT row, CARDINALITY(anchor:*) AS links, anchor:*['cnnsi.com'] AS first FROM web WHERE CARDINALITY(anchor:*) BETWEEN 1 AND 5;

-- Q41
SELECT TO_HEX(contents:), CAST(b'\x00\x00\x00\x00\x00\x00\x00\x2a' AS INT64), x'00ff', r'\d+' FROM web LIMIT 1;

-- Q42
SELECT row FROM web WHERE row = @key OR anchor:@site = 'CNN';

-- Q43
SELECT CASE WHEN hits:total > 20 THEN 'hot' WHEN hits:total IS NULL THEN 'none' ELSE 'cold' END AS heat, row FROM web;

-- Q44
SELECT 7 / 2, 7 % 2, 'a' || 'b', -3 * (2 + 1), TIMESTAMP '1970-01-01T00:00:00.000009Z' - 4us;

-- Q45
SELECT lang, MAX(n) AS m FROM (SELECT language: AS lang, LENGTH(contents:) AS n FROM web) GROUP BY lang;

-- Q46
SELECT anchor['my.look.ca'] AS look FROM web(with_history => FALSE, as_of => TIMESTAMP '1970-01-01T00:00:00.000007Z') WHERE _key = 'org.apache.www';

-- GoogleSQL spellings
SELECT contents[''] FROM web(with_history => TRUE, latest_n => 2, after_or_equal => 3) WHERE _key IN UNNEST(['com.cnn.www', @key]) OR _key NOT IN UNNEST(@keys);

-- Names of what is read, fields
SELECT w._key, w.anchor['cnnsi.com'], SAFE_CAST(w.hits['total'] AS INT64) FROM web(latest_n => 1) AS w AS OF 5 WHERE w._key > 'a';

SELECT c.family, s.n FROM CELLS(web) AS c;

SELECT HISTORY(contents:)[1].value AS newest, s.n FROM (SELECT COUNT(*) AS n FROM web AS w GROUP BY w._key) AS s;

-- Q90
SELECT ~1 & 2 | 3 ^ 4 << 1, 1 < 2 << 3, +5 FROM web w WHERE w.row ILIKE 'a%' AND w.row NOT ILIKE 'b%';

-- Q91
SELECT ARRAY<INT64>[1, 2], ARRAY<STRUCT<a INT64, STRING>>[], ARRAY[], STRUCT(1 AS a, 2), STRUCT<a INT64>(1).a FROM web;

-- Q92
SELECT EXTRACT(WEEK(MONDAY) FROM NOW() AT TIME ZONE 'UTC'), INTERVAL 5 DAY, INTERVAL -5 DAY, INTERVAL '1 day 2 hours', DATE '2026-11-20', CAST('2026-11-20' AS DATE), ARRAY<DATE>['2026-11-20'], DATE '2026-11-20' + 1;

-- Truth and equality that are never NULL; the items of a list in another type
SELECT hits:n = 1 IS TRUE, hits:n = 1 IS NOT FALSE, a:x IS DISTINCT FROM b:y, .5 + 5., CAST([1, 2] AS ARRAY<STRING>) FROM web
WHERE a:x IS NOT DISTINCT FROM NULL;

-- Q93
SELECT ARRAY_FILTER([1, 2], x -> x > 1), ARRAY_TRANSFORM([1], (x, i) -> x + i), SAFE.SQRT(-1), SAFE.IF(TRUE, 1, 2), [1][OFFSET(0)];

-- Q94
SELECT date, array, struct, interval, extract, ilike FROM (SELECT 1 AS date, 2 AS array, 3 AS struct, 4 AS interval, 5 AS extract, 6 AS ilike);

-- Q95
SELECT * FROM UNNEST([1, 2]) AS x WITH OFFSET AS i WHERE x > 1;

-- Q96
SELECT * FROM UNNEST(['a']);

-- Q97
SELECT * FROM UNPACK((SELECT row, contents: AS page FROM web(with_history => TRUE))) u WHERE u._timestamp > NOW() - 1d;

-- Q98
SELECT w.row, e.key, i FROM web AS w AS OF 5, UNNEST(MAP_ENTRIES(w.anchor)) AS e WITH OFFSET AS i CROSS JOIN UNNEST(SPLIT(e.value, ' ')) part LEFT OUTER JOIN UNNEST([1]) WITH OFFSET VERSIONS 2 WHERE part > 'a' REVERSE;

-- Q99
SELECT join, left.full, RIGHT(inner, 2) AS cross FROM (SELECT 1 AS join, 2 AS inner) AS left INNER JOIN UNNEST([1]) AS outer JOIN UNNEST([2]) AS x;
