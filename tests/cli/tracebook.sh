# SPDX-License-Identifier: Apache-2.0
# One name for the programs: it runs them with all that they were given, and says what it does not know.
. "$TRACEBOOK_TOP/tests/cli/functions"
small_trace 'my trace.json'

run 0 tracebook --help
says out 'tracebook COMMAND' collect report
cp out help
run 0 tracebook help
cmp out help
run 2 tracebook
cmp err help

# Help speaks of the command as it was called.
run 0 tracebook report --help
says out 'usage: tracebook report' --markdown
cp out help
run 0 tracebook help report
cmp out help
run 0 report --help
says out 'usage: report'

run 0 tracebook --version
[ "$(head -n 1 out | cut -c1-10)" = 'tracebook ' ] || wrong 'not the name that was called'

# What it runs is the program itself: output, talk and status.
run 0 report --table 'my trace.json'
cp out table
run 0 tracebook report --table 'my trace.json'
cmp out table
run 0 tracebook --table 'my trace.json'
cmp out table
run 0 tracebook 'my trace.json'
[ -s report.pdf ] || wrong 'no report.pdf'
run 2 tracebook report --no-such-thing
says err --no-such-thing
run 1 tracebook none.json
says err none.json
# A file may be called like a command, a command is never a file.
cp 'my trace.json' collect
run 0 tracebook ./collect
run 2 tracebook reprot
says err 'no command and no file "reprot"'
