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
	{Name: "Keyword", Pattern: `(model|doc|param|check|weight|ignore|state|entry|for|in|if|else|return|into|true|false|none)\b`},
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
	Arch  *textNode   `"model" @@`
	Decls []*declNode `@@*`
}

type declNode struct {
	Pos    lexer.Position
	Doc    *textNode   `  "doc" @@`
	Param  *paramNode  `| "param" @@`
	Check  *checkNode  `| "check" @@`
	Weight *weightNode `| "weight" @@`
	Ignore *ignoreNode `| "ignore" @@`
	State  *stateNode  `| "state" @@`
	Entry  *entryNode  `| "entry" @@`
}

// textNode is a string whose {expr} parts are filled in where it is used.
type textNode struct {
	Pos    lexer.Position
	Raw    string `@String` // with its quotes
	pieces []piece
}

// rangeNode is `l in a..b if cond`; b is not included.
type rangeNode struct {
	Pos  lexer.Position
	Var  string    `@Ident "in"`
	From *exprNode `@@ ".."`
	To   *exprNode `@@`
	If   *exprNode `( "if" @@ )?`
}

type paramNode struct {
	Pos   lexer.Position
	Name  string     `@Ident`
	Range *rangeNode `( "[" @@ "]" )?`
	Type  *ptypeNode `( ":" @@ )?`
	Value *exprNode  `"=" @@`
}

type ptypeNode struct {
	Pos   lexer.Position
	Name  string `@Ident`
	Array bool   `@( "[" "]" )?`
}

type checkNode struct {
	Pos  lexer.Position
	Cond *exprNode  `@@`
	Msg  *textNode  `":" @@`
	For  *rangeNode `( "for" @@ )?`
}

type weightNode struct {
	Pos   lexer.Position
	Name  string         `@Ident`
	Opt   bool           `@"?"?`
	One   *tensorNode    `(  ":" @@`
	Range *rangeNode     ` | "[" @@ "]"`
	Items []*witemNode   `   "{" @@* "}" )`
}

type tensorNode struct {
	Pos   lexer.Position
	Shape []*exprNode `"[" @@ ( "," @@ )* "]"`
	Names []*textNode `"=" @@ ( "|" @@ )*`
}

type witemNode struct {
	Pos    lexer.Position
	If     *wifNode    `  "if" @@`
	Name   string      `| ( @Ident`
	Opt    bool        `    @"?"?`
	Tensor *tensorNode `    ":" @@ )`
}

type wifNode struct {
	Cond  *exprNode    `@@`
	Then  []*witemNode `"{" @@* "}"`
	Elifs []*welifNode `@@*`
	Else  []*witemNode `( "else" "{" @@* "}" )?`
}

type welifNode struct {
	Cond *exprNode    `"else" "if" @@`
	Then []*witemNode `"{" @@* "}"`
}

type ignoreNode struct {
	Pos  lexer.Position
	Name *textNode  `@@`
	For  *rangeNode `( "for" @@ )?`
}

type stateNode struct {
	Pos   lexer.Position
	Name  string     `@Ident`
	Range *rangeNode `( "[" @@ "]" )?`
	Type  *typeNode  `":" @@`
}

// typeNode is an element type and a shape: f32[T, 2 * D].
type typeNode struct {
	Pos   lexer.Position
	DType string      `@Ident`
	Dims  []*exprNode `"[" @@ ( "," @@ )* "]"`
}

type entryNode struct {
	Pos    lexer.Position
	Name   string      `@Ident`
	Args   []*argNode  `"(" ( @@ ( "," @@ )* )? ")"`
	Result string      `"->" @Ident`
	Type   *typeNode   `":" @@`
	Body   []*stmtNode `"{" @@* "}"`
}

type argNode struct {
	Pos  lexer.Position
	Name string    `@Ident`
	Type *typeNode `":" @@`
}

type stmtNode struct {
	Pos    lexer.Position
	For    *forNode    `  "for" @@`
	If     *ifNode     `| "if" @@`
	Return *exprNode   `| "return" @@`
	Assign *assignNode `| @@`
}

type forNode struct {
	Range *rangeNode  `@@`
	Body  []*stmtNode `"{" @@* "}"`
}

type ifNode struct {
	Cond  *exprNode   `@@`
	Then  []*stmtNode `"{" @@* "}"`
	Elifs []*elifNode `@@*`
	Else  []*stmtNode `( "else" "{" @@* "}" )?`
}

type elifNode struct {
	Cond *exprNode   `"else" "if" @@`
	Then []*stmtNode `"{" @@* "}"`
}

// assignNode is `x = e into y`, `a, b = e` or `state[l] <- e`.
type assignNode struct {
	Pos     lexer.Position
	Targets []*targetNode `@@ ( "," @@ )*`
	Store   bool          `( @"<-" | "=" )`
	Value   *exprNode     `@@`
	Into    *nameNode     `( "into" @@ )?`
}

type targetNode struct {
	Pos   lexer.Position
	Name  string    `@Ident`
	Index *exprNode `( "[" @@ "]" )?`
}

type nameNode struct {
	Pos  lexer.Position
	Name string `@Ident`
}
