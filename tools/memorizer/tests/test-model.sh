#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Compare report and check of random traces (losses, missing packets, reused memory and names, in
# both byte orders) with a simple model (model.py): every sum, every kind of violation.
# Usage: test-model.sh DIR, the directory of a build;
# MODEL_ROUNDS=N for more traces, MODEL_SEED=N for others

. "$(dirname "$0")/common.sh"

# agree SEED ORDER: report and check of a random trace have the model's sums
agree()
{
	rm -rf "$tmp/trace"
	"$here/model.py" make "$1" >"$tmp/script" &&
		"$build/tests/make-trace" -e "$2" "$tmp/trace" <"$tmp/script" &&
		babeltrace2 --clock-cycles --no-delta "$tmp/trace" >"$tmp/text" 2>"$tmp/err" &&
		"$here/model.py" sums "$tmp/trace" <"$tmp/text" >"$tmp/want" || return
	"$build/memorizer" report --csv "$tmp/trace" >"$tmp/csv" 2>"$tmp/err"
	[ $? -eq 0 ] || grep -q ': incomplete: ' "$tmp/err" || return
	"$build/memorizer" check --json "$tmp/trace" >"$tmp/json" 2>"$tmp/err"
	"$here/model.py" check $? <"$tmp/json" >"$tmp/got" || return
	"$here/model.py" csv <"$tmp/csv" >>"$tmp/got" && [ "$(wc -l <"$tmp/want")" -gt 10 ] &&
		grep -q '^check ' "$tmp/want" && sort -o "$tmp/want" "$tmp/want" &&
		sort -o "$tmp/got" "$tmp/got" &&
		diff "$tmp/want" "$tmp/got" >"$tmp/diff"
}

seed=${MODEL_SEED:-1}
end=$((seed + ${MODEL_ROUNDS:-20}))
while [ "$seed" -lt "$end" ]; do
	order=le
	[ $((seed % 2)) -eq 0 ] || order=be
	: >"$tmp/diff"
	agree $seed $order
	ok $? "report and check equal the model, seed $seed, $order"
	sed 's/^/# /' "$tmp/diff"
	seed=$((seed + 1))
done
tap_end
