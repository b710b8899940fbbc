package cost

// MeasuredOn says what Measured is from.
const MeasuredOn = "measured on an H200"

// Measured are the constants of the decode step of a five-layer slice of GLM-5 at depth 16,384
// on an H200 (docs/measurements.md), which predictions take where no run is given. They add up
// to the step that they are from: kernels that change make them old.
//
// Kinds that are parts of larger launches in that step (layernorm, rope, append, router, ...) have
// the times of the last step in which they had their own.
var Measured = Model{Launch: 3.89, Part: 0.95, Kinds: map[string]Kind{
	"matmul":                         {Part: 1.01},
	"matmul_add":                     {Part: 0.92},
	"matmul x4":                      {Part: 0.68},
	"rope+matmul x2+append2":         {Part: 0.98},
	"gate_up":                        {Part: 0.98},
	"router+gate_up":                 {Part: 0.78},
	"expert_gate_up":                 {Part: 0.94},
	"expert_down":                    {Part: 0.73},
	"head_matmul":                    {Part: 4.88},
	"index_scores+head_matmul":       {Part: 0.83},
	"index_scores":                   {Part: 0.65},
	"mqa_partial":                    {Launch: 6.94},
	"mqa_combine":                    {Launch: 2.14},
	"select_topk":                    {Launch: 7.19},
	"rmsnorm":                        {Launch: 1.86},
	"rmsnorm+layernorm+rmsnorm+rope": {Launch: 1.87},
	"rope x2+append":                 {Launch: 1.86},
	"take_rows+rmsnorm":              {Launch: 5.41},
	"sample_peaks":                   {Launch: 1.30},
	"sample_masses":                  {Launch: 0.94},
	"sample_sift":                    {Launch: 1.27},
	"sample_draw+advance":            {Launch: 1.40},
	"layernorm":                      {Launch: 1.84},
	"rope":                           {Launch: 1.45},
	"append":                         {Launch: 1.54},
	"append2":                        {Launch: 1.74},
	"router":                         {Launch: 3.71},
	"add":                            {Launch: 2.46},
	"embed":                          {Launch: 3.62},
}}
