#!/usr/bin/env bash
# Runs the tests of a bundle made by "make gpu" on a machine with a GPU: needs no Go and no
# network. Closes with "N passed, N failed"; a test that was skipped has failed. Exit code 0
# only if nothing failed.
set -uo pipefail
cd "$(dirname "$0")"
export REQUIRE_GPU=1 DSAC_BIN="$PWD/dsac" DSAC_TESTDATA="$PWD/testdata" DSAC_CACHE="${TMPDIR:-/tmp}/dsac-gpu-cache.$$"
trap 'rm -rf "$DSAC_CACHE"' EXIT
log=${1:-gpu-tests.log}
: >"$log"
passed=0 failed=0

echo "--- machine"
uname -srm
ldd --version 2>/dev/null | head -n 1
nvidia-smi --query-gpu=name,driver_version,memory.total,pcie.link.gen.current,pcie.link.width.current --format=csv 2>&1 | head -n 10
./dsac doctor || { echo "FAIL doctor"; failed=$((failed + 1)); }

# check NAME COMMAND...: one test that is a command.
check() {
	local name=$1 out code
	shift
	out=$(timeout 300 "$@" 2>&1)
	code=$?
	if [ "$code" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok   $name"
	else
		failed=$((failed + 1))
		printf 'FAIL %s (exit code %s)\n%s\n' "$name" "$code" "$out"
	fi
	printf '=== %s\n%s\n' "$name" "$out" >>"$log"
}

q4=testdata/golden/tiny/q4_k_m.gguf
plan=$DSAC_CACHE/tiny.plan
mkdir -p "$DSAC_CACHE"
check doctor-json ./dsac doctor --json
check compile-host ./dsac compile "$q4" -o "$plan"
check lint ./dsac lint "$plan"
check run-host ./dsac run "$plan" -m "$q4" -p "The capital of France is" -n 8 --seed 1 --device host

# Real plans, step by step against the host, then free running. Plans for other GPUs are left.
targets=$(./dsac doctor | sed -n 's/^target \(sm_[0-9a-z]*\) .*runs on GPU.*/\1/p')
for p in plans/*.plan; do
	[ -e "$p" ] || continue
	name=$(basename "$p" .plan)
	model=testdata/golden/tiny/${name%.sm_*}.gguf
	grep -qx "sm_${name##*.sm_}" <<<"$targets" || { echo "left: $p, no GPU here runs it"; continue; }
	check "check-$name" ./dsac check "$p" -m "$model" --device cuda
	check "forced-$name" ./dsac check "$p" -m "$model" --device cuda --force-choices --prompt-tokens 300
	check "free-$name" ./dsac check "$p" -m "$model" --device cuda --free --prompt-tokens 300 --decode 8
	check "chunks-$name" ./dsac check "$p" -m "$model" --device cuda --force-choices --prompt-tokens 500 --chunks 7,64,500
	check "run-$name" ./dsac run "$p" -m "$model" -p "The capital of France is" -n 16 --temp 0 --device cuda
done

for t in tests/*.test; do
	echo "--- $t"
	timeout 540 "$t" -test.v -test.timeout 500s >"$log.part" 2>&1
	code=$?
	cat "$log.part" >>"$log"
	p=$(grep -cE '^ *--- PASS' "$log.part")
	f=$(grep -cE '^ *--- (FAIL|SKIP)' "$log.part")
	if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1 # it crashed, hung or could not start
		tail -n 60 "$log.part"
	fi
	passed=$((passed + p)) failed=$((failed + f))
	# What failed or was skipped, with its messages; then what the tests measured.
	awk '/^=== /{ next } /^ *--- PASS/{ text = ""; next } { text = text $0 "\n" }
		/^ *--- (FAIL|SKIP)/{ printf "%s", text; text = "" }' "$log.part" | head -n 400
	grep -E 'GB/s|[0-9] us$' "$log.part"
	rm -f "$log.part"
done
echo "details: $log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
