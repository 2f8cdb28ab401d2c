// Statements of Sippar's query language over the tokens of SipparLexer.g4. No left recursion, no
// predicates, no embedded code: one file serves the parser, the completion (which walks the ATN of
// these rules) and any other ANTLR target. See README.md and query/LANGUAGE.md.
// SPDX-License-Identifier: Apache-2.0
parser grammar SipparParser;

options { tokenVocab = SipparLexer; }

// --- Entry points ---

script
    : statement? (SEMI statement?)* EOF
    ;

singleExpression
    : expression EOF
    ;

singlePattern
    : columnPattern EOF
    ;

statement
    : explain
    | select
    | tail
    | insert
    | update
    | deleteRows
    | increment
    | append
    | atomic
    | beginRow
    | commit
    | rollback
    | createTable
    | alterTable
    | dropTable
    | show
    | describe
    | importFile
    | exportFile
    | setOption
    | resetOption
    | compact
    | flush
    | other
    ;

explain
    : EXPLAIN ANALYZE? (FORMAT name)? statement
    ;

// --- Reading ---

select
    : SELECT CELLS? DISTINCT? selectItem (COMMA selectItem)*
      (FROM source readOption* (unnestItem+ readOption*)?)?
      (where readOption*)?
      (GROUP BY expression (COMMA expression)*)?
      having?
      (ORDER BY orderItem (COMMA orderItem)*)?
      limit?
      after?
    ;

selectItem
    : STAR
    | expression (AS anyWord | IDENT)?
    ;

source
    : tableName (LPAREN namedArg (COMMA namedArg)* RPAREN)? sourceAlias?
    | CELLS LPAREN tableName (COMMA columnPattern)* RPAREN sourceAlias?
    | LPAREN select RPAREN sourceAlias?
    | UNPACK LPAREN (select | LPAREN select RPAREN) RPAREN sourceAlias?
    | unnest
    ;

// The items of a list as rows. The alias is the name of its column.
unnest
    : UNNEST LPAREN expression RPAREN sourceAlias? (WITH OFFSET offsetAlias?)?
    ;

// No keyword without AS, as for sourceAlias: LEFT JOIN may follow.
offsetAlias
    : AS name
    | IDENT
    | OFFSET
    ;

// The items of a list of the row before it, as GoogleSQL's correlated join. An ON is never needed.
unnestItem
    : (COMMA | (CROSS | INNER | LEFT OUTER?)? JOIN) unnest
    ;

// After FROM web AS x, x.name is the column `name` of web. Without AS no keyword can be an alias, and
// a misspelt WHERE is read as one: query/parse/parse.cc says so when the next token does not fit.
sourceAlias
    : AS name
    | IDENT
    ;

// An argument of a table, as GoogleSQL writes it: web(as_of => TIMESTAMP '…').
namedArg
    : name ARROW expression
    ;

readOption
    : AS OF expression
    | VERSIONS (expression | ALL)
    | timeRange
    | CELLS PER (ROW | FAMILY | COLUMN) expression (OFFSET expression)?
    | WITH DELETES
    | STRIP VALUES
    | REVERSE
    | SAMPLE expression (PERCENT_ | ROWS)?
    ;

// A half-open range: the time of FROM is included, the time of TO is not.
timeRange
    : TIME timeFrom? timeTo?
    ;

timeFrom
    : FROM expression
    ;

timeTo
    : TO expression
    ;

having
    : HAVING expression
    ;

orderItem
    : expression (ASC | DESC)?
    ;

limit
    : LIMIT expression (ROWS | CELLS | BY expression)? (OFFSET expression)?
    ;

after
    : AFTER ROW? expression
    ;

tail
    : TAIL tableName (columnPattern (COMMA columnPattern)*)? where? timeFrom? timeTo? limit?
    ;

where
    : WHERE expression
    ;

// --- Writing ---

insert
    : INSERT INTO tableName
      ( ROW expression SET assign (COMMA assign)* condition?
      | LPAREN columnTarget (COMMA columnTarget)* RPAREN
        (VALUES tuple (COMMA tuple)* at? | select)
      | CELLS VALUES tuple (COMMA tuple)*
      | select
      )
    ;

