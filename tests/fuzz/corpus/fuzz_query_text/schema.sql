-- Tables, families, locality groups. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q01
CREATE TABLE web (FAMILY contents VERSIONS = 3, FAMILY anchor VERSIONS 10 TTL 365d, FAMILY language VERSIONS 1, FAMILY hits COUNTER,
    LOCALITY GROUP page (contents) COMPRESSION = ZSTD(LEVEL(3), WINDOW(8MiB)) BLOCK_SIZE 64KiB BLOOM = ROW_COLUMN,
    LOCALITY GROUP meta (anchor, language, hits) IN_MEMORY) WITH (SPLIT_SIZE = 200MiB) SPLIT AT ('com.m', 'org.');

-- Q02
CREATE TABLE IF NOT EXISTS web2 LIKE web;

-- Q03
ALTER TABLE web ADD FAMILY uniq TYPE = HLL(BYTES), ALTER FAMILY anchor VERSIONS = 2, DROP FAMILY IF EXISTS tmp;

-- Q04
ALTER TABLE web RENAME TO web3;

-- Q05
DROP TABLE IF EXISTS web2;
