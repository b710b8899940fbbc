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
var Measured = Model{Launch: 3.94, Part: 1.07, Kinds: map[string]Kind{
	"matmul":                         {Part: 1.11},
	"matmul_add":                     {Part: 1.08},
	"matmul x4":                      {Part: 1.23},
	"rope+matmul x2+append2":         {Part: 1.07},
	"gate_up":                        {Part: 1.08},
	"router+gate_up":                 {Part: 1.15},
	"expert_gate_up":                 {Part: 1.00},
	"expert_down":                    {Part: 0.94},
	"head_matmul":                    {Part: 4.88},
	"index_scores+head_matmul":       {Part: 0.83},
	"index_scores":                   {Part: 0.65},
	"mqa_values":                     {Part: 1.91},
	"mqa_partial":                    {Launch: 5.33},
	"mqa_combine":                    {Launch: 2.14},
	"select_topk":                    {Launch: 7.22},
	"rmsnorm":                        {Launch: 1.88},
	"rmsnorm+layernorm+rmsnorm+rope": {Launch: 1.79},
	"rope x2+append":                 {Launch: 1.92},
	"take_rows+rmsnorm":              {Launch: 5.50},
	"sample_peaks":                   {Launch: 1.30},
	"sample_masses":                  {Launch: 0.94},
	"sample_sift":                    {Launch: 1.27},
	"sample_draw+advance":            {Launch: 1.40},
	"layernorm":                      {Launch: 1.84},
	"rope":                           {Launch: 1.45},
	"append":                         {Launch: 1.54},
	"append2":                        {Launch: 1.74},
	"router":                         {Launch: 3.71},
	"add":                            {Launch: 2.35},
	"embed":                          {Launch: 3.90},
}}