columnTarget
    : ROW
    | TIMESTAMP
    | columnPattern
    ;

tuple
    : LPAREN expression (COMMA expression)* RPAREN
    ;

assign
    : columnPattern (EQ | PLUS_EQ | CAT_EQ) expression at?
    ;

at
    : AT expression
    ;

// Check and mutate: the row is changed only when this holds.
condition
    : IF expression
    ;

update
    : UPDATE tableName SET assign (COMMA assign)* where condition? returning?
    ;

deleteRows
    : DELETE (columnPattern (COMMA columnPattern)*)? FROM tableName timeSpan?
      (where | ALL ROWS) condition?
    ;

timeSpan
    : timeRange
    | AT expression (COMMA expression)*
    ;

increment
    : INCREMENT tableName columnPattern (BY expression)? where returning?
    ;

append
    : APPEND expression TO tableName columnPattern where returning?
    ;

returning
    : RETURNING selectItem (COMMA selectItem)*
    ;

// --- Row transactions ---

atomic
    : ATOMIC ON tableName ROW expression block
    ;

// Braces and not END, so that the lexer alone finds the end of a statement.
block
    : LBRACE (rowStatement SEMI?)* RBRACE
    ;

rowStatement
    : IF expression block (ELSE (block | rowStatement))?
    | SET assign (COMMA assign)*
    | DELETE (ROW | columnPattern (COMMA columnPattern)*) timeSpan?
    | LET name EQ expression
    | FAIL expression
    | RETURN selectItem (COMMA selectItem)*
    ;

beginRow
    : BEGIN ROW tableName expression
    ;

commit
    : COMMIT
    ;

rollback
    : ROLLBACK
    ;

// --- Schema ---

createTable
    : CREATE TABLE (IF NOT EXISTS)? tableName
      (LIKE tableName | LPAREN tableElement (COMMA tableElement)* RPAREN)
      optionList? (SPLIT AT tuple)?
    ;

tableElement
    : familyElement
    | groupElement
    ;

familyElement
    : FAMILY familyName option*
    ;

groupElement
    : LOCALITY GROUP groupName LPAREN familyName (COMMA familyName)* RPAREN option*
    ;

// "=" may be left out before a literal, not before a name: else BLOOM ROW IN_MEMORY has two
// readings.
option
    : name (EQ? literal | EQ optionCall)?
    ;

// FILE 'x' means FILE('x').
optionCall
    : name (LPAREN optionArg (COMMA optionArg)* RPAREN | literal)?
    ;

optionArg
    : literal
    | optionCall
    ;

optionList
    : WITH LPAREN option (COMMA option)* RPAREN
    ;

alterTable
    : ALTER TABLE tableName alterAction (COMMA alterAction)*
    ;

// RENAME is not supported. It is parsed so that the error can say so.
alterAction
    : ADD (addedFamily | addedGroup)
    | ALTER tableElement
    | DROP FAMILY (IF EXISTS)? familyName
    | DROP LOCALITY GROUP groupName
    | SET LPAREN option (COMMA option)* RPAREN
    | RENAME (FAMILY familyName)? TO familyName
    ;

addedFamily
    : FAMILY (IF NOT EXISTS)? familyName option*
    ;

addedGroup
    : LOCALITY GROUP (IF NOT EXISTS)? groupName LPAREN familyName (COMMA familyName)* RPAREN option*
    ;

dropTable
    : DROP TABLE (IF EXISTS)? tableName
    ;

// --- Looking around, moving data, settings ---

show
    : SHOW showWhat (LIKE expression)? where?
    ;

showWhat
    : CREATE TABLE tableName
    | (LOCALITY GROUPS | name) ((FROM | IN_ | OF | ON) tableName)?
    ;

describe
    : (DESCRIBE | DESC) TABLE? tableName
    ;

importFile
    : IMPORT INTO tableName FROM expression (FORMAT fileFormat)?
      (LPAREN mapItem (COMMA mapItem)* RPAREN)? optionList?
    ;

