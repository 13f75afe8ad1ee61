# SPDX-License-Identifier: Apache-2.0
# make fuzz: fuzz.sh SECONDS [NAME...] runs the fuzzers of libFuzzer that make built of
# tests/fuzz/fuzz_*.c, under ASan and UBSan, each for so long; with HOURS=N in the environment all of
# them together for N hours; three quarters of it with inputs of at most 256 bytes, of which many go
# into a second, the rest with inputs of any length up to their lines "max_len:". They begin with the
# kept corpora: what tests/fuzz/seeds.py makes, and the folders of their lines "seeds:". Where seeds.py has
# fuller ones, <area>.long, long inputs are made of those alone: what comes of short ones stays short.
# What they learn stays in out/fuzz/corpus/<area>/, what breaks the code in out/fuzz/found/<area>-*, how
# many inputs they tried in out/fuzz/tried, and how many of those had more than 256 bytes.
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

# Files of the fuzzers stay in memory where there is such a folder.
FUZZ_FOLDER=$(mktemp -d /dev/shm/tracebook-fuzz.XXXXXX 2>/dev/null) || FUZZ_FOLDER=$build/work
trap 'rm -rf "$FUZZ_FOLDER"' EXIT
export FUZZ_FOLDER

# AREA SECONDS BYTES CORPUS SEEDS...: one fuzzer with inputs of at most so many bytes. A small quarantine and no stacks of
# allocations leave it many more inputs a second; who wants those runs what was found alone.
run() {
	area=$1
	for_s=$2
	bytes=$3
	corpus=$build/corpus/$4
	shift 4
	mkdir -p "$corpus"
	status=0
	LC_ALL=C ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=1:max_malloc_fill_size=0:${ASAN_OPTIONS-} \
		"$build/fuzz_$area" -max_total_time="$for_s" -max_len="$bytes" -len_control="$((bytes == 256 ? 100 : 0))" \
		-entropic=0 -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$build/found/$area-" -dict=$build/seeds/words.dict \
		"$corpus" "$@" 2>"$build/log.$area" || status=$?
	tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/log.$area")
	longer=$(sed -n 's/^stat::longer_than_256: *//p' "$build/log.$area")
	echo "$area ${tried:-0} ${longer:-0}" >>$build/tried
	echo "fuzz: $area: ${tried:-0} inputs of at most $bytes bytes in $for_s s, ${longer:-0} of them longer than 256"
	if [ $status != 0 ]; then
		grep -v '^stat::' "$build/log.$area" | tail -n 40
		broken="$broken $area"
	fi
}

broken=
for area in $fuzzers; do
	source=tests/fuzz/fuzz_$area.c
	most=$(line_of max_len "$source" | grep . || echo 4096)
	mkdir -p "$build/seeds/$area"
	# shellcheck disable=SC2046
	set -- "$area" "$build/seeds/$area" $(line_of seeds "$source")
	run "$area" $((seconds - seconds / 4)) 256 "$@"
	[ ! -d "$build/seeds/$area.long" ] || set -- "$area.long" "$build/seeds/$area.long"
	[ $((seconds / 4)) = 0 ] || run "$area" $((seconds / 4)) "$most" "$@"
done
awk '{ n[$1] += $2; long[$1] += $3 } $1 != "report" { readers += $2 }
	END { printf "fuzz: so far %d inputs of readers and %d of whole reports, %d of those longer than 256 bytes\n",
		readers, n["report"], long["report"] }' $build/tried
if [ -n "$broken" ]; then
	echo "fuzz: broken:$broken (inputs in $build/found)"
	exit 1
fi
echo "fuzz: all held"
