package models

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar is written so that only brackets nest: chains of operators, conditions and
// unary signs are lists, and the depth of brackets is limited before parsing (parse.go).

var tokens = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Comment", Pattern: `(//|#)[^\n]*`},
	{Name: "Space", Pattern: `[ \t\r\n]+`},
	{Name: "Keyword", Pattern: `(model|doc|param|def|check|weight|ignore|state|entry|for|in|if|else|return|into|shard|true|false|none)\b`},
	{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
	{Name: "Number", Pattern: `[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`},
	{Name: "String", Pattern: `"[^"\n]*"`},
	{Name: "Op", Pattern: `<-|->|\.\.|==|!=|<=|>=|&&|\|\||[-+*/%<>!=?:.,|(){}\[\]]`},
})

var parser = participle.MustBuild[fileNode](
	participle.Lexer(tokens),
	participle.Elide("Comment", "Space"),
	participle.UseLookahead(2),
)

var exprParser = func() *participle.Parser[exprNode] {
	p, err := participle.ParserForProduction[exprNode](parser)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return p
}()

type fileNode struct {
	Arch  *textNode   `parser:"'model' @@"`
	Decls []*declNode `parser:"@@*"`
}

type declNode struct {
	Pos    lexer.Position
	Doc    *textNode   `parser:"  'doc' @@"`
	Param  *paramNode  `parser:"| 'param' @@"`
	Check  *checkNode  `parser:"| 'check' @@"`
	Def    *defNode    `parser:"| 'def' @@"`
	Weight *weightNode `parser:"| 'weight' @@"`
	Ignore *ignoreNode `parser:"| 'ignore' @@"`
	State  *stateNode  `parser:"| 'state' @@"`
	Entry  *entryNode  `parser:"| 'entry' @@"`
}

// textNode is a string whose {expr} parts are filled in where it is used.
type textNode struct {
	Pos    lexer.Position
	Raw    string `parser:"@String"` // with its quotes
	pieces []piece
}

// rangeNode is `l in a..b if cond`; b is not included.
type rangeNode struct {
	Pos  lexer.Position
	Var  string    `parser:"@Ident 'in'"`
	From *exprNode `parser:"@@ '..'"`
	To   *exprNode `parser:"@@"`
	If   *exprNode `parser:"( 'if' @@ )?"`
}

type paramNode struct {
	Pos   lexer.Position
	Name  string     `parser:"@Ident"`
	Range *rangeNode `parser:"( '[' @@ ']' )?"`
	Type  *ptypeNode `parser:"( ':' @@ )?"`
	Value *exprNode  `parser:"'=' @@"`
}

type ptypeNode struct {
	Pos   lexer.Position
	Name  string `parser:"@Ident"`
	Array bool   `parser:"@( '[' ']' )?"`
}

// defNode is a named expression: def f(a, b) = e.
type defNode struct {
	Pos    lexer.Position
	Name   string      `parser:"@Ident"`
	Params []*nameNode `parser:"'(' @@ ( ',' @@ )* ')'"`
	Body   *exprNode   `parser:"'=' @@"`
}

type checkNode struct {
	Pos  lexer.Position
	Cond *exprNode  `parser:"@@"`
	Msg  *textNode  `parser:"':' @@"`
	For  *rangeNode `parser:"( 'for' @@ )?"`
}

type weightNode struct {
	Pos   lexer.Position
	Name  string       `parser:"@Ident"`
	Opt   bool         `parser:"@'?'?"`
	One   *tensorNode  `parser:"(  ':' @@"`
	Range *rangeNode   `parser:" | '[' @@ ']'"`
	Items []*witemNode `parser:"   '{' @@* '}' )"`
}

type tensorNode struct {
	Pos   lexer.Position
	Shape []*exprNode `parser:"'[' @@ ( ',' @@ )* ']'"`
	Names []*textNode `parser:"'=' @@ ( '|' @@ )*"`
	Shard *string     `parser:"( 'shard' @Number )?"`
}

type witemNode struct {
	Pos    lexer.Position
	If     *wifNode    `parser:"  'if' @@"`
	Name   string      `parser:"| ( @Ident"`
	Opt    bool        `parser:"    @'?'?"`
	Tensor *tensorNode `parser:"    ':' @@ )"`
}

type wifNode struct {
	Cond  *exprNode    `parser:"@@"`
	Then  []*witemNode `parser:"'{' @@* '}'"`
	Elifs []*welifNode `parser:"@@*"`
	Else  []*witemNode `parser:"( 'else' '{' @@* '}' )?"`
}

type welifNode struct {
	Cond *exprNode    `parser:"'else' 'if' @@"`
	Then []*witemNode `parser:"'{' @@* '}'"`
}

type ignoreNode struct {
	Pos  lexer.Position
	Name *textNode  `parser:"@@"`
	For  *rangeNode `parser:"( 'for' @@ )?"`
}

type stateNode struct {
	Pos   lexer.Position
	Name  string     `parser:"@Ident"`
	Range *rangeNode `parser:"( '[' @@ ']' )?"`
	Type  *typeNode  `parser:"':' @@"`
}

// typeNode is an element type and a shape: f32[T, 2 * D].
type typeNode struct {
	Pos   lexer.Position
	DType string      `parser:"@Ident"`
	Dims  []*exprNode `parser:"'[' @@ ( ',' @@ )* ']'"`
}

type entryNode struct {
	Pos    lexer.Position
	Name   string      `parser:"@Ident"`
	Args   []*argNode  `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
	Result string      `parser:"'->' @Ident"`
	Type   *typeNode   `parser:"':' @@"`
	Body   []*stmtNode `parser:"'{' @@* '}'"`
}

type argNode struct {
	Pos  lexer.Position
	Name string    `parser:"@Ident"`
	Type *typeNode `parser:"':' @@"`
}

type stmtNode struct {
	Pos    lexer.Position
	For    *forNode    `parser:"  'for' @@"`
	If     *ifNode     `parser:"| 'if' @@"`
	Return *exprNode   `parser:"| 'return' @@"`
	Assign *assignNode `parser:"| @@"`
}

type forNode struct {
	Range *rangeNode  `parser:"@@"`
	Body  []*stmtNode `parser:"'{' @@* '}'"`
}

type ifNode struct {
	Cond  *exprNode   `parser:"@@"`
	Then  []*stmtNode `parser:"'{' @@* '}'"`
	Elifs []*elifNode `parser:"@@*"`
	Else  []*stmtNode `parser:"( 'else' '{' @@* '}' )?"`
}

type elifNode struct {
	Cond *exprNode   `parser:"'else' 'if' @@"`
	Then []*stmtNode `parser:"'{' @@* '}'"`
}

// assignNode is `x = e into y`, `a, b = e` or `state[l] <- e`.
type assignNode struct {
	Pos     lexer.Position
	Targets []*targetNode `parser:"@@ ( ',' @@ )*"`
	Store   bool          `parser:"( @'<-' | '=' )"`
	Value   *exprNode     `parser:"@@"`
	Into    *nameNode     `parser:"( 'into' @@ )?"`
}

type targetNode struct {
	Pos   lexer.Position
	Name  string    `parser:"@Ident"`
	Index *exprNode `parser:"( '[' @@ ']' )?"`
}

type nameNode struct {
	Pos  lexer.Position
	Name string `parser:"@Ident"`
}
