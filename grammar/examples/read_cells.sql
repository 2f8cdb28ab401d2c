-- Tombstones, samples, the three samples of the paper. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q78
TAIL web anchor:*, hits:total WHERE row STARTS WITH 'com.' FROM NOW() - 5m LIMIT 100;

-- Q79
SELECT CELLS * FROM web WITH DELETES VERSIONS ALL WHERE row = 'com.cnn.www';

-- Q80
SELECT APPROX_COUNT_DISTINCT(qualifier), APPROX_QUANTILES(LENGTH(value), 2) FROM CELLS(web, anchor:*) SAMPLE 1.0;

-- SAMPLE in other units
SELECT COUNT(*) FROM web SAMPLE 10 PERCENT;
SELECT row AS percent FROM web SAMPLE 100 ROWS WHERE language: = 'EN';

-- Q81
ATOMIC ON web ROW 'com.cnn.www' { SET anchor:"www.c-span.org" = 'CNN'; DELETE anchor:"www.abc.com"; };

-- Q82
SELECT CELLS anchor:* FROM web VERSIONS ALL WHERE row = 'com.cnn.www';

-- Q83
SELECT CELLS anchor:/^.*\.cnn\.com$/ FROM web TIME FROM NOW() - 10d VERSIONS ALL;
