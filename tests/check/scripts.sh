# SPDX-License-Identifier: Apache-2.0
# No script gives shellcheck anything to say (.shellcheckrc says what is left out).
. tests/check/sources.sh
command -v shellcheck >/dev/null 2>&1 || { echo "shellcheck is not here: apt-get install shellcheck"; exit 77; }
status=0
n=0
for f in $(sources . | grep -vE '\.(c|h|cu|cuh|py|json|md|awk|mk|tsv|gz|mjs|png|svg|cc)$'); do
	case $(head -n 1 "$f" | tr -d '\0') in
	'#!'*bash*) shell='bash' ;;
	'#!'*sh) shell='sh' ;;
	*)
		case $f in
		*.sh | tests/*/functions | examples/slurm/*) shell='sh' ;;
		*) continue ;;
		esac
		;;
	esac
	n=$((n + 1))
	shellcheck -s "$shell" "$f" || status=1
done
[ "$n" -gt 50 ] || { echo "only $n scripts were found"; status=1; }
exit $status
