# SPDX-License-Identifier: Apache-2.0
# The disk is full, or broken, at any single call that writes, names or closes an output: status 1, one line names the
# place and the reason, each file is the earlier one or the new one, whole, and nothing else is left.
# make test tries one call in five, make check each.
. "$TRACEBOOK_TOP/tests/cli/functions"
fail_call
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
for option in '-o o/r.pdf' '--svg o/svg' '--png o/png' '--markdown o/r.md' '--json o/r.json' '--csv o/csv' '--stacks o/s.folded' '--html o/p.html' '--brief o/b.md' '--from 0s --cut o/c.json' '--from 0s --cut o/c.json.gz' '--learn o/l.json'; do
	rm -rf o new earlier
	mkdir o
	# shellcheck disable=SC2086 # two words
	set -- "$TRACEBOOK_BIN/report" $option in
	./fail_call o 0 0 made "$@" >out 2>err
	mv o new
	cp -r new earlier
	# other bytes, and still files of ours (report/outputs.c knows them by a mark at one end)
	find earlier -type f ! -name '*.md' | while read -r file; do echo earlier >>"$file"; done
	find earlier -type f -name '*.md' -exec sed -i '1i earlier' {} +
	cp -r earlier o
	./fail_call o 0 0 replaced "$@" >out 2>err
	# where there is nothing yet, what is made; else what is replaced
	for from in made replaced; do
		n=$(wc -l <$from)
		for i in $(seq "$n" | every 5); do
			what="$(sed -n "${i}p" $from) of $option, $from"
			[ $from = replaced ] || [ -z "${what##* mkdir *}" ] || continue
			case $((i % 2)) in
			0) number=28 reason='No space left on device' ;;
			1) number=5 reason='Input/output error' ;;
			esac
			rm -rf o
			if [ $from = made ]; then mkdir o; else cp -r earlier o; fi
			status=0
			./fail_call o "$i" "$number" calls "$@" >out 2>err || status=$?
			[ $status = 1 ] || wrong "status $status: $what"
			[ "$(grep -c . err)" = 1 ] || wrong "$what: $(cat err)"
			says err ' o' "$reason"
			[ $from = made ] || whole
			tried=$((tried + 1))
		done
	done
done
sweep || tried=$((5 * tried))
[ $tried -ge 150 ] || wrong "only $tried faults"
echo "$tried faults"
