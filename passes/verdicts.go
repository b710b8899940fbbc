package passes

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"

	"dsac/codegen/cache"
	"dsac/codegen/ptx"
	"dsac/runtime/plan"
)

// verdictKind is the cache's for verdicts.
const verdictKind = "verdicts"

// kept is a verdict without an error, as the cache has it.
type kept struct{ Sum, Full *ptx.Summary }

// rejudge is judge for a plan that has just been compiled: verdicts that a compile by this very
// program reached on the same text before are not reached again. A lint of somebody's plan
// always reads the kernels.
func rejudge(p *plan.Plan) (*Judge, error) {
	keys := keysOf(p)
	key := verdictKey(p, keys)
	var known []kept
	if b, ok := cache.Kept(verdictKind, key); ok && gob.NewDecoder(bytes.NewReader(b)).Decode(&known) == nil && len(known) == len(keys) {
		j := &Judge{seen: make(map[judged]verdict)}
		for i, k := range known {
			j.seen[keys[i]] = verdict{sum: k.Sum, full: k.Full}
		}
		return j, nil
	}
	j, err := judge(p)
	if err != nil || j == nil {
		return j, err
	}
	for _, k := range keys {
		known = append(known, kept{j.seen[k].sum, j.seen[k].full})
	}
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(known) == nil {
		cache.Keep(verdictKind, key, b.Bytes())
	}
	return j, nil
}

// verdictKey names all that the verdicts depend on; it is empty when there is nothing to keep.
func verdictKey(p *plan.Plan, keys []judged) string {
	program, err := cache.Program()
	if err != nil || len(keys) == 0 {
		return ""
	}
	parts := []string{program, targetOf(p).Name, fmt.Sprint(keys)}
	sums := make(map[plan.Span]string)
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if _, ok := sums[k.PTX]; !ok {
			sum := sha256.Sum256(p.Bytes(k.PTX))
			sums[k.PTX] = string(sum[:])
		}
		parts = append(parts, p.Str(k.Name), sums[k.PTX])
	}
	return cache.Key(parts...)
}