mapItem
    : columnTarget EQ expression
    ;

exportFile
    : EXPORT (TABLE tableName | LPAREN select RPAREN) TO expression (FORMAT fileFormat)? optionList?
    ;

// CELLS is the one format whose name is a reserved word.
fileFormat
    : name | CELLS
    ;

setOption
    : SET name (EQ | TO) (expression | ON | ALL)
    ;

resetOption
    : RESET (ALL | name)
    ;

compact
    : COMPACT TABLE tableName (LOCALITY GROUP groupName)? (MAJOR | MINOR)? where?
    ;

flush
    : FLUSH TABLE tableName
    ;

// --- Statements on tablets, backups and rights. GRANT and REVOKE are not supported; the tree
// keeps them as words ---

other
    : grant
    | revoke
    | split
    | merge
    | moveTablet
    | balance
    | backup
    | restore
    | alterBackup
    | dropBackup
    | cancel
    ;

grant
    : GRANT privilege (COMMA privilege)* ON TABLE tableName
      (FAMILY familyName (COMMA familyName)*)? TO expression (COMMA expression)*
    ;

revoke
    : REVOKE privilege (COMMA privilege)* ON TABLE tableName
      (FAMILY familyName (COMMA familyName)*)? FROM expression (COMMA expression)*
    ;

// READ and WRITE are read as names: as tokens they would make the rule ambiguous. The names are not
// checked, since GRANT and REVOKE are not supported.
privilege
    : ALL
    | name
    ;

split
    : SPLIT TABLE tableName AT tuple
    ;

merge
    : MERGE TABLETS OF tableName where?
    ;

moveTablet
    : MOVE TABLET OF tableName ROW expression TO expression
    ;

balance
    : BALANCE balanceMode?
    ;

// ON is a keyword; OFF and NOW are read as names.
balanceMode
    : ON
    | name
    ;

backup
    : (BACKUP | SNAPSHOT) TABLE tableName AS name optionList?
    ;

restore
    : RESTORE TABLE tableName FROM name (AS OF expression)?
    ;

alterBackup
    : ALTER BACKUP name SET LPAREN option (COMMA option)* RPAREN
    ;

dropBackup
    : DROP BACKUP (IF EXISTS)? name
    ;

cancel
    : CANCEL name? expression
    ;

// --- Names ---

tableName
    : name
    ;

familyName
    : name
    | STRING
    ;

groupName
    : name
    | STRING
    ;

columnPattern
    : COLUMN_PATTERN
    ;

name
    : IDENT
    | softKeyword
    ;

// What may follow AS: any word at all.
anyWord
    : IDENT
    | softKeyword
    | hardKeyword
    ;

// Keywords that may be names: the grammar tells the two uses apart.
softKeyword
    : ADD | AFTER | ANALYZE | APPEND | ARRAY | ATOMIC | BACKUP | BALANCE | CANCEL | COLUMN
    | COMMIT | COMPACT | CROSS | DATE | DELETES | EXTRACT | FAIL | FAMILY | FLUSH | FORMAT
    | FULL | GROUPS | ILIKE | INNER | INTERVAL | JOIN | LEFT | LOCALITY | MAJOR | MERGE | MINOR
    | MOVE | OFFSET | OUTER | PER | PERCENT_ | RENAME | RESET | RESTORE | REVERSE | RIGHT
    | ROLLBACK | ROW | ROWS | SAMPLE | SNAPSHOT | SPLIT | STARTS | STRIP | STRUCT | TABLET
    | TABLETS | TAIL | TIME | TIMESTAMP | UNNEST | UNPACK | VERSIONS
    ;

