-- Import, export, session settings. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q65
IMPORT INTO web FROM 'pages.csv' FORMAT csv (ROW = REVERSE_HOST(host), contents: = body, language: = LOWER(lang), TIMESTAMP = fetched)
    WITH (HEADER = true, BATCH = 1000, ON_ERROR = SKIP);

-- Q66
EXPORT (SELECT CELLS * FROM web VERSIONS ALL) TO 'web.jsonl.zst' FORMAT jsonl;

-- Q67
EXPORT TABLE web TO 'dump/' FORMAT parquet WITH (PARALLEL = 4);

-- Q68
INSERT INTO web2 SELECT CELLS anchor:*, contents: FROM web VERSIONS ALL;

-- Q69
SET versions = ALL;

-- Q70
SET timeout = 30s; RESET ALL; SHOW SESSION LIKE 'ver%';
