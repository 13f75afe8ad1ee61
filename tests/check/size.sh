# SPDX-License-Identifier: Apache-2.0
# No source file has more than 500 lines, no function more than 60 from its brace to its brace. A longer
# file holds two things, a longer function is read twice. And no picture lies where none belongs.
. tests/check/sources.sh
status=0
sources '*.c' '*.h' '*.cu' '*.cuh' '*.cc' | grep -v '^tests/golden/' | xargs -r awk '
FNR == 1 { brace = 0 }
FNR == 501 { print FILENAME ": more than 500 lines"; bad = 1 }
/^[^ \t].*\)$|^[^ \t].*,$|^[a-z_].*\) \{$/ { head = FNR ":" $0 }
/^\{$/ || /^[a-z_].*\) \{$/ { brace = FNR }
/^\}$/ && brace {
	if (FNR - brace >= 60) {
		printf "%s:%s has %d lines\n", FILENAME, head, FNR - brace + 1
		bad = 1
	}
	brace = 0
}
END { exit bad }' || status=1
sources '*.py' | xargs -r python3 -c '
import ast, sys
bad = False
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    if text.count("\n") > 500:
        print(f"{path}: more than 500 lines")
        bad = True
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno >= 60:
            print(f"{path}:{node.lineno}:{node.name} has {node.end_lineno - node.lineno + 1} lines")
            bad = True
sys.exit(bad)' || status=1
sources '*.sh' Makefile '*.mk' | xargs -r awk '
FNR == 501 { print FILENAME ": more than 500 lines"; bad = 1 }
END { exit bad }' || status=1
if sources '*.svg' '*.pdf' '*.png' | grep -v '^docs/\|^report/'; then
	echo 'pictures outside of docs and report: were they made, and left?'
	status=1
fi
exit $status
