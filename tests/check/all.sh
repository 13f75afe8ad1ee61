# SPDX-License-Identifier: Apache-2.0
# make check: everything that can be said about the code without running it, then every test, then every
# test again under sanitizers. All parts run whatever the earlier ones say; the last line tells.
set -u
cd "$(dirname "$0")/../.." || exit 1
broken=
skipped=
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

part() { # NAME COMMAND...
	name=$1
	shift
	status=0
	"$@" >"$log" 2>&1 || status=$?
	case $status in
	0) word=ok ;;
	77) word=skip skipped="$skipped $name" ;;
	*) word=FAIL broken="$broken $name" ;;
	esac
	printf '%-5s %s\n' "$word" "$name"
	sed 's/^/      | /' "$log"
}

for name in format size headers layers map words scripts gallery warnings static threads; do
	part "$name" sh -eu "tests/check/$name.sh"
done
export TRACEBOOK_SWEEP=all # every public trace, not only the small ones
if ${MAKE:-make} --no-print-directory test; then :; else broken="$broken test"; fi
if ${MAKE:-make} --no-print-directory SAN=1 test; then :; else broken="$broken test-sanitized"; fi

if [ -n "$broken" ]; then
	echo "check: broken:$broken${skipped:+; skipped:$skipped}"
	exit 1
fi
echo "check: all good${skipped:+, but skipped:$skipped}"
