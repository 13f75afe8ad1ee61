# SPDX-License-Identifier: Apache-2.0
# The test runner counts what passes, fails, crashes, hangs and is skipped, each as what it is.
# waits: tests that hang
top=$PWD/fake
mkdir -p "$top/tests/unit/room" "$top/tests/cli" "$top/tests/render" "$top/out/tests"

run() { # [ARGUMENT...]: prints what the runner prints, ends with its status
	python3 "$TRACEBOOK_TOP/tests/run.py" --top "$top" --seconds 3 "$@" >said 2>&1
}

unit() { # NAME BODY TESTS: a cmocka program
	cat >"$top/tests/unit/room/$1.c" <<END
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
$2
int main(void)
{
	const struct CMUnitTest tests[] = { $3 };
	return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
END
	gcc -w -include signal.h -o "$top/out/tests/$1" "$top/tests/unit/room/$1.c" -lcmocka
}

script() { # FOLDER/NAME LINE...
	file=$top/tests/$1.sh
	shift
	printf '%s\n' "$@" >"$file"
}

expect() { # STATUS-OF-RUN WANTED-STATUS LAST-LINE
	[ "$1" = "$2" ] || { cat said; echo "status $1, expected $2"; exit 1; }
	[ "$(tail -n 1 said)" = "$3" ] || { cat said; echo "expected at the end: $3"; exit 1; }
}

said() { # PATTERN: a line of the runner's output
	grep -q -e "$1" said || { cat said; echo "expected a line like: $1"; exit 1; }
}

# Nothing at all is not a success.
status=0; run || status=$?
expect $status 1 '0 passed, 0 failed, 0 skipped'

# What passes and what is skipped, with the reason.
unit test_good 'static void one(void **s) { printf("no newline at the end"); }
static void two(void **s) { print_message("no GPU here\n"); skip(); }
static void three(void **s) { }' \
	'cmocka_unit_test(one), cmocka_unit_test(two), cmocka_unit_test(three)'
script cli/good 'test "${PWD%/cli/good}" != "$PWD"' 'test "$LC_ALL" = C' \
	'test "$TRACEBOOK_BIN" = "$TRACEBOOK_TOP/out/bin"' 'test -n "$TRACEBOOK_SHARED"' \
	'test -n "$TRACEBOOK_LIB"' 'test -z "$(ls)"'
script render/absent 'echo first; echo "pdftoppm is not here"; exit 77'
status=0; run || status=$?
expect $status 0 '3 passed, 0 failed, 2 skipped'
said '^skipped: test_good/two: no GPU here$'
said '^skipped: render/absent: pdftoppm is not here$'
test ! -e "$top/out/tests/scratch/cli/good"

# A name runs only what has it.
status=0; run good || status=$?
expect $status 0 '3 passed, 0 failed, 1 skipped'
status=0; run cli/ || status=$?
expect $status 0 '1 passed, 0 failed, 0 skipped'

# Skipping everything is not a success either.
status=0; run absent || status=$?
expect $status 1 '0 passed, 0 failed, 1 skipped'

# Where LeakSanitizer itself fails, the test is tried once more, and no more than once.
tracer='echo "==1==LeakSanitizer has encountered a fatal error."; exit 23'
script cli/once '[ -e "$TRACEBOOK_TOP/tried" ] && exit 0' 'touch "$TRACEBOOK_TOP/tried"' "$tracer"
script cli/always "$tracer"
script cli/fails '[ -e "$TRACEBOOK_TOP/failed" ] && exit 0' 'touch "$TRACEBOOK_TOP/failed"' 'exit 1'
status=0; run once always fails || status=$?
expect $status 1 '1 passed, 2 failed, 0 skipped'
rm "$top/tests/cli/once.sh" "$top/tests/cli/always.sh" "$top/tests/cli/fails.sh"

# What measures time has the machine for itself.
script cli/busy 'touch "$TRACEBOOK_TOP/busy"; sleep 1; rm "$TRACEBOOK_TOP/busy"'
script cli/at_rest '# alone: it measures' 'sleep 0.4; test ! -e "$TRACEBOOK_TOP/busy"'
status=0; run busy at_rest || status=$?
expect $status 0 '2 passed, 0 failed, 0 skipped'
rm "$top/tests/cli/busy.sh" "$top/tests/cli/at_rest.sh"

# What sleeps takes no place of what works.
for name in one two; do script cli/works_$name "for i in \$(seq 50); do [ ! -e \"\$TRACEBOOK_TOP/slept\" ] || exit 0; sleep 0.1; done; exit 1"; done
script cli/works_beside '# waits: it does' 'touch "$TRACEBOOK_TOP/slept"'
echo '{"cli/works_one": 9, "cli/works_two": 9, "cli/works_beside": 1}' >"$top/out/tests/seconds"
status=0; run --jobs 2 works_ || status=$?
expect $status 0 '3 passed, 0 failed, 0 skipped'
rm "$top"/tests/cli/works_*.sh

# What took longest begins, after what was never timed; a file of times that is none does no harm.
for name in quick middle long; do script cli/order_$name "echo $name >>\"\$TRACEBOOK_TOP/order\""; done
echo '{"cli/order_quick": 0.1, "cli/order_middle": 5}' >"$top/out/tests/seconds"
status=0; run --jobs 1 order_ || status=$?
expect $status 0 '3 passed, 0 failed, 0 skipped'
[ "$(tr '\n' ' ' <"$top/order")" = 'long middle quick ' ] || { cat "$top/order"; exit 1; }
grep -q '"cli/order_long": 0' "$top/out/tests/seconds"
echo '[3' >"$top/out/tests/seconds"
status=0; run order_ || status=$?
expect $status 0 '3 passed, 0 failed, 0 skipped'
rm "$top"/tests/cli/order_*.sh

# Whatever goes wrong is one failure and stops nobody else. cmocka itself catches SIGSEGV.
unit test_false 'static void wrong(void **s) { assert_int_equal(4, 5); }
static void segv(void **s) { raise(11); } static void after(void **s) { }' \
	'cmocka_unit_test(wrong), cmocka_unit_test(segv), cmocka_unit_test(after)'
unit test_abort 'static void before(void **s) { } static void dies(void **s) { abort(); }
static void never(void **s) { }' \
	'cmocka_unit_test(before), cmocka_unit_test(dies), cmocka_unit_test(never)'
unit test_leaves 'static void leaves(void **s) { _exit(0); }' 'cmocka_unit_test(leaves)'
unit test_hangs 'static void hangs(void **s) { for (;;) sleep(1); }' 'cmocka_unit_test(hangs)'
unit test_setup 'static int no(void **s) { return -1; } static void t(void **s) { }' \
	'cmocka_unit_test_setup(t, no)'
unit test_late 'static void fine(void **s) { atexit(abort); }' 'cmocka_unit_test(fine)'
unit test_empty '' '{0}'
printf '#!/bin/sh\nexit 0\n' >"$top/out/tests/test_empty"
touch "$top/tests/unit/room/test_unbuilt.c"
script cli/false 'echo the reason; false; echo not reached'
script cli/unset 'echo "$no_such_variable"'
script cli/killed 'kill -9 $$'
script cli/hung_up 'kill -HUP $$; exit 0'
script cli/hangs 'sleep 1000 & echo $! >"$TRACEBOOK_TOP/child"; wait'
# Under nohup, too, a hang-up ends a test.
status=0
(trap '' HUP; run) || status=$?
expect $status 1 '6 passed, 14 failed, 2 skipped'
said '| 0x4 != 0x5$'
said '^failed: test_false/wrong$'
said '^failed: test_false/segv$'
said '^failed: test_abort/dies: the program was ended by SIGABRT$'
said '^failed: test_leaves/leaves: the program ended with status 0$'
said '^failed: test_hangs/hangs: the program was stopped after 3 s$'
said '^failed: test_setup/t$'
said '^failed: test_late was ended by SIGABRT$'
said '^failed: test_empty ran no test$'
said '^failed: test_unbuilt cannot start: No such file'
said '^failed: cli/false ended with status 1$'
said '| the reason$'
said '^failed: cli/unset ended with status 2$'
said '^failed: cli/killed was ended by SIGKILL$'
said '^failed: cli/hung_up was ended by SIGHUP$'
said '^failed: cli/hangs was stopped after 3 s$'
if grep -q 'not reached' said; then exit 1; fi

# What a stopped test had started is gone too (or a zombie that nobody collects).
state=$(sed 's/.*) //; s/ .*//' "/proc/$(cat "$top/child")/stat" 2>/dev/null) || state=gone
case $state in
gone | Z | '') ;;
*)
	echo "the child of cli/hangs outlived it: $state"
	exit 1
	;;
esac
