// Tokens of Sippar's query language. See README.md and query/LANGUAGE.md. Keywords are made of
// letter fragments, so they match in any case. There are no predicates and no embedded code, so the
// file serves every ANTLR target.
// The input is BYTES, one character per byte 0..255 (query/parse gives it so): offsets are bytes.
// SPDX-License-Identifier: Apache-2.0
lexer grammar SipparLexer;

// --- Keywords. A new one must also enter `softKeyword` or `hardKeyword` of the parser grammar. ---
ADD       : A D D;
AFTER     : A F T E R;
ALL       : A L L;
ALTER     : A L T E R;
ANALYZE   : A N A L Y Z E;
AND       : A N D;
APPEND    : A P P E N D;
ARRAY     : A R R A Y;
AS        : A S;
ASC       : A S C;
AT        : A T;
ATOMIC    : A T O M I C;
BACKUP    : B A C K U P;
BALANCE   : B A L A N C E;
BEGIN     : B E G I N;
BETWEEN   : B E T W E E N;
BY        : B Y;
CANCEL    : C A N C E L;
CASE      : C A S E;
CAST      : C A S T;
CELLS     : C E L L S;
COLUMN    : C O L U M N;
COMMIT    : C O M M I T;
COMPACT   : C O M P A C T;
CREATE    : C R E A T E;
CROSS     : C R O S S;
DATE      : D A T E;
DELETE    : D E L E T E;
DELETES   : D E L E T E S;
DESC      : D E S C;
DESCRIBE  : D E S C R I B E;
DISTINCT  : D I S T I N C T;
DROP      : D R O P;
ELSE      : E L S E;
END       : E N D;
EXISTS    : E X I S T S;
EXPLAIN   : E X P L A I N;
EXPORT    : E X P O R T;
EXTRACT   : E X T R A C T;
FAIL      : F A I L;
FALSE_    : F A L S E;
FAMILY    : F A M I L Y;
FLUSH     : F L U S H;
FORMAT    : F O R M A T;
FROM      : F R O M;
FULL      : F U L L;
GRANT     : G R A N T;
GROUP     : G R O U P;
GROUPS    : G R O U P S;
HAVING    : H A V I N G;
IF        : I F;
ILIKE     : I L I K E;
IMPORT    : I M P O R T;
IN_       : I N;
INCREMENT : I N C R E M E N T;
INNER     : I N N E R;
INSERT    : I N S E R T;
INTERVAL  : I N T E R V A L;
INTO      : I N T O;
IS        : I S;
JOIN      : J O I N;
LEFT      : L E F T;
LET       : L E T;
LIKE      : L I K E;
LIMIT     : L I M I T;
LOCALITY  : L O C A L I T Y;
MAJOR     : M A J O R;
MERGE     : M E R G E;
MINOR     : M I N O R;
MOVE      : M O V E;
NOT       : N O T;
NULL_     : N U L L;
OF        : O F;
OFFSET    : O F F S E T;
ON        : O N;
OR        : O R;
ORDER     : O R D E R;
OUTER     : O U T E R;
PER       : P E R;
PERCENT_  : P E R C E N T;
RENAME    : R E N A M E;
RESET     : R E S E T;
RESTORE   : R E S T O R E;
RETURN    : R E T U R N;
RETURNING : R E T U R N I N G;
REVERSE   : R E V E R S E;
REVOKE    : R E V O K E;
RIGHT     : R I G H T;
ROLLBACK  : R O L L B A C K;
ROW       : R O W;
ROWS      : R O W S;
SAMPLE    : S A M P L E;
SELECT    : S E L E C T;
SET       : S E T;
SHOW      : S H O W;
SNAPSHOT  : S N A P S H O T;
SPLIT     : S P L I T;
STARTS    : S T A R T S;
STRIP     : S T R I P;
STRUCT    : S T R U C T;
TABLE     : T A B L E;
TABLET    : T A B L E T;
TABLETS   : T A B L E T S;
TAIL      : T A I L;
THEN      : T H E N;
TIME      : T I M E;
TIMESTAMP : T I M E S T A M P;
TO        : T O;
TRUE_     : T R U E;
TRY_CAST  : T R Y '_' C A S T;
SAFE_CAST : S A F E '_' C A S T -> type(TRY_CAST);  // GoogleSQL's spelling
UNNEST    : U N N E S T;
UNPACK    : U N P A C K;
UPDATE    : U P D A T E;
VALUES    : V A L U E S;
VERSIONS  : V E R S I O N S;
WHEN      : W H E N;
WHERE     : W H E R E;
WITH      : W I T H;

// --- Column patterns and regexes ---

// ONE token: family part, colon, optional qualifier part; no blanks inside.
//   contents:   anchor:cnnsi.com   anchor:"a-b"   hits:x'00ff'   anchor:/re/i   anchor:^my.
//   anchor:*    *:total   /^(a|b)/:*   `odd name`:q   anchor:@site
COLUMN_PATTERN : FAMILY_PART ':' QUALIFIER_PART?;

