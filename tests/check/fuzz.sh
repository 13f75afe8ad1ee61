# SPDX-License-Identifier: Apache-2.0
# make fuzz: fuzz.sh SECONDS [NAME...] runs the fuzzers of libFuzzer that make built of
# tests/fuzz/fuzz_*.c, under ASan and UBSan, each for so long; with HOURS=N in the environment all of
# them together for N hours. They begin with the kept corpora: what tests/fuzz/seeds.py makes, and
# the folders of their lines "seeds:". What they learn stays in out/fuzz/corpus/<area>/, what breaks
# the code in out/fuzz/found/<area>-*, how many inputs they tried in out/fuzz/tried.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
build=out/fuzz
mkdir -p $build/found
python3 tests/fuzz/seeds.py $build/seeds

line_of() { # WORD SOURCE: what the source says behind the word
	sed -n "s,^/\\* $1: \\(.*\\) \\*/,\\1,p" "$2"
}

fuzzers=
for source in tests/fuzz/fuzz_*.c; do
	area=${source#tests/fuzz/fuzz_}
	wanted=$(($# == 0))
	for word in "$@"; do
		case fuzz_$area in *"$word"*) wanted=1 ;; esac
	done
	[ $wanted = 0 ] || fuzzers="$fuzzers ${area%.c}"
done
[ -n "$fuzzers" ] || { echo "fuzz: nothing to run"; exit 1; }
# shellcheck disable=SC2086
[ -z "${HOURS-}" ] || seconds=$((HOURS * 3600 / $(set -- $fuzzers; echo $#)))

broken=
for area in $fuzzers; do
	source=tests/fuzz/fuzz_$area.c
	mkdir -p "$build/corpus/$area" "$build/seeds/$area"
	status=0
	# shellcheck disable=SC2046
	LC_ALL=C ASAN_OPTIONS=quarantine_size_mb=8:${ASAN_OPTIONS-} "$build/fuzz_$area" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$build/found/$area-" -dict=$build/seeds/words.dict \
		-max_len="$(line_of max_len "$source" | grep . || echo 4096)" \
		"$build/corpus/$area" "$build/seeds/$area" $(line_of seeds "$source") 2>"$build/log.$area" || status=$?
	tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/log.$area")
	echo "$area ${tried:-0}" >>$build/tried
	echo "fuzz: $area: ${tried:-0} inputs in $seconds s"
	if [ $status != 0 ]; then
		grep -v '^stat::' "$build/log.$area" | tail -n 40
		broken="$broken $area"
	fi
done
awk '{ n[$1] += $2 } $1 != "report" { readers += $2 }
	END { printf "fuzz: so far %d inputs of readers and %d of whole reports\n", readers, n["report"] }' $build/tried
if [ -n "$broken" ]; then
	echo "fuzz: broken:$broken (inputs in $build/found)"
	exit 1
fi
echo "fuzz: all held"
