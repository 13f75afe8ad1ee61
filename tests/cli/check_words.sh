# SPDX-License-Identifier: Apache-2.0
# make check's look for words (tests/check/words.sh) sees what it is there for, and nothing else.
. "$TRACEBOOK_TOP/tests/cli/functions"
command -v git >/dev/null || { echo 'git is not here'; exit 77; }

git init -q tree
mkdir -p tree/tests tree/collect tree/experiments/cuda tree/report
cp -r "$TRACEBOOK_TOP/tests/check" tree/tests/
cd tree
holds() {
	sh -eu tests/check/words.sh >../out 2>&1 || wrong 'the check fails where nothing is wrong'
	silent ../out
}
broken() { # WHAT FILE LINE: the line in that file is found, and named
	printf '%s\n' '/* SPDX-License-Identifier: Apache-2.0 */' "$3" >"$2"
	if sh -eu tests/check/words.sh >../out 2>&1; then wrong "not found: $3"; fi
	says ../out "$1" "$2"
	rm "$2"
}
holds
printf '%s\n' '/* SPDX-License-Identifier: Apache-2.0 */' 'if (!strcmp(name, "cuda"))' >experiments/cuda/cuda.c
holds
broken 'a device told by its name' collect/a.c 'if (!strcmp(device->name, "cuda"))'
broken 'a device told by its name' report/b.c 'bool host = strncmp("host", run->device, 4) == 0;'
broken 'a document that is not here' report/f.h '/* As field''.md says. */'
broken 'a comment of fewer than five words' report/g.c '/* Axis and steps. */'
broken banned experiments/c.c 'strcpy(a, b);'
broken unfinished collect/d.h '/* TO''DO: all */'
# The glossary's words, and no other in their place, in what a reader sees; a number beside its noun.
mkdir -p templates/en
{ # GLOSSARY of 40 terms, the first of which may not be called a recorder
	printf '{"glossary": [{"term": "profiler", "text": "No recorder.", "never": ["recorders?"]}'
	for i in $(seq 2 40); do printf ', {"term": "t%s", "text": "Text."}' "$i"; done
	printf ']}\n'
} >templates/en/cheatsheet.json
told() { # WHAT FILE TEXT: told when the file has the text
	printf '%s\n' "$3" >"$2"
	if sh -eu tests/check/words.sh >../out 2>&1; then wrong "not found: $3"; fi
	says ../out "$1" "$2"
	rm "$2"
}
printf '%s\n' '{"about": "The recorder.", "a": {"id": "recorder", "do": "Ask `recorder`, {recorder}, {n?one|two}."}}' \
	>templates/en/fine.json
holds
told '“Recorder” stands for “profiler”' templates/en/text.json '{"a": {"sentence": "Recorder of it."}}'
told '“recorders” stands for “profiler”' templates/en/text.json '{"a": "{n?one|two recorders}"}'
told '“recorder” stands for “profiler”' experiments/matrix.json '{"cases": [{"guess": [{"says": "The recorder."}]}]}'
told 'a number behind its noun, ls: {n}' templates/en/text.json '{"a": "Calls: {n}, each short."}'
sed -i 's/, {"term": "t40", "text": "Text."}//' templates/en/cheatsheet.json
if sh -eu tests/check/words.sh >../out 2>&1; then wrong '39 terms, and not found'; fi
says ../out '39 terms, not 40'
rm -r templates
holds
echo 'int x;' >report/e.c
if sh -eu tests/check/words.sh >../out 2>&1; then wrong 'no licence, and not found'; fi
says ../out 'report/e.c: no line SPDX'
