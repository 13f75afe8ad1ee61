# SPDX-License-Identifier: Apache-2.0
# make install takes along every language that templates/ holds, what is installed works under one name, and make
# uninstall takes all of it back.
. "$TRACEBOOK_TOP/tests/cli/functions"
[ -z "${TRACEBOOK_SAN:-}" ] || { echo 'it runs what is built without sanitizers'; exit 77; }
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS TRACEBOOK_TEMPLATES

here="there at last"
prefix="/opt/it's \"here\""
mkdir -p tree/out/lib tree/experiments "$here"
cp "$TRACEBOOK_TOP/Makefile" "$TRACEBOOK_TOP/LICENSE" "$TRACEBOOK_TOP/NOTICE" "$TRACEBOOK_TOP"/*.md tree
cp -R "$TRACEBOOK_TOP/tracebook" "$TRACEBOOK_TOP/base" "$TRACEBOOK_TOP/docs" "$TRACEBOOK_TOP/examples" tree
cp -R "$TRACEBOOK_TOP/templates" tree
cp -R tree/templates/en tree/templates/xx
mkdir tree/templates/empty
cp "$TRACEBOOK_TOP"/experiments/*.json tree/experiments
ln -s "$TRACEBOOK_BIN" tree/out/bin
cp "$TRACEBOOK_LIB"/tracebook-*.so tree/out/lib

# The programs are there; nothing is built and no package asked for.
made() { # TARGET
	make -C tree -o programs -o out/bin/collect -o out/bin/report READY=1 CUDA=/none DESTDIR="$PWD/$here" PREFIX="$prefix" \
		"$1" >out 2>err || wrong "make $1: status $?"
}
made install
share=$here$prefix/share/tracebook
for file in $(cd tree && echo templates/*.json templates/*/*.json experiments/matrix.json); do
	cmp "tree/$file" "$share/$file" || wrong "not installed as it is: $file"
done
absent "$share/templates/empty"
host=
[ ! -e "$TRACEBOOK_LIB/tracebook-host.so" ] || host=libexec/tracebook/lib/tracebook-host.so
for file in bin/tracebook libexec/tracebook/bin/collect libexec/tracebook/bin/report $host \
	share/man/man1/tracebook-report.1 share/bash-completion/completions/tracebook share/doc/tracebook/README.md share/doc/tracebook/docs/compare.md share/doc/tracebook/examples/ci/compare.sh \
	share/doc/tracebook/LICENSE share/doc/tracebook/NOTICE; do
	[ -s "$here$prefix/$file" ] || wrong "not installed: $file"
done
# The only name that a PATH gets.
[ "$(ls "$here$prefix/bin")" = tracebook ] || wrong "in bin: $(ls "$here$prefix/bin")"

installed=$PWD/$here$prefix/bin
mkdir away
cd away
TRACEBOOK_BIN=$installed run 0 tracebook report --lang xx --template cheatsheet -o sheet.pdf
[ -s sheet.pdf ] || wrong 'no sheet.pdf'
TRACEBOOK_BIN=$installed run 0 tracebook collect --list
says out matmul
small_trace own.json
TRACEBOOK_BIN=$installed run 0 tracebook own.json
[ -s report.pdf ] || wrong 'no report.pdf'
cd "$TMPDIR"
made uninstall
left=$(find "$here" ! -type d)
[ -z "$left" ] || wrong "still there: $left"
