# SPDX-License-Identifier: Apache-2.0
# Folders and traces that may not be read, folders that may not be written to: told by name. Root may
# do all, so root becomes nobody for this.
. "$TRACEBOOK_TOP/tests/cli/functions"
as_nobody() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
plain() { # STATUS ARGUMENT...: report as nobody in particular
	wanted=$1
	shift
	status=0
	as_nobody "$TRACEBOOK_BIN/report" "$@" >out 2>err || status=$?
	[ $status = "$wanted" ] || wrong "status $status, expected $wanted: $*"
}
cp -r "$TRACEBOOK_TOP/tests/golden/host/in" run
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" trace.json
mkdir open closed locked
chmod 777 open
chmod -R a+rX run trace.json
earlier='%PDF-1.7 /Creator (tracebook) earlier'
echo "$earlier" >open/r.pdf
chmod 666 open/r.pdf
if ! as_nobody test -r run/run.json ||
	! as_nobody "$TRACEBOOK_BIN/report" --template cheatsheet -o open/guard.pdf 2>/dev/null; then
	echo 'nobody may not come here: a folder above is closed'
	exit 77
fi
plain 0 -o open/first.pdf run

# A folder that may not be read, itself and below another.
cp trace.json closed/a.json
mkdir -p tree/shut
cp trace.json tree/b.json
chmod 000 closed tree/shut
plain 1 -o open/r.pdf closed
says err closed 'Permission denied'
[ "$(cat open/r.pdf)" = "$earlier" ] || wrong 'the earlier report is gone'
mkdir closed2 && chmod 000 closed2
plain 1 -o open/none.pdf closed2
absent open/none.pdf
# One folder among others costs no more than itself.
plain 1 --markdown open/tree.md tree
says err '1 trace could not be read' tree/shut 'Permission denied'
says open/tree.md b.json 'No single part limits it' shut 'Permission denied'

# A trace of a run that may not be read costs its page.
chmod 000 run/matmul_add/64_bf16_cold_eager.json
plain 1 --template atlas --markdown open/r.md run
says err 64_bf16_cold_eager.json 'Permission denied'
says open/r.md 'Small product, compiled' 'could not be read' 'Permission denied' 'guard check'
chmod 000 run/run.json
plain 1 -o open/none.pdf run
says err run/run.json 'Permission denied'
absent open/none.pdf

# A folder that may not be written to.
chmod 555 locked
plain 1 -o locked/r.pdf trace.json
says err locked/r.pdf 'Permission denied'
plain 1 --svg locked/svg trace.json
says err locked/svg 'Permission denied'
[ -z "$(ls locked)" ] || wrong 'something was written'
chmod 755 closed closed2 tree/shut locked

# A log of the compiler that may not be read, by name and in a folder.
mkdir logs
cp "$TRACEBOOK_TOP/tests/fuzz/seeds/compile_log/one.log" logs
chmod 755 logs
chmod 0 logs/one.log
for log in logs logs/one.log; do
	plain 1 --compile-log $log --json open/no.json trace.json
	says err 'logs/one.log'
	lines err 1
done
chmod 0 logs
plain 1 --compile-log logs --json open/no.json trace.json
says err 'logs'
chmod 755 logs
