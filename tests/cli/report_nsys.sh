# SPDX-License-Identifier: Apache-2.0
# Databases of Nsight Systems: each row is the event that plain SQL says, whatever the version of the schema; names,
# devices, joins; a verdict as for any trace; what is damaged or hostile ends in a report or in one line.
. "$TRACEBOOK_TOP/tests/cli/functions"
nsys() { python3 "$TRACEBOOK_TOP/tests/cli/nsys.py" "$@" || wrong "nsys.py $*"; }
text() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
	"$TRACEBOOK_TOP/templates/en/text.json" "$1"; }

nsys make new.sqlite
nsys make old.sqlite old
nsys make two.sqlite two
nsys make plain.sqlite plain
for file in new old two plain; do
	nsys check "$TRACEBOOK_BIN/report" $file.sqlite
done

# Names as Kineto has them; PyTorch's ranges are operators with their shapes; other domains stand before the text.
run 0 report --dump trace new.sqlite
silent err
says out '[kernel] void cutlass::Kernel2<sm80_xmma_gemm_bf16>(Params) corr 101 ' 'grid 264,2,1 block 128,1,1 regs 40 shared 3072' \
	'[gpu_memcpy] Memcpy HtoD (Pageable -> Device)' 'bytes 4194304' '[gpu_memset] Memset (Device)' '[cuda_sync] Stream Sync' \
	'[kernel] CUDA graph 5' '[cuda_driver] cuLaunchKernelEx' '[cuda_runtime] cudaLaunchKernel corr' '[cpu_op] aten::mm' \
	'[user_annotation] NCCL:ncclAllReduce' '[user_annotation] step' '[user_annotation] training' 'a mark' '[overhead] Buffer flush' \
	'python3 |  | main of 4711' 'GPU 0 | stream 7'
! grep -q 'op_id' out || wrong 'the name of an operator has its number'
run 0 report --dump trace two.sqlite
says out 'pid 1 tid 7: device 1 | GPU 1 | stream 7' 'main of 4811'

# What the GPU was sampled for stands below its lanes, in its unit.
run 0 report --dump trace new.sqlite
says out 'counter [] SMs Active (%)  = 37' 'counter [] GPC Clock Frequency (MHz)  = 1980' 'GPU 0 Counters'

# A report as of any trace, and beside another; steps by a range of the program's.
run 0 report -o new.pdf --json new.json --markdown new.md new.sqlite
silent err
says new.json '[[64, 128], [128, 32]]'
says new.md 'NVIDIA H200' '2023-11-14'
# Of a GPU whose link nobody knows it is not said how long a copy would take.
run 0 report --markdown plain.md plain.sqlite
says plain.md 'Copy from pinned memory' 'With pinned memory they run beside the computing'
run 0 report -o pair.pdf --baseline old.sqlite new.sqlite
mkdir folder && cp new.sqlite folder
run 0 report -o folder.pdf folder

# Nothing beside it is opened or made, and a name of a file is no address.
mkdir alone && cp new.sqlite 'alone/a?b#c%41&.sqlite'
chmod a-w alone
run 0 report --dump trace 'alone/a?b#c%41&.sqlite'
[ "$(ls alone)" = 'a?b#c%41&.sqlite' ] || wrong "files beside it: $(ls alone)"
chmod u+w alone

# What cannot be read says why in one line.
python3 - <<'END'
import sqlite3
sqlite3.connect("other.sqlite").executescript("CREATE TABLE shop (id INTEGER); INSERT INTO shop VALUES (1)")
sqlite3.connect("empty.sqlite").executescript("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
data = open("new.sqlite", "rb").read()
open("cut.sqlite", "wb").write(data[:4096])
open("head.sqlite", "wb").write(data[:60])
# What runs code of the file's own when it is read: a view, a generated column, a table of a module.
db = sqlite3.connect("hostile.sqlite")
db.executescript("""CREATE TABLE t (x);
    CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE r (start, end) AS (SELECT 1, 2 UNION ALL SELECT start + 1, end + 1 FROM r)
        SELECT start, end FROM r;
    CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMCPY USING fts3(start, end);
    CREATE TABLE NVTX_EVENTS (start INTEGER, eventType INTEGER, end INTEGER AS (start + length(hex(zeroblob(1000000)))));
    INSERT INTO NVTX_EVENTS VALUES (1, 59);""")
END
run 1 report other.sqlite
is err 'report: other.sqlite: no trace: an SQLite database that Nsight Systems did not write'
run 1 report empty.sqlite
says err 'an export of Nsight Systems without an event' '--trace=cuda,nvtx'
for file in cut head; do
	run 1 report $file.sqlite
	lines err 1
	says err "$file.sqlite: " 'SQLite database'
done
timeout 20 "$TRACEBOOK_BIN/report" --dump trace hostile.sqlite >out 2>err || [ $? = 1 ] || wrong 'the hostile database'
! grep -q 'kernel \[' out || wrong 'a view was run'
"$TRACEBOOK_BIN/report" --dump trace - <new.sqlite | grep -q 'aten::mm' || wrong 'not read as what stdin is'
# shellcheck disable=SC2002 # a pipe is meant
! cat new.sqlite | "$TRACEBOOK_BIN/report" --dump trace - 2>err || wrong 'read from a pipe'
says err 'comes through a pipe; name the file itself'
printf 'nsys' >a.nsys-rep
run 1 report a.nsys-rep
says err 'nsys export --type sqlite'

# Damage inside a table costs the rest of it, which is said on page one and on stderr, and there is no verdict.
python3 - <<'END'
import sqlite3
db = sqlite3.connect("new.sqlite")
root, size = (db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_RUNTIME'").fetchone()[0],
              db.execute("PRAGMA page_size").fetchone()[0])
data = bytearray(open("new.sqlite", "rb").read())
data[(root - 1) * size:(root - 1) * size + 8] = b"\xff" * 8
open("torn.sqlite", "wb").write(data)
END
run 0 report -o torn.pdf --markdown torn.md torn.sqlite
says err 'torn.sqlite is not whole' 'RUNTIME'
says torn.md '`RUNTIME`' "$(text repair.database)"
nsys damage "$TRACEBOOK_BIN/report" new.sqlite "${NSYS_DAMAGED:-10}"
