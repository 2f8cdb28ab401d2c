-- Changing rows: update, counters, delete, row transactions. Every statement here parses, prints and parses to the same tree.
-- Fixture and results: query/LANGUAGE.md. SPDX-License-Identifier: Apache-2.0

-- Q47
UPDATE web SET language: = 'FR', hits:total += 1 WHERE row = 'com.cnn.www' RETURNING hits:total;

-- Q48
UPDATE web SET contents: = '<html>v7' AT 7 WHERE row = 'com.cnn.www' IF TIMESTAMP(contents:) < 7;

-- Q49
INCREMENT web hits:total BY 5 WHERE row = 'org.debian.www' RETURNING hits:total;

-- Q50
APPEND '!' TO web anchor:cnnsi.com WHERE row = 'com.cnn.www';

-- Q51
DELETE FROM web WHERE row = 'org.apache.www';

-- Q52
DELETE anchor:/^my\./ FROM web WHERE row STARTS WITH 'com.';

-- Q53
DELETE contents: FROM web AT 3 WHERE row = 'com.cnn.www';

-- Q54
DELETE contents: FROM web TIME TO 6 WHERE row = 'com.cnn.www';

-- Q55
DELETE FROM web ALL ROWS;

-- Q56
ATOMIC ON web ROW 'com.cnn.www' { LET old = hits:total; IF old IS NULL { SET hits:total = 1; } ELSE IF old < 100
    { SET hits:total += 1, language: = 'EN'; DELETE anchor:my.look.ca; } ELSE { FAIL 'too hot'; } RETURN old AS before, hits:total AS after; };

-- Q57
BEGIN ROW web 'com.cnn.www'; SELECT hits:total FROM web WHERE row = 'com.cnn.www'; UPDATE web SET hits:total = 13 WHERE row = 'com.cnn.www'; COMMIT;
