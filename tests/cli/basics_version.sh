# SPDX-License-Identifier: Apache-2.0
# --version of both programs: one version, which base/program_version.h alone says; the commit that they were
# built from, where that is known; the libraries that are there. It needs no GPU and writes no file.
. "$TRACEBOOK_TOP/tests/cli/functions"
needs_host

version=$(sed -n 's/^#define TRACEBOOK_VERSION "\(.*\)"$/\1/p' "$TRACEBOOK_TOP/base/program_version.h")
[ -n "$version" ] || wrong 'base/program_version.h says no version'
grep -q "^## $version, [0-9]*-[0-9]*-[0-9]*$" "$TRACEBOOK_TOP/CHANGES.md" || wrong "CHANGES.md does not say what $version has"
commit=$(cat "$TRACEBOOK_LIB/tracebook-commit")

for program in collect report; do
	run 0 $program --version
	silent err
	[ "$(head -n 1 out)" = "$program (tracebook) $version${commit:+, commit $commit}" ] || wrong 'the first line'
	says out "cJSON $(pkg-config --modversion libcjson)"
	! grep -qvE '^[A-Za-z-]+:? [^ ]' out || wrong 'a line without a version'
done
run 0 tracebook --version
[ "$(head -n 1 out)" = "tracebook $version${commit:+, commit $commit}" ] || wrong 'not the name that was called'
says out "cairo $(pkg-config --modversion cairo)" 'libharu ' 'FreeType ' 'HarfBuzz ' 'ISA-L ' 'SQLite '
run 0 collect --version
says out 'host: oneDNN '
if [ -e "$TRACEBOOK_LIB/tracebook-cuda.so" ]; then says out 'cuda: CUDA runtime '; else says out 'cuda: not built'; fi

# Of a build from an archive, and of a device that does not load.
mkdir -p away/bin away/lib
cp "$TRACEBOOK_BIN/collect" "$TRACEBOOK_BIN/report" away/bin/
echo 'no object' >away/lib/tracebook-host.so
TRACEBOOK_BIN=$PWD/away/bin
run 0 report --version
[ "$(head -n 1 out)" = "report (tracebook) $version" ] || wrong 'a commit from nowhere'
run 0 collect --version
says out 'host: cannot open ' 'cuda: not built'

# The command's own words are the command's.
run 0 collect --out runs -- echo --version
! grep -q tracebook out || wrong 'collect took an option of the command'
rm -rf runs
[ "$(ls)" = "$(printf 'away\nerr\nout')" ] || wrong "files were written: $(ls)"
