package cost

// MeasuredOn says what Measured is from.
const MeasuredOn = "measured on an H200"

// Measured are the constants of the decode step of a five-layer slice of GLM-5 at depth 16,384
// on an H200 (docs/measurements.md), which predictions take where no run is given. They add up
// to the step that they are from: kernels that change make them old.
var Measured = Model{Launch: 4.13, Part: 0.71, Kinds: map[string]Kind{
	"matmul":         {Part: 1.00},
	"matmul_add":     {Part: 0.59},
	"gate_up":        {Part: 0.67},
	"expert_gate_up": {Part: 0.65},
	"expert_down":    {Part: 0.59},
	"head_matmul":    {Part: 1.47},
	"index_scores":   {Part: 0.65},
	"mqa_partial":    {Launch: 9.60},
	"mqa_combine":    {Launch: 2.96},
	"select_topk":    {Launch: 15.44},
	"rmsnorm":        {Launch: 1.69},
	"layernorm":      {Launch: 1.84},
	"rope":           {Launch: 1.45},
	"append":         {Launch: 1.54},
	"append2":        {Launch: 1.74},
	"router":         {Launch: 3.71},
	"add":            {Launch: 2.46},
	"embed":          {Launch: 3.87},
	"take_rows":      {Launch: 4.61},
	"sample":         {Launch: 21.70},
	"advance":        {Launch: 3.30},
}}
