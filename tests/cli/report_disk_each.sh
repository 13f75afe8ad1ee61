# SPDX-License-Identifier: Apache-2.0
# The disk is full at any single write, rename or new folder of any output: status 1, one line names the place and the
# reason, each file is the earlier one or the new one, whole, and nothing else is left.
. "$TRACEBOOK_TOP/tests/cli/functions"
command -v strace >/dev/null 2>&1 || { echo 'no strace'; exit 77; }
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'not under strace with sanitizers'; exit 77; }
strace -o probe true 2>/dev/null || { echo 'strace may not trace here'; exit 77; }
cp -r "$TRACEBOOK_TOP/tests/golden/kineto/in" in

# Each file below o, and none beside it, is that of the folder `earlier` or `new`.
whole() {
	find o -type f | while read -r file; do
		cmp -s "$file" "earlier/${file#o/}" || cmp -s "$file" "new/${file#o/}" ||
			wrong "$file is neither the earlier one nor the new one: $what"
	done || exit 1
	find earlier -type f | while read -r file; do
		[ -f "o/${file#earlier/}" ] || wrong "$file is lost: $what"
	done || exit 1
}

tried=0
for option in '-o o/r.pdf' '--svg o/svg' '--png o/png' '--markdown o/r.md' '--json o/r.json' '--csv o/csv' '--learn o/l.json'; do
	rm -rf o new earlier
	# shellcheck disable=SC2086 # two words
	strace -f -qq -e trace=write,rename,mkdir -o calls "$TRACEBOOK_BIN/report" $option in >out 2>err
	mv o new
	cp -r new earlier
	find earlier -type f | while read -r file; do echo earlier >"$file"; done
	for call in write rename mkdir; do
		# The count goes over all calls of that name; those to stdout and stderr are no output.
		grep " $call(" calls | awk '!/write\([12],/ && !/EEXIST/ { print NR }' >places
		while read -r n; do
			what="$call $n of $option"
			rm -rf o
			[ $call = mkdir ] || cp -r earlier o
			status=0
			# shellcheck disable=SC2086 # two words
			strace -f -qq -o /dev/null -e trace=$call -e inject=$call:error=ENOSPC:when="$n" \
				"$TRACEBOOK_BIN/report" $option in >out 2>err || status=$?
			[ $status = 1 ] || wrong "status $status: $what"
			[ "$(grep -c . err)" = 1 ] || wrong "$what: $(cat err)"
			says err ' o' 'No space left on device'
			[ $call = mkdir ] || whole
			tried=$((tried + 1))
		done <places
	done
done
[ $tried -ge 100 ] || wrong "only $tried faults"
echo "$tried faults"
