package mutate

import "slices"

// Operators lists all ways to break a plan, by family.
var Operators = slices.Concat(bindingOperators, rangeOperators, placeOperators, orderOperators, rankOperators, tableOperators)
