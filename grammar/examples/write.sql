-- Writing cells. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q06
INSERT INTO web ROW 'com.cnn.www' SET contents: = '<html>v3' AT 3, contents: = '<html>v5' AT 5, contents: = '<html>v6' AT 6,
    anchor:cnnsi.com = 'CNN' AT 9, anchor:my.look.ca = 'CNN.com' AT 8;

-- Q07
INSERT INTO web (ROW, language:, contents:) VALUES ('org.debian.www', 'DE', '<html>debian'), ('org.apache.www', 'EN', '<html>apache') AT 5;

-- Q08
INSERT INTO web CELLS VALUES ('com.cnn.www/world', 'anchor:www.bbc.co.uk', 8, 'CNN World');

INSERT INTO web2 SELECT CELLS * FROM web VERSIONS ALL WHERE row STARTS WITH 'com.';

INSERT INTO stats (ROW, n:pages, TIMESTAMP) SELECT SPLIT_PART(row, '.', 1) AS tld, COUNT(*), NOW() FROM web GROUP BY tld;
