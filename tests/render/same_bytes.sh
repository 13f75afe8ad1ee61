# SPDX-License-Identifier: Apache-2.0
# The same traces give the same bytes: twice, in another locale, time zone, folder and environment, as
# files of another age in another order, and on a later day.
. "$TRACEBOOK_TOP/tests/render/functions"
inputs
everything() { # FOLDER: all outputs of the two inputs into it
	run 0 report -o "$1/r.pdf" --svg "$1/svg" --png "$1/png" --markdown "$1/r.md" host kineto
	for stage in trace analysis document canvas; do
		run 0 report --dump $stage host kineto
		mv out "$1/$stage.txt"
	done
}
same() { # WHAT
	diff -r first again || wrong "$1: other bytes"
	rm -r again
}

everything first
sleep 1.1
everything again
same 'a second later'

TZ=Asia/Tokyo everything again
same 'in Tokyo'
for locale in C POSIX C.UTF-8 $(locale -a 2>/dev/null | grep -iE '^(de|fr|tr|ar|zh|fa)_' | head -n 4); do
	LC_ALL=$locale everything again
	same "in the locale $locale"
done
# A locale with a comma for a point, made here where the parts for it lie about.
if localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
	[ "$(LOCPATH=$PWD LC_ALL=de_DE.UTF-8 env printf %.1f 0,5)" = 0,5 ] || wrong 'no comma'
	LOCPATH=$PWD LC_ALL=de_DE.UTF-8 everything again
	same 'in German'
fi

# Nothing of the caller's is looked at.
(
	for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
		case $name in
		PATH | PWD | LC_ALL | TRACEBOOK_* | *SAN_OPTIONS) ;;
		*) unset "$name" ;;
		esac
	done
	umask 077
	export HOME=/nonexistent USER=somebody SOURCE_DATE_EPOCH=1 COLUMNS=33 LANGUAGE=tr
	everything again
)
same 'in a bare environment'

# Copies: written in another order, of another age.
mkdir copy
for file in $(find host kineto -type f | sort -r); do
	mkdir -p "copy/$(dirname "$file")"
	cp "$file" "copy/$file"
	touch -d '2001-02-03 04:05:06' "copy/$file"
done
(cd copy && everything ../again)
same 'from copies'

# 400 days and some hours later, for every call that asks for the time.
if [ -n "${TRACEBOOK_SAN-}" ] || ! command -v "${CC:-gcc}" >/dev/null; then
	exit 0
fi
cat >later.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
enum { LATER = 400 * 86400 + 12345 };
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int (*next)(clockid_t, struct timespec *) =
		(int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	int result = next(clock, t);
	t->tv_sec += LATER;
	return result;
}
time_t time(time_t *t)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}
END
"${CC:-gcc}" -shared -fPIC -o later.so later.c -ldl
# By its name alone: the loader takes a space in LD_PRELOAD for the end of a path.
export LD_LIBRARY_PATH="$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
today=$(date +%Y) later=$(LD_PRELOAD=later.so date +%Y)
[ "$later" -gt "$today" ] || wrong 'the day after tomorrow did not come'
LD_PRELOAD=later.so everything again
same 'on a later day'
