# SPDX-License-Identifier: Apache-2.0
# Where the time went, against plain Python over the raw events of real traces, to the nanosecond. Files of
# more than 1 MB are left out, unless TRACEBOOK_EVERY is set: they take Python a minute.
. "$TRACEBOOK_TOP/tests/cli/functions"
traces="$TRACEBOOK_SHARED/traces"
truth="$TRACEBOOK_TOP/tests/data/trust/partition_truth.py"
if [ ! -d "$traces/kineto" ]; then
	echo "no traces in $TRACEBOOK_SHARED"
	exit 77
fi
find "$traces/kineto" "$traces/ranks" "$traces/h200" -type f -name '*.json*' ! -name '*averages*' \
	! -name PAIRS.json $([ "${TRACEBOOK_EVERY-}" ] || echo -size -1024k) | sort >list
[ "$(wc -l <list)" -ge 60 ] || wrong "only $(wc -l <list) traces"
xargs python3 "$truth" "$TRACEBOOK_BIN/report" <list >out || wrong "$(grep -v ^equal out)"
says out ' equal, 0 wrong'

# It sees when two parts change places, and when one has a nanosecond too many.
cat >swapped <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" && [ "$1" = --json ] || exit 0
sed -i 's/computing.gemm/x/; s/computing.convolution/computing.gemm/; s/"x"/"computing.convolution"/' "$2"
END
cat >longer <<'END'
#!/bin/sh
"$TRACEBOOK_BIN/report" "$@" && [ "$1" = --json ] || exit 0
sed -i 's/\("idle.unknown", "ns": \)0/\11/' "$2"
END
chmod +x swapped longer
for fault in swapped longer; do
	! python3 "$truth" "./$fault" "$traces/kineto/bnb_linear_a100.json" >out ||
		wrong "partition_truth.py does not see: $fault"
	says out '0 equal, 1 wrong'
done
