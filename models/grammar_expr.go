package models

import "github.com/alecthomas/participle/v2/lexer"

// exprNode is `a ? b : c ? d : e`, read as a ? b : (c ? d : e). A condition inside the middle
// part needs parentheses.
type exprNode struct {
	Pos   lexer.Position
	First *orNode     `parser:"@@"`
	Alts  []*condNode `parser:"@@*"`
}

type condNode struct {
	Then *orNode `parser:"'?' @@"`
	Else *orNode `parser:"':' @@"`
}

type orNode struct {
	Terms []*andNode `parser:"@@ ( '||' @@ )*"`
}

type andNode struct {
	Terms []*cmpNode `parser:"@@ ( '&&' @@ )*"`
}

// cmpNode is one comparison or none; comparisons do not chain.
type cmpNode struct {
	Pos   lexer.Position
	Left  *sumNode `parser:"@@"`
	Op    string   `parser:"( @( '==' | '!=' | '<=' | '>=' | '<' | '>' )"`
	Right *sumNode `parser:"  @@ )?"`
}

type sumNode struct {
	First *productNode `parser:"@@"`
	Rest  []*sumTail   `parser:"@@*"`
}

type sumTail struct {
	Pos  lexer.Position
	Op   string       `parser:"@( '+' | '-' )"`
	Term *productNode `parser:"@@"`
}

type productNode struct {
	First *unaryNode     `parser:"@@"`
	Rest  []*productTail `parser:"@@*"`
}

type productTail struct {
	Pos  lexer.Position
	Op   string     `parser:"@( '*' | '/' | '%' )"`
	Term *unaryNode `parser:"@@"`
}

type unaryNode struct {
	Pos  lexer.Position
	Ops  []string     `parser:"@( '-' | '!' )*"`
	Base *primaryNode `parser:"@@"`
	Tail []*tailNode  `parser:"@@*"`
}

type primaryNode struct {
	Pos    lexer.Position
	Number string    `parser:"  @Number"`
	Text   *textNode `parser:"| @@"`
	Const  string    `parser:"| @( 'true' | 'false' | 'none' )"`
	Call   *callNode `parser:"| @@"`
	Name   string    `parser:"| @Ident"`
	Paren  *exprNode `parser:"| '(' @@ ')'"`
}

type callNode struct {
	Pos  lexer.Position
	Name string         `parser:"@Ident '('"`
	Args []*callArgNode `parser:"( @@ ( ',' @@ )* )? ')'"`
}

type callArgNode struct {
	Pos   lexer.Position
	Name  string    `parser:"( @Ident '=' )?"`
	Value *exprNode `parser:"@@"`
}

// tailNode is .name, [i] or the columns [a:b], [a:], [:b].
type tailNode struct {
	Pos    lexer.Position
	Member string     `parser:"  '.' @Ident"`
	Index  *indexNode `parser:"| '[' @@ ']'"`
}

type indexNode struct {
	From  *exprNode `parser:"@@?"`
	Colon bool      `parser:"( @':'"`
	To    *exprNode `parser:"  @@? )?"`
}
