package cost

// MeasuredOn says what Measured is from.
const MeasuredOn = "measured on an H200"

// Measured are the constants of the decode step of a five-layer slice of GLM-5 at depth 16,384
// on an H200 (docs/measurements.md), which predictions take where no run is given. They add up
// to the step that they are from: kernels that change make them old.
//
// Kinds that are parts of larger launches in that step (layernorm, rope, append, router, ...) have
// the times of the last step in which they had their own; those that choose the token the times
// that they take one after another.
var Measured = Model{Launch: 3.96, Part: 1.04, Kinds: map[string]Kind{
	"matmul":                         {Part: 1.07},
	"matmul_add":                     {Part: 1.08},
	"matmul x4":                      {Part: 1.19},
	"rope+matmul x2+append2":         {Part: 1.06},
	"gate_up":                        {Part: 1.07},
	"router+gate_up":                 {Part: 1.07},
	"expert_gate_up":                 {Part: 0.97},
	"expert_down":                    {Part: 0.92},
	"head_matmul":                    {Part: 4.88},
	"index_scores+head_matmul":       {Part: 0.89},
	"index_scores":                   {Part: 0.65},
	"mqa_values":                     {Part: 1.81},
	"mqa_partial":                    {Launch: 5.40},
	"mqa_combine":                    {Launch: 2.14},
	"select_topk":                    {Launch: 6.00},
	"rmsnorm":                        {Launch: 1.89},
	"rmsnorm+layernorm+rmsnorm+rope": {Launch: 1.74},
	"rope x2+append":                 {Launch: 1.92},
	"take_rows+rmsnorm":              {Launch: 5.76},
	"sample_peaks":                   {Launch: 1.30},
	"sample_masses":                  {Launch: 0.94},
	"sample_sift":                    {Launch: 1.27},
	"sample_draw+advance":            {Launch: 1.40},
	"layernorm":                      {Launch: 1.84},
	"rope":                           {Launch: 1.45},
	"append":                         {Launch: 1.54},
	"append2":                        {Launch: 1.74},
	"router":                         {Launch: 3.71},
	"add":                            {Launch: 2.72},
	"embed":                          {Launch: 4.06},
}}