fragment FAMILY_PART
    : NAME_CHAR (NAME_CHAR | '-')*
    | '`' ~[`\r\n]+ '`'
    | REGEX 'i'?
    | '*'
    ;

fragment QUALIFIER_PART
    : BARE
    | QUOTED
    | QUOTED_BYTES
    | REGEX 'i'?
    | '*'
    | '^' (BARE | QUOTED | QUOTED_BYTES)
    | '@' NAME
    ;

fragment NAME_CHAR : [A-Za-z0-9_.];
fragment BARE      : NAME_CHAR+;

// The operator and its regex are one token, so that "/" stays division everywhere else.
REGEX_TEST : '!'? '~' [ \t]* REGEX 'i'?;

fragment REGEX       : '/' REGEX_FIRST REGEX_CHAR* '/';
fragment REGEX_FIRST : ~[*/\\\r\n] | '\\' ~[\r\n];  // "/*" opens a comment
fragment REGEX_CHAR  : ~[/\\\r\n] | '\\' ~[\r\n];

// --- Literals ---

STRING     : QUOTED;
RAW_STRING : [rR] ('\'' ~[']* '\'' | '"' ~["]* '"');
BYTES      : QUOTED_BYTES;

// query/syntax/literals.h decodes the escapes. A doubled quote inside stands for one quote.
fragment QUOTED
    : '\'' (~['\\] | '\\' . | '\'\'')* '\''
    | '"' (~["\\] | '\\' . | '""')* '"'
    ;
fragment QUOTED_BYTES
    : [bB] QUOTED
    | [xX] '\'' [0-9A-Fa-f ]* '\''
    | [xX] '"' [0-9A-Fa-f ]* '"'
    ;

DURATION   : ([0-9]+ ('us' | 'ms' | 's' | 'm' | 'h' | 'd' | 'w'))+;  // 10ms, 1h30m
SIZE       : [0-9]+ ('B' | 'KB' | 'MB' | 'GB' | 'TB' | 'KiB' | 'MiB' | 'GiB' | 'TiB');
FLOAT      : ([0-9]+ '.' [0-9]* | '.' [0-9]+) EXPONENT? | [0-9]+ EXPONENT;
fragment EXPONENT : [eE] [+-]? [0-9]+;
INT        : [0-9]+ | '0' [xX] [0-9A-Fa-f]+;
// 12abc, 2.5s: without this, "SELECT 12abc" would be 12 with the name abc.
BAD_NUMBER : ([0-9]+ ('.' [0-9]*)? | '.' [0-9]+) [A-Za-z0-9_]*;

IDENT : NAME | '`' ~[`\r\n]+ '`';
PARAM : '@' NAME;

fragment NAME : [A-Za-z_] [A-Za-z0-9_]*;

// --- Operators ---

ARROW    : '=>';
LAMBDA   : '->';
PLUS_EQ  : '+=';
CAT_EQ   : '||=';
CAT      : '||';
AMP      : '&';
PIPE     : '|';
CARET    : '^';
LE       : '<=';
GE       : '>=';
NE       : '!=' | '<>';
LT       : '<';
GT       : '>';
EQ       : '=';
MATCH    : '~';
NOMATCH  : '!~';
PLUS     : '+';
MINUS    : '-';
STAR     : '*';
SLASH    : '/';
PERCENT  : '%';
LPAREN   : '(';
RPAREN   : ')';
LBRACKET : '[';
RBRACKET : ']';
LBRACE   : '{';
RBRACE   : '}';
COMMA    : ',';
SEMI     : ';';
DOT      : '.';

// --- Blanks and comments, which the parser does not see ---

WS            : [ \t\r\n]+ -> channel(HIDDEN);
LINE_COMMENT  : ('--' | '#') ~[\r\n]* -> channel(HIDDEN);
BLOCK_COMMENT : '/*' (~'*' | '*'+ ~[*/])* '*'+ '/' -> channel(HIDDEN);

// --- Strings and comments without an end, and unknown bytes ---
// The lexer takes the longest match, and a closed string or comment is longer than its open form.

OPEN_STRING
    : [bB]? '\'' (~['\\] | '\\' . | '\'\'')* '\\'?
    | [bB]? '"' (~["\\] | '\\' . | '""')* '\\'?
    | [rR] ('\'' ~[']* | '"' ~["]*)
    ;
OPEN_COMMENT : '/*' (~'*' | '*'+ ~[*/])* '*'*;
ANY          : .;

fragment A : [aA];
fragment B : [bB];
fragment C : [cC];
fragment D : [dD];
fragment E : [eE];
fragment F : [fF];
fragment G : [gG];
fragment H : [hH];
fragment I : [iI];
fragment J : [jJ];
fragment K : [kK];
fragment L : [lL];
fragment M : [mM];
fragment N : [nN];
fragment O : [oO];
fragment P : [pP];
fragment Q : [qQ];
fragment R : [rR];
fragment S : [sS];
fragment T : [tT];
fragment U : [uU];
fragment V : [vV];
fragment W : [wW];
fragment X : [xX];
fragment Y : [yY];
fragment Z : [zZ];
