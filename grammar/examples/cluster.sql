-- Statements of a cluster. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q71
GRANT READ, WRITE ON TABLE web FAMILY anchor, language TO 'crawler', 'ranker';

-- Q72
REVOKE WRITE ON TABLE web FROM 'guest';

-- Q73
SPLIT TABLE web AT ('com.n', x'6f72672e00');

-- Q74
COMPACT TABLE web LOCALITY GROUP page MAJOR WHERE row STARTS WITH 'com.';

-- Q75
MERGE TABLETS OF web WHERE row < 'com.m'; FLUSH TABLE web; MOVE TABLET OF web ROW 'com.cnn.www' TO 'server-3'; BALANCE; BALANCE NOW; BALANCE OFF; BALANCE ON;

-- Q76
BACKUP TABLE web AS nightly WITH (EXPIRE = 30d); RESTORE TABLE web_old FROM nightly; RESTORE TABLE web_old FROM nightly AS OF 5;
SNAPSHOT TABLE web AS nightly; ALTER BACKUP nightly SET (EXPIRE = NEVER); DROP BACKUP nightly; DROP BACKUP IF EXISTS `p/i/c/b`;

-- Q77
SHOW QUERIES; CANCEL QUERY 'k7fqa-1'; CANCEL 'k7fqa-1';
