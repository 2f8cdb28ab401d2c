-- Plans and the catalog. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q58
EXPLAIN SELECT CELLS anchor:/cnn/ FROM web WHERE row STARTS WITH 'com.' AND value ~ /CNN/;

-- Q59
EXPLAIN ANALYZE FORMAT JSON SELECT COUNT(*) FROM CELLS(web, anchor:*);

-- Q60
SHOW TABLES LIKE 'w%';

-- Q61
SHOW TABLETS OF web WHERE size > 100MiB;

-- Q62
SHOW CREATE TABLE web;

-- Q63
SHOW LOCALITY GROUPS OF web;

-- Q64
DESCRIBE web;
