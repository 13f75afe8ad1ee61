# SPDX-License-Identifier: Apache-2.0
# clang-format 14 has nothing to change. Another version would decide differently.
. tests/check/sources.sh
tool=
for name in clang-format-14 clang-format; do
	if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
		tool=$name
		break
	fi
done
if [ -z "$tool" ]; then
	echo "clang-format 14 is not here: apt-get install clang-format-14"
	exit 77
fi
sources '*.c' '*.h' '*.cu' | xargs -r "$tool" --dry-run -Werror
