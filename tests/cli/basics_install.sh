# SPDX-License-Identifier: Apache-2.0
# make install takes along every language that templates/ holds, and what is installed works.
. "$TRACEBOOK_TOP/tests/cli/functions"
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS TRACEBOOK_TEMPLATES

mkdir -p tree/out/lib tree/experiments there
cp "$TRACEBOOK_TOP/Makefile" "$TRACEBOOK_TOP/LICENSE" "$TRACEBOOK_TOP/NOTICE" tree
cp -R "$TRACEBOOK_TOP/templates" tree
cp -R tree/templates/en tree/templates/xx
mkdir tree/templates/empty
cp "$TRACEBOOK_TOP/experiments/matrix.json" tree/experiments
ln -s "$TRACEBOOK_BIN" tree/out/bin
cp "$TRACEBOOK_LIB"/tracebook-*.so tree/out/lib

# The programs are there; nothing is built and no package asked for.
make -C tree -o programs READY=1 CUDA=/none DESTDIR="$PWD/there" PREFIX=/usr install >out 2>err ||
	wrong "make install: status $?"
share=there/usr/share/tracebook
for file in $(cd tree && echo templates/*.json templates/*/*.json experiments/matrix.json); do
	cmp "tree/$file" "$share/$file" || wrong "not installed as it is: $file"
done
absent $share/templates/empty
for file in bin/collect bin/report lib/tracebook-host.so share/doc/tracebook/LICENSE share/doc/tracebook/NOTICE; do
	[ -s there/usr/$file ] || wrong "not installed: $file"
done

installed=$PWD/there/usr/bin
mkdir away
cd away
TRACEBOOK_BIN=$installed run 0 report --lang xx --template cheatsheet -o sheet.pdf
[ -s sheet.pdf ] || wrong 'no sheet.pdf'
TRACEBOOK_BIN=$installed run 0 collect --list
says out matmul
