package models

import "github.com/alecthomas/participle/v2/lexer"

// exprNode is `a ? b : c ? d : e`, read as a ? b : (c ? d : e). A condition inside the middle
// part needs parentheses.
type exprNode struct {
	Pos   lexer.Position
	First *orNode     `@@`
	Alts  []*condNode `@@*`
}

type condNode struct {
	Then *orNode `"?" @@`
	Else *orNode `":" @@`
}

type orNode struct {
	Terms []*andNode `@@ ( "||" @@ )*`
}

type andNode struct {
	Terms []*cmpNode `@@ ( "&&" @@ )*`
}

// cmpNode is one comparison or none; comparisons do not chain.
type cmpNode struct {
	Pos   lexer.Position
	Left  *sumNode `@@`
	Op    string   `( @( "==" | "!=" | "<=" | ">=" | "<" | ">" )`
	Right *sumNode `  @@ )?`
}

type sumNode struct {
	First *productNode `@@`
	Rest  []*sumTail   `@@*`
}

type sumTail struct {
	Pos  lexer.Position
	Op   string       `@( "+" | "-" )`
	Term *productNode `@@`
}

type productNode struct {
	First *unaryNode     `@@`
	Rest  []*productTail `@@*`
}

type productTail struct {
	Pos  lexer.Position
	Op   string     `@( "*" | "/" | "%" )`
	Term *unaryNode `@@`
}

type unaryNode struct {
	Pos  lexer.Position
	Ops  []string     `@( "-" | "!" )*`
	Base *primaryNode `@@`
	Tail []*tailNode  `@@*`
}

type primaryNode struct {
	Pos    lexer.Position
	Number string    `  @Number`
	Text   *textNode `| @@`
	Const  string    `| @( "true" | "false" | "none" )`
	Call   *callNode `| @@`
	Name   string    `| @Ident`
	Paren  *exprNode `| "(" @@ ")"`
}

type callNode struct {
	Pos  lexer.Position
	Name string          `@Ident "("`
	Args []*callArgNode  `( @@ ( "," @@ )* )? ")"`
}

type callArgNode struct {
	Pos   lexer.Position
	Name  string    `( @Ident "=" )?`
	Value *exprNode `@@`
}

// tailNode is .name, [i] or the columns [a:b], [a:], [:b].
type tailNode struct {
	Pos    lexer.Position
	Member string     `  "." @Ident`
	Index  *indexNode `| "[" @@ "]"`
}

type indexNode struct {
	From  *exprNode `@@?`
	Colon bool      `( @":"`
	To    *exprNode `  @@? )?`
}
