#!/usr/bin/env bash
# The phantom tensor, live: a plan in which attention writes one buffer and the output
# projection reads another, which nobody ever wrote. It runs without an error; lint names it.
set -euo pipefail
cd "$(dirname "$0")/../.."
model=testdata/golden/tiny/q4_k_m.gguf
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

bin/dsac compile "$model" -o "$out/good.plan" >/dev/null
bin/dsac inspect "$out/good.plan" >"$out/good.txt"

# The fault, by hand: in every entry the projection of layer 1 reads l1.attn_out instead of l1.o.
# Both have the same shape; l1.attn_out gets bytes of its own behind the arena.
awk '
/^region A / { arena = $4; $4 = arena + 4 * 1024 * 1024; print; next }
/^entry /    { sub(/arena=[0-9]+/, "arena=" arena + 4 * 1024 * 1024) }
/^buf l1\.o / {
	print
	sub(/^buf l1\.o A\+[0-9]+/, "buf l1.attn_out A+" arena)
	sub(/pad=[0-9]+/, "pad=" 1024 * 1024 * 1024)
	sub(/ inplace_of=[^ ]+/, "")
}
/^op l1\.x /  { sub(/r=l1\.o\[/, "r=l1.attn_out["); sub(/late=l1\.o/, "late=l1.attn_out") }
{ print }
' "$out/good.txt" >"$out/phantom.txt"

echo "what changed (one entry of several):"
diff "$out/good.txt" "$out/phantom.txt" >"$out/change" || true
sed -n '/^[<>] op/p' "$out/change" | sed -n '1,2p' | cut -c 1-60

for p in good.plan phantom.txt; do
	echo
	echo "--- run $p"
	bin/dsac run "$out/$p" -m "$model" -p "The capital of France is" -n 16 --temp 0
done

echo
echo "--- lint phantom.txt"
code=0
bin/dsac lint "$out/phantom.txt" || code=$?
test "$code" = 1 || { echo "expected findings"; exit 1; }
