# SPDX-License-Identifier: Apache-2.0
# Every command of make that the README, docs/ and, in its sentences, CONTRIBUTING.md name runs as it stands there, in a tree whose
# programs are built; but for what builds or measures for long: report (make_report, collect_command), test, reader, deb (tests/systems/try), advise (advise_pairs),
# gallery, check, bench, noise, fuzz, cover (by hand); prices (bench_prices).
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it runs what is built without sanitizers'; exit 77; }
needs_host
python3 - "$TRACEBOOK_TOP"/CONTRIBUTING.md "$TRACEBOOK_TOP"/README.md "$TRACEBOOK_TOP"/docs/*.md <<'END'
import re, sys
text = "\n".join(open(p, encoding="utf-8").read() for p in sys.argv[2:])
text += re.sub(r"```.*?```", "", open(sys.argv[1], encoding="utf-8").read(), flags=re.S) # contributing.sh does its blocks
lines = [l for block in re.findall(r"```sh\n(.*?)```", text, re.S) for l in block.splitlines() if l.strip()]
made = [l for l in lines if l.startswith("make ")] + re.findall(r"`(make [^`]*)`", text)
assert len(set(made)) > 12, made
open("made", "w", encoding="utf-8").write("\n".join(sorted(set(made))) + "\n")
END
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES ONLY
mkdir -p tree/out
for part in "$TRACEBOOK_TOP"/[A-Za-z]*; do
	[ "${part##*/}" = out ] || cp -R "$part" tree/
done
ln -s "$TRACEBOOK_BIN" tree/out/bin
ln -s "$TRACEBOOK_LIB" tree/out/lib
(cd tree && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm all) >said 2>&1 || wrong "$(cat said)"
echo "$TRACEBOOK_TOP/tests/golden/host/in" >tree/out/.run
make -C "$TRACEBOOK_TOP" --no-print-directory help >targets
ran=0
while read -r command; do
	words=${command#make }
	words=${words%%  *}
	grep -q "^make ${words%% *} " targets || wrong "make help does not list ${words%% *}"
	case $words in
	report*) continue ;;
	handout* | cheatsheet | dist | map) ;;
	install* | uninstall) words="$words DESTDIR=../installed" ;;
	test | test\ * | gallery | check | advise | bench | prices\ * | noise | fuzz | cover | deb | reader | help | clean) continue ;;
	*) wrong "nobody runs: $command" ;;
	esac
	command -v dot >/dev/null 2>&1 || [ "$words" != map ] || continue
	(cd tree && eval "make READY=1 CUDA=/none -o programs -o out/bin/collect -o out/bin/report $words") >said 2>&1 </dev/null ||
		wrong "$command: $(tail -n 20 said)"
	ran=$((ran + 1))
done <made
[ $ran -gt 5 ] || wrong "$ran commands of make ran"
for file in tree/out/handout.pdf tree/out/answers.pdf tree/out/cheatsheet.pdf; do
	[ -s "$file" ] || wrong "no $file"
done
[ -d installed/usr/local/share ] && absent installed/usr/local/bin/tracebook