hardKeyword
    : ALL | ALTER | AND | AS | ASC | AT | BEGIN | BETWEEN | BY | CASE | CAST | CELLS | CREATE
    | DELETE | DESC | DESCRIBE | DISTINCT | DROP | ELSE | END | EXISTS | EXPLAIN | EXPORT | FALSE_
    | FROM | GRANT | GROUP | HAVING | IF | IMPORT | IN_ | INCREMENT | INSERT | INTO | IS | LET
    | LIKE | LIMIT | NOT | NULL_ | OF | ON | OR | ORDER | RETURN | RETURNING | REVOKE | SELECT
    | SET | SHOW | TABLE | THEN | TO | TRUE_ | TRY_CAST | UPDATE | VALUES | WHEN | WHERE | WITH
    ;

// --- Expressions, one layer per binding strength ---
// A chain ('a' <= row < 'e') is several comparisonTails. One left-recursive rule for "x < x < x"
// would be ambiguous.

expression
    : conjunction (OR conjunction)*
    ;

conjunction
    : negation (AND negation)*
    ;

negation
    : NOT negation
    | comparison
    ;

comparison
    : operand comparisonTail*
    ;

comparisonTail
    : (EQ | NE | LT | LE | GT | GE | MATCH | NOMATCH) operand
    | REGEX_TEST
    | NOT? (LIKE | ILIKE) operand
    | STARTS WITH operand
    | NOT? BETWEEN operand AND operand
    | NOT? IN_ (LPAREN expression (COMMA expression)* RPAREN | UNNEST LPAREN expression RPAREN)
    | IS NOT? (NULL_ | TRUE_ | FALSE_)
    | IS NOT? DISTINCT FROM operand
    ;

// One rule for four layers (<< >>, then &, then ^, then |): each rule costs time in every
// expression. query/parse/bits_builder.cc puts the layers into the tree.
operand
    : sum (bitOperator sum)*
    ;

// A shift is two tokens, or ARRAY<STRUCT<x INT64>> would end in one.
bitOperator
    : LT LT
    | GT GT
    | AMP
    | CARET
    | PIPE
    ;

sum
    : term ((PLUS | MINUS | CAT) term)*
    ;

term
    : unary ((STAR | SLASH | PERCENT) unary)*
    ;

unary
    : (MINUS | PLUS | MATCH) unary
    | postfix
    ;

postfix
    : primary (LBRACKET expression RBRACKET | DOT anyWord)*
    ;

// The forms that begin with a word come before `call` and `name`, which also take that word.
primary
    : literal
    | typedArray
    | structOf
    | extract
    | interval
    | call
    | caseWhen
    | (CAST | TRY_CAST) LPAREN expression AS typeName RPAREN
    | columnPattern
    | name
    | PARAM
    | LPAREN expression RPAREN
    | LBRACKET (expression (COMMA expression)*)? RBRACKET
    ;

call
    : (name DOT)? (name | IF) LPAREN (STAR | DISTINCT? argument (COMMA argument)*)? RPAREN
    ;

argument
    : lambda
    | expression
    ;

lambda
    : (name | LPAREN name (COMMA name)* RPAREN) LAMBDA expression
    ;

typedArray
    : ARRAY typeArguments? LBRACKET (expression (COMMA expression)*)? RBRACKET
    ;

structOf
    : STRUCT typeArguments? LPAREN structField (COMMA structField)* RPAREN
    ;

structField
    : expression (AS anyWord)?
    ;

typeArguments
    : LT typeField (COMMA typeField)* GT
    ;

typeField
    : name? typeName
    ;

typeName
    : name typeArguments?
    ;

extract
    : EXTRACT LPAREN timePart FROM expression (AT TIME name expression)? RPAREN
    ;

// DAY, WEEK(MONDAY)
timePart
    : name (LPAREN name RPAREN)?
    ;

interval
    : INTERVAL unary IDENT
    | INTERVAL STRING
    ;

caseWhen
    : CASE caseOperand? (WHEN expression THEN expression)+ caseElse? END
    ;

caseOperand
    : expression
    ;

caseElse
    : ELSE expression
    ;

literal
    : INT
    | FLOAT
    | STRING
    | RAW_STRING
    | BYTES
    | DURATION
    | SIZE
    | TRUE_
    | FALSE_
    | NULL_
    | (TIMESTAMP | DATE) STRING
    ;
