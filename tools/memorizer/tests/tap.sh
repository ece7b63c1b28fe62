# SPDX-License-Identifier: GPL-2.0
# Helpers of the tests in shell, to be sourced: TAP output.

nr=0
failed=0

# ok STATUS NAME: print the result of a check
ok()
{
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=$((failed + 1))
	fi
}

# same NAME WANT GOT: compare texts
same()
{
	[ "$2" = "$3" ]
	ok $? "$1"
	[ "$2" = "$3" ] || printf '%s\n' "want: $2" "got:  $3" | sed 's/^/# /'
}

# equal NAME WANT GOT: compare files
equal()
{
	diff -u "$2" "$3" >"$tmp/diff"
	ok $? "$1"
	sed 's/^/# /' "$tmp/diff"
}

# outcome NAME STATUS OUT ERR ARGUMENTS...: run memorizer, with standard input from the file
# $input if set, and compare its exit status, standard output with the file OUT, and standard
# error with the text ERR
outcome()
{
	name=$1 exit=$2 out=$3 err=$4
	shift 4
	"$memorizer" "$@" >"$tmp/out" 2>"$tmp/err" <"${input:-/dev/null}"
	status=$?
	printf '%s' "${err:+$err
}" >"$tmp/want"
	[ $status -eq "$exit" ] || echo "# exit status $status, want $exit"
	diff -u "$tmp/want" "$tmp/err" >"$tmp/diff" && diff -u "$out" "$tmp/out" >>"$tmp/diff" &&
		[ $status -eq "$exit" ]
	ok $? "$name"
	sed 's/^/# /' "$tmp/diff"
}

# tap_end: print the plan; return the script's exit status.
tap_end()
{
	echo "1..$nr"
	exit $((failed > 0))
}
