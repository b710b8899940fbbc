package models

import "slices"

// suggest returns "; did you mean X?" for the known name nearest to a mistyped one, or "".
// Names of one or two letters are near to everything and get none. Equally near names are decided by the alphabet.
func suggest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	slices.Sort(known)
	best, least := "", len(name)/3
	for _, k := range known {
		if len(k) > 64 {
			continue
		}
		if d := distance(name, k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance counts the bytes to insert, delete or change to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
