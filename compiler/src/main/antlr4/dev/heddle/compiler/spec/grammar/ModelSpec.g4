// The grammar of *.model files. model-specs/README.md explains it with examples.
grammar ModelSpec;

@parser::members {
  // A call's parenthesis stands on the line of its name: `x = f` and, on the next line, `(a, b) = g(x)` are two statements.
  private boolean sameLine() {
    return _input.LT(-1) == null || _input.LT(-1).getLine() == _input.LT(1).getLine();
  }

  private boolean nextIs(String word) {
    return _input.LT(1).getText().equals(word);
  }
}

file : 'model' name decl* EOF ;

decl
  : param
  | config
  | weightDecl
  | blockDecl
  | ignoreDecl
  | refuseDecl
  | stateDecl
  | defDecl
  | layerDecl
  | graphDecl
  ;

param : 'param' name (',' name)* ':' type=name ('[' length=expr ']')? '=' expr (',' expr)* ('default' deflt=expr)? requirement* ;
requirement : 'require' (expr | own) ('else' STRING)? ;
own : op=('==' | '!=' | '<' | '<=' | '>' | '>=') sum ('and' conjunction)? ;   // "require > 0": of the parameter itself

config : 'config' STRING '{' setting* '}' ;
setting
  : 'with' name ('(' arguments? ')')?   # settingWith
  | name '=' expr                       # settingValue
  | name                                # settingFlag
  ;

weightDecl : 'weight' weight ;
blockDecl : 'weights' name var=name 'in' from=expr '..' to=expr '{' blockItem* '}' ;
blockItem
  : weight                              # itemWeight
  | 'when' expr '{' blockItem* '}'      # itemWhen
  ;
weight : name ':' shape '=' alternative ('or' alternative)* 'optional'? ;
alternative
  : STRING ({nextIs("rows")}? NAME from=sum '..' to=sum)?  # fromTensor
  | name                                # fromWeight
  ;
shape : '[' expr (',' expr)* ']' ;

ignoreDecl : 'ignore' STRING (',' STRING)* ;
refuseDecl : 'refuse' STRING (',' STRING)* 'else' STRING ;

stateDecl : 'state' stateName (',' stateName)* ':' shape element=name rollback=name ('when' expr)? ;
stateName : name '(' name ')' ;

defDecl : 'def' name '(' names? ')' role? body ;
layerDecl : 'layer' name '(' names? ')' ('when' expr | 'otherwise')? body ;
graphDecl : 'graph' name '(' names? ')' ('when' expr)? ('with' name '=' expr)? body ;
role : 'role' name ;
names : name (',' name)* ;

body
  : '=' expr                            # bodyExpr
  | '{' statement* '}'                  # bodyBlock
  ;
statement
  : 'return' (name '=')? expr                     # gives
  | 'capture' name ('[' name ']' 'of' 'stack' | '=' expr)  # captures
  | name '=' expr                                 # assigns
  | '(' name (',' name)+ ')' '=' expr             # unpacks
  | ';'                                           # empty
  ;

expr : condition=disjunction ('?' expr ':' expr)? ;
disjunction : conjunction ('or' conjunction)* ;
conjunction : negation ('and' negation)* ;
negation : 'not' negation | comparison ;
comparison : sum (op=('==' | '!=' | '<' | '<=' | '>' | '>=') sum)? ;
sum : product (('+' | '-') product)* ;
product : unary (('*' | '/' | '%') unary)* ;
unary : '-' unary | power ;
power : postfix ('^' unary)? ;
postfix : atom suffix* ;
suffix
  : '.' name                            # field
  | '[' expr ']'                        # index
  ;
atom
  : NUMBER                              # number
  | STRING                              # text
  | 'true'                              # yes
  | 'false'                             # no
  | 'none'                              # none
  | 'stack' '(' expr ',' name 'in' expr '..' expr ')'   # stack
  | name {sameLine()}? '(' arguments? ')'               # call
  | name                                # variable
  | '[' (expr (',' expr)*)? ']'         # list
  | '(' expr ')'                        # group
  ;
arguments : argument (',' argument)* ;
argument : (name '=')? expr ;

// Words that mean something in one place only and are free as names elsewhere.
name : NAME | 'of' | 'role' | 'ignore' | 'refuse' | 'config' | 'model' | 'weight' ;

NUMBER : DIGIT+ ('.' DIGIT+)? ([eE] [+-]? DIGIT+)? ;
NAME : [A-Za-z_] [A-Za-z_0-9]* ;
STRING : '"' ~["\r\n]* '"' ;
COMMENT : '#' ~[\r\n]* -> channel(HIDDEN) ;
SPACE : [ \t\r\n]+ -> channel(HIDDEN) ;
OTHER : . ;

fragment DIGIT : [0-9] ;
