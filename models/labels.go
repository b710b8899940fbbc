package models

import (
	"strconv"

	"dsac/ir"
)

// labels makes step names unique: the second l3.x is l3.x.2.
type labels struct{ used map[string]int }

func (l *labels) unique(name string) string {
	if l.used == nil {
		l.used = make(map[string]int)
	}
	l.used[name]++
	n := l.used[name]
	if n == 1 {
		return name
	}
	for {
		s := name + "." + strconv.Itoa(n)
		if l.used[s] == 0 {
			l.used[s] = 1
			return s
		}
		n++
	}
}

// label names the nodes from first on, which one statement added: the node of the statement's
// own value after the variable, those of nested calls after variable and op. Results take the
// variables' names.
func (b *builder) label(first int, names []string, outs []*ir.Value) {
	if len(names) == 0 {
		names = []string{"value"}
	}
	prefix := ""
	if b.layer >= 0 {
		prefix = "l" + strconv.Itoa(b.layer) + "."
	}
	for i := first; i < len(b.g.Nodes); i++ {
		n := b.g.Nodes[i]
		if len(outs) > 0 && outs[0].Def == n {
			n.Label = b.names.unique(prefix + names[0])
			continue
		}
		n.Label = b.names.unique(prefix + names[0] + "." + n.Op.Name)
	}
	for i, o := range outs {
		if i < len(names) && o.Name == "" {
			o.Name = names[i]
		}
	}
}
