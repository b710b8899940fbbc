package chat

import (
	"errors"
	"fmt"

	"github.com/nikolalohinski/gonja/v2/builtins"
	controlStructures "github.com/nikolalohinski/gonja/v2/builtins/control_structures"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// statementNames are the statements of a chat template; include, import and extends are not
// among them, since there is nothing to read.
var statementNames = []string{"for", "if", "set", "filter", "raw", "with", "do", "break", "continue", "call"}

// nestingNames are the statements that always have an end tag.
var nestingNames = []string{"for", "if", "filter", "with", "call", "macro", "generation"}

// statements returns the statements of templates; a macro that is stopped says so in raised.
func statements(raised *string) *exec.ControlStructureSet {
	set := map[string]parser.ControlStructureParser{"generation": parseGeneration}
	for _, name := range statementNames {
		if p, ok := builtins.ControlStructures.Get(name); ok {
			set[name] = p
		}
	}
	macro, _ := builtins.ControlStructures.Get("macro")
	set["macro"] = func(p, args *parser.Parser) (nodes.ControlStructure, error) {
		cs, err := macro(p, args)
		if m, ok := cs.(*controlStructures.MacroControlStructure); ok && err == nil {
			return &boundedMacro{m, raised}, nil
		}
		return cs, err
	}
	return exec.NewControlStructureSet(set)
}

// boundedMacro is a macro that cannot call itself without end: the stack of a goroutine
// cannot be recovered once it is full.
type boundedMacro struct {
	*controlStructures.MacroControlStructure
	raised *string
}

// Execute defines the macro.
func (b *boundedMacro) Execute(r *exec.Renderer, tag *nodes.ControlStructureBlock) error {
	if err := b.MacroControlStructure.Execute(r, tag); err != nil {
		return err
	}
	defined, _ := r.Environment.Context.Get(b.Name)
	inner, ok := defined.(exec.Macro)
	if !ok {
		return fmt.Errorf("macro %s was not defined", b.Name)
	}
	depth := 0
	r.Environment.Context.Set(b.Name, exec.Macro(func(args *exec.VarArgs) *exec.Value {
		depth++
		defer func() { depth-- }()
		if depth > maxMacro {
			*b.raised = fmt.Sprintf("macro %s calls itself more than %d times", b.Name, maxMacro)
			return exec.AsValue(errors.New(*b.raised))
		}
		return inner(args)
	}))
	return nil
}

// generation is the block {% generation %}...{% endgeneration %} by which the Hugging Face
// runner finds what an assistant said; here it only shows its contents.
type generation struct {
	at   *tokens.Token
	body *nodes.Wrapper
}

func (g *generation) Position() *tokens.Token { return g.at }
func (g *generation) String() string          { return "generation" }

// Execute renders the contents.
func (g *generation) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	return r.ExecuteIfWrapper(g.body)
}

func parseGeneration(p, _ *parser.Parser) (nodes.ControlStructure, error) {
	at := p.Current()
	body, _, err := p.WrapUntil("endgeneration")
	return &generation{at, body}, err
}
