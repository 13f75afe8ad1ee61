# SPDX-License-Identifier: Apache-2.0
# Man pages, completion and the README's tables are made of the programs' own tables of options: each option of
# --help is in all of them, and the tools that read them have nothing to say.
. "$TRACEBOOK_TOP/tests/cli/functions"
forms=$TRACEBOOK_TOP/tracebook/forms.awk
for program in collect report; do
	run 0 "$program" --describe
	cat out >>table
	run 0 "$program" --help
	sed -n 's/^  .*--\([a-z-]*\).*/\1/p' out | sort >"options.$program"
	[ "$(wc -l <"options.$program")" -gt 8 ] || wrong "$program has few options"
done
make_form() { # FORM FILE [VARIABLE=VALUE]...
	form=$1 file=$2
	shift 2
	LC_ALL=C awk -v form="$form" $(printf -- '-v %s ' "$@") -f "$forms" table >"$file"
	[ -s "$file" ] || wrong "nothing in $file"
}
mkdir -p man/man1
for page in tracebook collect report; do
	name=tracebook-${page#tracebook}
	make_form man "man/man1/${name%-}.1" page=$page date=2026-11-22
done
make_form bash completion.bash none=
make_form zsh _tracebook none=
make_form fish tracebook.fish none=

for program in collect report; do
	while read -r option; do
		grep -qF "\\-$option" <man/man1/tracebook-$program.1 || wrong "not in the manual: $option"
		grep -q -- "$program:-.*--$option" completion.bash || wrong "bash does not know --$option"
		grep -qF -- "--$option" _tracebook || wrong "zsh does not know --$option"
		grep -qF -- "$program' -l $option" tracebook.fish || wrong "fish does not know --$option"
	done <"options.$program"
done

# Whoever changed an option says `make readme`.
cp "$TRACEBOOK_TOP/README.md" README.md
LC_ALL=C awk -v form=readme -f "$forms" table README.md >README.new
[ "$(grep -c '^| `.*--' README.new)" -gt 25 ] || wrong 'no tables of options in the README'
cmp README.md README.new || wrong 'the tables of options in README.md are older than the options: make readme'

# What bash offers, as bash itself would ask for it.
cat >ask.bash <<'END'
. ./completion.bash
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tracebook
printf '%s\n' "${COMPREPLY[@]}"
END
offers() { # WANTED WORD...
	wanted=$1
	shift
	bash ask.bash "$@" | tr '\n' ' ' >out
	[ "$(cat out)" = "$wanted " ] || wrong "offered for $*: $(cat out), not $wanted"
}
: >'a file.json'
offers 'trace analysis document canvas' tracebook report --dump ''
offers '--keep-going' tracebook collect --ke
offers '--svg --set' tracebook report --s
offers 'a file.json' tracebook report 'a f'
offers 'report' tracebook rep
! command -v zsh >/dev/null 2>&1 || zsh -n _tracebook
! command -v fish >/dev/null 2>&1 || fish -n tracebook.fish
! command -v shellcheck >/dev/null 2>&1 || shellcheck -s bash completion.bash
if command -v mandoc >/dev/null 2>&1; then
	(cd man/man1 && MANPATH=$PWD/.. mandoc -T lint ./*.1) >out 2>&1 || true
	sed -i '/operating system explicitly specified/d' out
	silent out
fi
