# SPDX-License-Identifier: Apache-2.0
# Read by the checks: sources PATTERN... prints the files that git tracks, or would, and that are there.
sources() {
	git ls-files -co --exclude-standard -- "$@" | sort -u | while IFS= read -r f; do
		if [ -f "$f" ]; then printf '%s\n' "$f"; fi
	done
}
# What the Makefile compiles with; make check hands it over, a part that runs alone asks.
check_flags() {
	if [ -z "${CHECK_FLAGS-}" ]; then CHECK_FLAGS=$(${MAKE:-make} --no-print-directory flags); fi
}
