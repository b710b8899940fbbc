package passes

import (
	"slices"

	"dsac/ir"
)

// Group is the nodes of one launch: parts that run at the same time, each in blocks of its own.
// The nodes of a part run one after another, all in one block.
type Group [][]*ir.Node

// nodes lists the nodes in the order of their steps.
func (g Group) nodes() []*ir.Node { return slices.Concat(g...) }

// place is where a step stands in its launch.
type place struct {
	group  int
	part   int
	lo, hi int  // first and last step of the launch
	begins bool // first of its part
}

// join adds a launch.
func (u *Unit) join(g Group) {
	lo := len(u.places)
	hi := lo + len(g.nodes()) - 1
	for i, p := range g {
		for j := range p {
			u.places = append(u.places, place{len(u.Groups), i, lo, hi, j == 0})
		}
	}
	u.Groups = append(u.Groups, g)
}

// joinEpilogue puts the last two steps that emit ends an entry with, both of one block, into one
// launch.
func (u *Unit) joinEpilogue() {
	for range choiceSteps - 1 {
		lo := len(u.places)
		u.places = append(u.places, place{-1, 0, lo, lo, true})
	}
	lo := len(u.places)
	for i := range 2 {
		u.places = append(u.places, place{-1, 0, lo, lo + 1, i == 0})
	}
}

// launchOf says where a step stands in its launch; without groups it is alone there, as are the
// steps after the nodes.
func (u *Unit) launchOf(step int) place {
	if step < len(u.places) {
		return u.places[step]
	}
	return place{-1, 0, step, step, true}
}

// beside returns the nodes that run at the same time as the node at a step: those of the other
// parts of its launch.
func (u *Unit) beside(step int) (ns []*ir.Node) {
	at := u.launchOf(step)
	if at.lo == at.hi || at.group < 0 {
		return nil
	}
	for i, p := range u.Groups[at.group] {
		if i != at.part {
			ns = append(ns, p...)
		}
	}
	return ns
}
