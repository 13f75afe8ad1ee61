# SPDX-License-Identifier: Apache-2.0
# Man pages and completion are made of the programs' own tables of options: each option of --help is in all of
# them, and the tools that read them have nothing to say.
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
	where='from collect'
	[ $program = collect ] || where='not .*from collect'
	while read -r option; do
		grep -qF "\\-$option" <man/man1/tracebook-$program.1 || wrong "not in the manual: $option"
		grep -q -- "$program:-.*--$option" completion.bash || wrong "bash does not know --$option"
		grep -qF -- "--$option" _tracebook || wrong "zsh does not know --$option"
		grep -q -- "$where' -l $option " tracebook.fish || wrong "fish does not know --$option"
	done <"options.$program"
done

# What the manual shows as examples can be typed: the report's are, of the collect's each option is one.
cp "$TRACEBOOK_TOP/tests/golden/kineto/in/trace.json" trace.json
gzip -kf trace.json
cp trace.json old.json
cp trace.json new.json
sed -n 's/\\-/-/g; s/^\.Dl tracebook //p' man/man1/tracebook-report.1 | sed 's/ | jq.*//' >examples
lines examples 4
while read -r line; do
	eval "run 0 $line"
done <examples
for made in trace.pdf comment.md; do
	[ -s $made ] || wrong "an example wrote no $made"
done
sed -n 's/\\-/-/g; s/^\.Dl tracebook //p' man/man1/tracebook-collect.1 >examples
lines examples 4
for word in $(sed 's/ -- .*//' examples | grep -o -e '--[a-z-]*'); do
	grep -q "^collect.option.${word#--}[[:space:]]" table || wrong "an example has $word"
done
for page in collect report; do
	grep -A 3 '^\.Sh FILES' man/man1/tracebook-$page.1 | grep -q '^\.It Pa' || wrong "no files in the manual of $page"
done

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
offers '--svg --stacks --set --step' tracebook report --s
offers 'a file.json' tracebook report 'a f'
offers 'report' tracebook rep
offers '--device' tracebook -q -v collect --dev

# The same of zsh, to which the key is pressed in a terminal of its own, and of fish.
if command -v zsh >/dev/null 2>&1; then
	zsh -n _tracebook
	cat >ask.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=(\$PWD \$fpath); autoload -U compinit; compinit -D -u; LISTMAX=999"
zpty -w shell 'compadd() {
	[[ ${@[1,(i)(-|--)]} == *-(O|A|D)* ]] && { builtin compadd "$@"; return }
	typeset -a found; builtin compadd -A found "$@"
	for word in $found; do print -r -- "<$word>"; done
	builtin compadd "$@"
}
ended() { print -r -- "<END"">" }; zle -N ended; bindkey "^X" ended; bindkey "^I" complete-word; print -r -- "<REA""DY>"'
zpty -r -m shell text '*<READY>*'
zpty -w -n shell "$*"$'\t\x18'
zpty -r -m shell text '*<END>*'
print -r -- $text | tr -d '\r' | sed -n 's/.*<\([^<>]*\)>$/\1/p' | grep -vx 'END\|READY'
END
	zsh_offers() { # WANTED LINE
		timeout 60 zsh -f ask.zsh "$2" </dev/null | sort | tr '\n' ' ' >out
		[ "$(cat out)" = "$1 " ] || wrong "zsh offers for $2: $(cat out), not $1"
	}
	zsh_offers 'analysis canvas document trace' 'tracebook report --dump '
	zsh_offers '--keep-going' 'tracebook collect --ke'
	zsh_offers '--device' 'tracebook -q -v collect --dev'
	zsh_offers '--set --svg' 'tracebook x.json --s'
	zsh_offers 'a\ file.json' 'tracebook report a\ f'
	zsh_offers 'report' 'tracebook rep'
else
	echo 'no zsh here: what it offers was not tried'
fi
if command -v fish >/dev/null 2>&1; then
	fish -n tracebook.fish
	fish_offers() { # WANTED LINE
		HOME=$PWD XDG_CONFIG_HOME=$PWD fish --no-config -c 'source tracebook.fish; complete -C $argv[1]' "$2" |
			cut -f 1 | sort | tr '\n' ' ' >out
		[ "$(cat out)" = "$1 " ] || wrong "fish offers for $2: $(cat out), not $1"
	}
	fish_offers 'analysis canvas document trace' 'tracebook report --dump '
	fish_offers '--keep-going' 'tracebook collect --ke'
	fish_offers '--device' 'tracebook -q -v collect --dev'
	fish_offers '--set --svg' 'tracebook x.json --s'
	fish_offers 'report' 'tracebook rep'
else
	echo 'no fish here: what it offers was not tried'
fi
! command -v shellcheck >/dev/null 2>&1 || shellcheck -s bash completion.bash
if command -v mandoc >/dev/null 2>&1; then
	(cd man/man1 && MANPATH=$PWD/.. mandoc -T lint ./*.1) >out 2>&1 || true
	sed -i '/operating system explicitly specified/d' out
	silent out
fi
