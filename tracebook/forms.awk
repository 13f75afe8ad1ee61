# SPDX-License-Identifier: Apache-2.0
# What is made of the programs' own option tables, which they print with --describe (base/opt.h):
#
#	awk -v form=man -v page=report -v date=2026-03-01 -f forms.awk TABLE	a page of the manual (mdoc)
#	awk -v form=bash -f forms.awk TABLE						completion; also zsh and fish

BEGIN {
	FS = "\t"
	n_programs = 0
	does["tracebook"] = "record and read profiler traces, and report what they say"
	does["collect"] = "run profiling experiments, or record a command, and write traces"
	does["report"] = "read profiler traces and write a report"
}

function lines_of(s) {
	gsub(/\\n/, "\n", s)
	gsub(/\\\\/, "\\", s)
	return s
}

# The table.
FNR == NR && $2 == "option" {
	i = ++n[$1]
	name[$1, i] = $3
	letter[$1, i] = $4
	kind[$1, i] = $5
	arg[$1, i] = $6
	help[$1, i] = $7
	next
}
FNR == NR {
	if (!($1 in known)) {
		known[$1] = 1
		program[++n_programs] = $1
	}
	text[$1, $2] = lines_of($3)
	next
}

# mdoc: a backslash is an escape, and a leading dot or quote a request.
function put(s) {
	gsub(/\\/, "\\e", s)
	gsub(/--/, "\\-\\-", s)
	if (s ~ /^[.']/)
		s = "\\&" s
	print s
}

# A paragraph: each sentence begins a line, and lines are short.
function fill(s, word, k, i, line) {
	k = split(s, word, " ")
	line = word[1]
	for (i = 2; i <= k; i++) {
		if (line ~ /[.:]$/ && word[i] ~ /^[A-Z]/ || length(line) + length(word[i]) > 70) {
			put(line)
			line = word[i]
		} else
			line = line " " word[i]
	}
	if (line != "")
		put(line)
}

function paragraphs(s, part, k, i) {
	k = split(s, part, "\n\n+")
	for (i = 1; i <= k; i++) {
		if (part[i] ~ /^[ \n]*$/)
			continue
		if (i > 1)
			print ".Pp"
		gsub(/\n/, " ", part[i])
		fill(part[i])
	}
}

function man_options(p, i, flag) {
	print ".Bl -tag -width Ds"
	for (i = 1; i <= n[p]; i++) {
		flag = ".It "
		if (letter[p, i] != "")
			flag = flag "Fl " letter[p, i] " , "
		flag = flag "Fl \\-" name[p, i]
		if (arg[p, i] != "")
			flag = flag " Ar " arg[p, i]
		print flag
		fill(help[p, i])
	}
	print ".El"
}

function man(page, full, at, i, month, day) {
	full = page == "tracebook" ? page : "tracebook-" page
	split("January February March April May June July August September October November December", month, " ")
	split(date, day, "-")
	print ".Dd " month[day[2] + 0] " " day[3] + 0 ", " day[1]
	print ".Dt " toupper(full) " 1"
	print ".Os"
	print ".Sh NAME\n.Nm " full "\n.Nd " does[page]
	print ".Sh SYNOPSIS"
	if (page == "tracebook") {
		print ".Nm\n.Op Fl q | v\n.Ar command\n.Op Ar argument ...\n.Nm\n.Ar path ..."
		print ".Sh DESCRIPTION\n.Nm"
		print "has one name for its programs:"
		print ".Bl -tag -width collect"
		for (i = 1; i <= n_programs; i++)
			print ".It Cm " program[i] "\n" does[program[i]] "; see\n.Xr tracebook-" program[i] " 1"
		print ".It Cm help Op Ar command\nprint what the programs, or one of them, have to say of themselves"
		print ".El\n.Pp\n.Fl q\nand\n.Fl v\nmay stand before the command or behind it."
		print ".Pp\nA path in place of a command is one for"
		print ".Cm report ."
		print ".Sh EXIT STATUS\nThat of the program that was run, or 2 where there is none of that name."
		print ".Sh SEE ALSO"
		for (i = 1; i <= n_programs; i++)
			print ".Xr tracebook-" program[i] " 1" (i < n_programs ? " ," : "")
		return
	}
	print ".Nm tracebook " page "\n.Op Ar option ..."
	put(text[page, "paths"])
	print ".Sh DESCRIPTION"
	at = index(text[page, "epilogue"], "exit status:")
	paragraphs(text[page, "purpose"])
	if (at > 1) {
		print ".Pp"
		paragraphs(substr(text[page, "epilogue"], 1, at - 1))
	}
	print ".Sh OPTIONS"
	man_options(page)
	print ".Sh ENVIRONMENT"
	print ".Bl -tag -width Ds"
	if (page == "report") {
		print ".It Ev TRACEBOOK_FONTS\na folder in which fonts are looked for first"
		print ".It Ev TRACEBOOK_TEMPLATES\nthe folder of the words and colours"
	} else
		print ".It Ev CUDA_VISIBLE_DEVICES\nas CUDA has it: the first GPU of it is used"
	print ".El"
	print ".Sh FILES"
	print ".Bl -tag -width Ds"
	if (page == "report") {
		file("run.json", "in a folder of traces: what was measured and how, as collect writes it; a folder without one is read trace by trace")
		file("report.pdf", "what is written where no output is named")
		file("../share/tracebook/templates", "beside the program: the words and colours of documents")
	} else {
		file("out/traces/NAME/run.json", "the recordings of a program, and what is known of them")
		file("DIR/DEVICE/run.json", "the results of a matrix, and what they were made from; a result that is there is kept")
		file("experiments/matrix.json", "the cases, where no other matrix is named")
		file("$TMPDIR/tracebook-XXXXXX", "working files while a program is recorded, in the system's folder for temporary files where TMPDIR is not set; those of a collect that was killed go with the next one")
	}
	print ".El"
	print ".Sh EXIT STATUS"
	paragraphs(substr(text[page, "epilogue"], at + length("exit status: ")))
	print ".Sh EXAMPLES"
	if (page == "report") {
		example("The report of one trace:", "report -o trace.pdf trace.json.gz")
		example("What changed between two recordings, as the comment of a pull request:", "report --markdown comment.md --baseline old.json new.json")
		example("A gate that fails with status 3 for what became 3 % slower:", "report --check --fail-on slower=3% --baseline old.json new.json")
		example("All numbers as data, and the step's length of it:", "report --json - trace.json | jq .runs[0].cases[0].window.ns")
	} else {
		example("Record a program that nobody changed, and read what its time went to:", "collect --report train.pdf -- python3 train.py")
		example("Two seconds of it, half a minute after it began:", "collect --after 30s --for 2s -- python3 train.py")
		example("Measure cases of the matrix on the CPU:", "collect --device host --only \047matmul_add/*\047 --out run")
		example("Measure two builds in turn, 24 rounds, and compare them:", "collect --repeat 24 --against old/out/bin --out turn")
	}
	print ".Sh SEE ALSO\n.Xr tracebook 1"
}

function file(path, what) {
	print ".It Pa " path
	fill(what)
}

function example(what, command) {
	print ".Pp"
	put(what)
	gsub(/--/, "\\-\\-", command)
	gsub(/ -o /, " \\-o ", command)
	print ".Dl tracebook " command
}

function is_path(a) {
	return a ~ /^(FILE|DIR|PATH)/
}

function words(p, i, all) {
	for (i = 1; i <= n[p]; i++) {
		all = all (i > 1 ? " " : "") "--" name[p, i]
		if (letter[p, i] != "")
			all = all " -" letter[p, i]
	}
	return all
}

# Each option with a value, as a row of a case of the shell: its patterns, and what to offer.
function bash_values(p, i, pattern, choice) {
	for (i = 1; i <= n[p]; i++) {
		if (kind[p, i] == "flag")
			continue
		pattern = p ":--" name[p, i]
		if (letter[p, i] != "")
			pattern = pattern " | " p ":-" letter[p, i]
		choice = kind[p, i] == "choice" ? arg[p, i] : ""
		gsub(/\|/, " ", choice)
		if (choice != "")
			print "\t" pattern ") _tracebook_words \"" choice "\" && return ;;"
		else if (!is_path(arg[p, i]))
			print "\t" pattern ") return ;;"
	}
}

function bash(i) {
	print "# bash completion of tracebook, made from its option tables."
	print "_tracebook_words() {\n\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
	print "_tracebook() {\n\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=report"
	print "\tlocal first=1\n\tCOMPREPLY=()"
	print "\twhile [[ \"$first\" -lt \"$COMP_CWORD\" && ${COMP_WORDS[first]} =~ ^(-q|-v|--quiet|--verbose)$ ]]; do\n\t\tfirst=$((first + 1))\n\tdone"
	print "\tcase ${COMP_WORDS[first]} in"
	for (i = 1; i <= n_programs; i++)
		print "\t" program[i] ") [ \"$COMP_CWORD\" = \"$first\" ] || command=" program[i] " ;;"
	print "\tesac\n\tcase $command:$before in"
	for (i = 1; i <= n_programs; i++)
		bash_values(program[i])
	print "\tesac\n\tcase $command:$current in"
	for (i = 1; i <= n_programs; i++)
		print "\t" program[i] ":-*) _tracebook_words \"" words(program[i]) "\" && return ;;"
	print "\tesac\n\tcompopt -o filenames 2>/dev/null"
	print "\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
	printf "\t[ \"$COMP_CWORD\" != \"$first\" ] || mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -W \"help"
	for (i = 1; i <= n_programs; i++)
		printf " %s", program[i]
	print "\" -- \"$current\")"
	print "}\ncomplete -F _tracebook tracebook"
}

function zsh_safe(s) {
	gsub(/'/, "'\\''", s)
	gsub(/\[/, "\\[", s)
	gsub(/\]/, "\\]", s)
	gsub(/:/, "\\:", s)
	return s
}

function zsh_option(p, i, what, value) {
	what = "[" zsh_safe(help[p, i]) "]"
	value = ""
	if (kind[p, i] == "choice") {
		value = arg[p, i]
		gsub(/\|/, " ", value)
		value = ":value:(" value ")"
	} else if (kind[p, i] != "flag")
		value = ":" zsh_safe(arg[p, i]) ":" (is_path(arg[p, i]) ? "_files" : " ")
	print "\t\t'" (kind[p, i] == "list" ? "*" : "") "--" name[p, i] (kind[p, i] != "flag" ? "=" : "") what value "' \\"
	if (letter[p, i] != "")
		print "\t\t'-" letter[p, i] what value "' \\"
}

function zsh(i, k) {
	print "#compdef tracebook"
	print "# zsh completion of tracebook, made from its option tables."
	for (i = 1; i <= n_programs; i++) {
		print "_tracebook_" program[i] "() {\n\t_arguments \\"
		for (k = 1; k <= n[program[i]]; k++)
			zsh_option(program[i], k)
		print "\t\t'*:path:_files'\n}"
	}
	print "_tracebook() {\n\twhile [[ $CURRENT -gt 2 && $words[2] == (-q|-v|--quiet|--verbose) ]]; do\n\t\tshift words; (( CURRENT-- ))\n\tdone"
	print "\tif (( CURRENT == 2 )); then\n\t\tlocal -a commands=("
	for (i = 1; i <= n_programs; i++)
		print "\t\t\t'" program[i] ":" zsh_safe(does[program[i]]) "'"
	print "\t\t)\n\t\t_describe command commands\n\t\t_files\n\t\treturn\n\tfi\n\tcase $words[2] in"
	for (i = 1; i <= n_programs; i++)
		print "\t" program[i] ") shift words; (( CURRENT-- )); _tracebook_" program[i] " ;;"
	print "\t*) _tracebook_report ;;\n\tesac\n}\n_tracebook \"$@\""
}

function fish_safe(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/'/, "\\'", s)
	return s
}

function fish(i, k, p, value, where) {
	print "# fish completion of tracebook, made from its option tables."
	for (i = 1; i <= n_programs; i++) {
		p = program[i]
		# A path alone is one for report.
		where = p == "report" ? "not __fish_seen_subcommand_from collect" : "__fish_seen_subcommand_from " p
		print "complete -c tracebook -n __fish_use_subcommand -a " p " -d '" fish_safe(does[p]) "'"
		for (k = 1; k <= n[p]; k++) {
			value = ""
			if (kind[p, k] == "choice") {
				value = arg[p, k]
				gsub(/\|/, " ", value)
				value = " -x -a '" value "'"
			} else if (kind[p, k] != "flag")
				value = is_path(arg[p, k]) ? " -r" : " -x"
			print "complete -c tracebook -n '" where "' -l " name[p, k] \
				(letter[p, k] != "" ? " -s " letter[p, k] : "") value " -d '" fish_safe(help[p, k]) "'"
		}
	}
}

END {
	if (form == "man")
		man(page)
	else if (form == "bash")
		bash()
	else if (form == "zsh")
		zsh()
	else if (form == "fish")
		fish()
}
