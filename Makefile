# SPDX-License-Identifier: Apache-2.0
# tracebook. `make report` measures and prints; `make test` checks. V=1 shows every command,
# SAN=1 builds with sanitizers into out/san, SAN=threads with that of threads into out/tsan; make fuzz and make cover
# use SAN=fuzz and SAN=cover. WERROR=1 takes warnings for errors. Other compilers: CC=clang; more of their options:
# EXTRA_CFLAGS=, EXTRA_LDFLAGS=.

all: programs

# As many jobs as cores, unless -j says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null),2)
endif

comma := ,
B := out$(if $(SAN),/$(or $(filter fuzz cover,$(SAN)),$(if $(filter threads,$(SAN)),tsan,san)))
V ?=
Q := $(if $(V),,@)
say = $(if $(V),,@printf '%-8s %s\n' $(1) $(2))

CC := gcc
# A function that nobody declared is an error for gcc 14 and clang 16, so it is one for every compiler.
WARN := -Werror=implicit-function-declaration \
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wdouble-promotion -Wconversion $(if $(WERROR),-Werror)
# What clang alone calls a slip: a number taken for true, an enum for an int, a float passed on as a double, a row of a
# table without its last members (they are 0), a format handed on by a function that is itself checked, two literals in
# one line of an array, gcc's own pragmas (event_avx2.c; clang takes the plain way there).
WARN += $(if $(findstring clang,$(CC)),-Wno-float-conversion -Wno-enum-float-conversion -Wno-sign-conversion \
	-Wno-double-promotion -Wno-format-nonliteral -Wno-string-concatenation -Wno-unknown-pragmas -Wno-missing-field-initializers)
SANITIZE_1 := -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZE_threads := -fsanitize=thread
SANITIZE_fuzz := $(SANITIZE_1) -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp \
	-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
SANITIZE_cover := -fprofile-instr-generate -fcoverage-mapping
SANFLAGS := $(if $(findstring fuzz,$(SAN)),-O2,-O1) -fno-omit-frame-pointer $(or $(SANITIZE_$(SAN)),$(SANITIZE_1))
# The path of the tree is in no object: the same sources give the same programs, wherever they lie.
CFLAGS = -std=gnu11 -g "-ffile-prefix-map=$$PWD=." $(if $(SAN),$(SANFLAGS),-O2) -fPIC -pthread $(WARN) -I. -MMD -MP $(EXTRA_CFLAGS)
LDFLAGS := -pthread $(if $(SAN),$(SANFLAGS)) $(EXTRA_LDFLAGS)
PKG_CONFIG ?= pkg-config
pkg = $(shell $(PKG_CONFIG) --silence-errors $(1) $(2))
DRAW := cairo cairo-ft freetype2 harfbuzz harfbuzz-subset fribidi
# Asked for once, and only where something is drawn.
DRAW_CFLAGS = $(eval DRAW_CFLAGS := $(patsubst -I%,-isystem %,$(call pkg,--cflags,$(DRAW))))$(DRAW_CFLAGS)
DRAW_LIBS = $(eval DRAW_LIBS := $(call pkg,--libs,$(DRAW)) -lhpdf -lisal -lz -liberty -lsqlite3)$(DRAW_LIBS)

# ---- packages: base/packages lists them; make installs what is missing, or says how. READY=1 does not install ----
GOALS := $(or $(MAKECMDGOALS),all)
WITHOUT := help flags clean uninstall dist deb
READING := reader handout answers cheatsheet out/bin/report
TESTING := test check fuzz fuzzers cover bench golden unit
NEED := $(if $(filter-out $(WITHOUT) $(READING),$(GOALS)),$(if $(filter $(TESTING),$(GOALS)),test,measure),read)
PACKAGES := out/.packages.$(NEED)
ifneq ($(filter-out $(WITHOUT),$(GOALS)),)
ifdef READY
$(if $(filter 0,$(MAKELEVEL)),$(shell CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' sh base/install.sh --look $(NEED)))
else
# make begins anew once this is made, so all that follows sees what was installed.
include $(PACKAGES)
endif
endif
$(PACKAGES): base/packages base/install.sh
	$(Q)mkdir -p out && CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' sh base/install.sh $(NEED) && touch $@

# The host device wants oneDNN and a compiler with OpenMP; ONEDNN= leaves it out.
ONEDNN ?= $(shell printf '\043include <dnnl.h>\n\043include <omp.h>\n' | $(CC) -fopenmp -E -x c - >/dev/null 2>&1 && echo yes)
ONEDNN := $(ONEDNN)
export ONEDNN
HOST_DEVICE := $(if $(ONEDNN),$(B)/lib/tracebook-host.so)
ifeq ($(ONEDNN)$(MAKELEVEL)$(filter read,$(NEED))$(filter-out $(WITHOUT),$(GOALS)),0$(filter-out $(WITHOUT),$(GOALS)))
$(if $(READY)$(wildcard $(PACKAGES)),$(info no dnnl.h of oneDNN, or no omp.h for $(CC): the host device is left out))
endif

objects = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard $(1))))
BASE_OBJECTS := $(call objects,base/*.c)
EXPERIMENTS := $(call objects,experiments/*.c)
HOST := $(call objects,experiments/host/*.c)
COLLECT := $(filter-out %/main.o,$(call objects,collect/*.c))
REPORT := $(filter-out %/report/report.o,$(call objects,report/*.c report/*/*.c))

$(B)/obj/report/%.o: CFLAGS += $(DRAW_CFLAGS)
$(B)/obj/tests/%.o: CFLAGS += $(DRAW_CFLAGS)
# A test is compiled more often than it runs; what it tests is as it is delivered.
$(B)/obj/tests/unit/%.o: CFLAGS += $(if $(SAN),,-O0)
$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

link = $(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $(filter %.o,$^)

$(B)/bin/tracebook: $(B)/obj/tracebook/main.o $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) -lcjson -lm
$(B)/bin/collect: $(B)/obj/collect/main.o $(COLLECT) $(EXPERIMENTS) $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) -lcjson -ldl -lm -rdynamic
$(B)/bin/report: $(B)/obj/report/report.o $(REPORT) $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) $(DRAW_LIBS) -lcjson -lm
# What every shared object has of base/: memory, names, and errors with how they reach a terminal.
SMALL_BASE := base/arena.o base/err.o base/names.o base/terminal.o base/utf8.o
# initfirst: experiments/host/environment.c tells why.
$(B)/obj/experiments/host/%.o: CFLAGS += -fopenmp
$(B)/lib/tracebook-host.so: $(HOST) $(addprefix $(B)/obj/,experiments/span.o base/dtype.o \
		experiments/request_checks.o $(SMALL_BASE))
	$(call say,LINK,$@)
	$(link) -shared -fopenmp -Wl,-Bsymbolic -Wl,-z,initfirst -ldnnl -lm

programs: ## collect, report and the devices that this machine can have
programs: $(B)/bin/tracebook $(B)/bin/collect $(B)/bin/report $(HOST_DEVICE) $(B)/lib/tracebook-inject.so \
	$(patsubst collect/inject/%,$(B)/lib/%,$(wildcard collect/inject/*.py))
reader: $(B)/bin/tracebook $(B)/bin/report ## report alone: all that reading traces needs
# Of which commit they are, for --version and run.json; empty where that is not known. Not compiled in:
# a commit alone would make other programs of them, and every case would be measured again.
COMMIT := $(B)/lib/tracebook-commit
$(COMMIT): $(B)/bin/collect $(B)/bin/report $(HOST_DEVICE)
	$(Q)mkdir -p $(@D)
	$(Q){ test ! -e .git || git describe --always --dirty --abbrev=40 --exclude='*'; } >$@ 2>/dev/null || :
programs: $(COMMIT)

# All but the course (section/course.h): any trace is shown without it, and a test compares the bytes.
PLAIN := $(B)/tests/report-without-course
$(PLAIN): $(B)/obj/tests/link/without_course.o $(filter-out $(B)/obj/report/course/%,$(REPORT)) $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) $(DRAW_LIBS) -lcjson -lm
unit: $(PLAIN)

# ---- unit tests: tests/unit/ROOM/test_x.c, beside nothing else of that name, becomes tests/test_x ----
UNIT_SOURCES := $(sort $(wildcard tests/unit/*/test_*.c))
test_programs = $(patsubst %.c,$(B)/tests/%,$(notdir $(1)))
$(foreach t,$(UNIT_SOURCES),$(eval $(call test_programs,$t): $(patsubst %.c,$(B)/obj/%.o,$t)))

# ---- the cuda device: CUDA=/path/of/the/toolkit; without one it is left out ----
CUDA ?= /usr/local/cuda
CUDA_HERE := $(and $(wildcard $(CUDA)/bin/nvcc),$(wildcard $(CUDA)/lib64/libcudart_static.a), \
	$(shell grep -s 'define CUPTI_API_VERSION 13' $(CUDA)/include/cupti_version.h))
CUDA_CC := $(call objects,experiments/cuda/*.c)
CUDA_KERNELS := $(B)/obj/experiments/cuda/kernels.cu.o
CUDA_SHARED := $(addprefix $(B)/obj/,experiments/span.o base/dtype.o experiments/request_checks.o \
		$(SMALL_BASE) base/outfile.o base/verbosity.o)
# sm_90a (Hopper, with what it alone has) and sm_80 as machine code, and what other GPUs compile when they load it.
NVCC_FLAGS := -O3 -I. $(foreach a,80 90a,-gencode arch=compute_$(a),code=sm_$(a)) \
	-gencode arch=compute_80,code=compute_80 \
	-Xcompiler -fPIC,-fno-threadsafe-statics,-fno-exceptions,-fno-rtti
$(B)/obj/experiments/cuda/%.o: CFLAGS += -isystem $(CUDA)/include
$(B)/obj/experiments/cuda/fused_source.o: experiments/cuda/arithmetic.cuh
$(B)/obj/experiments/cuda/hardware_counters.o: CFLAGS += -Iexperiments/cuda/shim
$(CUDA_KERNELS): experiments/cuda/kernels.cu experiments/cuda/kernels.h $(wildcard experiments/cuda/*.cuh)
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(CUDA)/bin/nvcc $(NVCC_FLAGS) -c -o $@ $<
# The runtime library is inside; the driver, CUPTI, cuBLASLt and NVRTC are found while it runs.
$(B)/lib/tracebook-cuda.so: $(CUDA_CC) $(CUDA_KERNELS) $(CUDA_SHARED)
	$(call say,LINK,$@)
	$(link) -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL $(CUDA)/lib64/libcudart_static.a -ldl -lrt -lm
# What gets into other people's programs: NVTX everywhere, CUDA where there was a toolkit. Nothing of it
# has a name that theirs could meet.
INJECT := $(filter-out $(if $(CUDA_HERE),,%/cuda.o),$(call objects,collect/inject/*.c)) \
	$(addprefix $(B)/obj/,experiments/span.o $(SMALL_BASE)) \
	$(if $(CUDA_HERE),$(addprefix $(B)/obj/experiments/cuda/,recording.o decode.o cupti_api.o nvidia_libraries.o \
		occupancy.o))
$(B)/obj/collect/inject/cuda.o: CFLAGS += -isystem $(CUDA)/include
$(B)/lib/tracebook-inject.so: $(INJECT) collect/inject/exports
	$(call say,LINK,$@)
	$(link) -shared -Wl,-Bsymbolic -Wl,--version-script=collect/inject/exports -ldl -lm
$(B)/lib/%.py: collect/inject/%.py
	@mkdir -p $(@D)
	$(Q)cp $< $@
cuda-device: $(if $(CUDA_HERE),$(B)/lib/tracebook-cuda.so)
	$(if $(CUDA_HERE),,@echo "no CUDA toolkit: the cuda device is left out (wanted: CUDA 13 in $(CUDA))")
programs: $(if $(CUDA_HERE),cuda-device)
# Programs for a machine with a GPU (tests/gpu/README).
GPU := $(addprefix $(B)/gpu/,check tables products launches steps counters)
GPU_OBJECTS := $(addprefix $(B)/obj/tests/gpu/,gpu.o cases.o) $(CUDA_CC) $(EXPERIMENTS) $(COLLECT) $(BASE_OBJECTS)
$(B)/obj/tests/gpu/%.o: CFLAGS += -isystem $(CUDA)/include
$(B)/gpu/%: $(B)/obj/tests/gpu/%.o $(GPU_OBJECTS) $(CUDA_KERNELS)
	$(call say,LINK,$@)
	$(link) $(CUDA)/lib64/libcudart_static.a -lcjson -ldl -lrt -lm
# Somebody's program: it has no part of ours.
$(B)/gpu/plain: tests/gpu/plain.cu
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(CUDA)/bin/nvcc -O2 $(filter -gencode arch=%,$(NVCC_FLAGS)) -o $@ $< -ldl
gpu-programs: $(GPU) $(B)/gpu/plain $(B)/bin/collect $(B)/lib/tracebook-cuda.so $(B)/lib/tracebook-inject.so \
	$(patsubst collect/inject/%,$(B)/lib/%,$(wildcard collect/inject/*.py))
# The same on the GPU that is none, to try them out.
$(B)/tests/fake/%: $(B)/obj/tests/gpu/%.o $(GPU_OBJECTS) | $(B)/tests/fake/libcuda_fake.so
	$(call say,LINK,$@)
	$(link) -L$(@D) -lcuda_fake -Wl,-rpath,'$$ORIGIN' -lcjson -ldl -lm
.PHONY: gpu-programs
# A GPU for tests that is none (tests/data/cuda/README).
FAKE := $(B)/tests/fake
, := ,
$(B)/obj/tests/data/cuda/%.o: CFLAGS += -isystem $(CUDA)/include
$(B)/obj/tests/data/cuda/fake_profiler.o: CFLAGS += -Iexperiments/cuda/shim
$(B)/obj/tests/data/cuda/emulated_kernels.o: tests/data/cuda/emulated_kernels.cu \
		$(wildcard experiments/cuda/*.cu* tests/data/cuda/*.cuh) experiments/cuda/kernels.h
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)g++ -std=gnu++17 -g -O1 -fPIC -Wall -Wno-unknown-pragmas -fno-exceptions -fno-rtti -I. \
		$(if $(SAN),$(SANFLAGS)) -x c++ -c -o $@ $<
$(FAKE)/libcuda_fake.so: $(call objects,tests/data/cuda/*.c) $(B)/obj/tests/data/cuda/emulated_kernels.o
	$(call say,LINK,$@)
	$(link) -shared -ldl -lm
$(FAKE)/tracebook-cuda.so: $(CUDA_CC) $(CUDA_SHARED) | $(FAKE)/libcuda_fake.so
	$(call say,LINK,$@)
	$(link) -shared -Wl,-Bsymbolic -L$(@D) -lcuda_fake -Wl,-rpath,'$$ORIGIN' -ldl -lm
unit: $(if $(CUDA_HERE),$(FAKE)/tracebook-cuda.so)
# Programs that get recorded, where the NVTX headers are: they come with the toolkit.
$(B)/obj/tests/data/inject/%.o: CFLAGS += -isystem $(CUDA)/include
$(B)/tests/inject/ranges: $(B)/obj/tests/data/inject/ranges.o
	$(call say,LINK,$@)
	$(link) -ldl
$(FAKE)/copies: $(B)/obj/tests/data/inject/copies.o | $(FAKE)/libcuda_fake.so
	$(call say,LINK,$@)
	$(link) -L$(@D) -lcuda_fake -Wl,-rpath,'$$ORIGIN' -ldl
unit: $(if $(CUDA_HERE),$(B)/tests/inject/ranges $(FAKE)/copies)
# Tests of the device's parts; without a toolkit each says so and skips.
CUDA_TESTS := $(wildcard tests/unit/experiments/test_cuda_*.c)
$(patsubst %.c,$(B)/obj/%.o,$(CUDA_TESTS)): CFLAGS += $(if $(CUDA_HERE),-isystem $(CUDA)/include)
$(call test_programs,$(CUDA_TESTS)): $(COLLECT) $(EXPERIMENTS) $(BASE_OBJECTS) \
		$(if $(CUDA_HERE),$(CUDA_CC)) | $(if $(CUDA_HERE),$(FAKE)/libcuda_fake.so)
	$(call say,LINK,$@)
	$(link) $(if $(CUDA_HERE),-L$(FAKE) -lcuda_fake -Wl$(,)-rpath$(,)'$$ORIGIN/fake') \
		-lcjson -ldl -lm -lcmocka -rdynamic
# One answer of ours against one of theirs.
$(B)/tests/test_cuda_occupancy: $(B)/obj/report/analyse/kernel_fit.o
.PHONY: cuda-device
# ---- end of the cuda device ----

# All parts once, for all tests: a hundred programs with all of them inside are 600 MB, and a minute to link.
PARTS := $(B)/tests/libparts.so
$(PARTS): $(REPORT) $(COLLECT) $(EXPERIMENTS) $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) -shared -Wl,-Bsymbolic $(DRAW_LIBS) -lcjson -ldl -lm
$(call test_programs,$(filter-out $(CUDA_TESTS),$(UNIT_SOURCES))): | $(PARTS)
	$(call say,LINK,$@)
	$(link) -L$(B)/tests -lparts -Wl,-rpath,'$$ORIGIN' $(DRAW_LIBS) -lcjson -lz -ldl -lm -lcmocka -rdynamic
# These load the host device, as collect does, or look inside it.
$(addprefix $(B)/tests/test_,host host_errors host_launch workloads_host): \
		$(B)/obj/tests/unit/host_device.o | $(HOST_DEVICE)
$(B)/tests/test_queue: $(B)/obj/experiments/host/queue.o
unit: $(call test_programs,$(UNIT_SOURCES))

# What measuring costs: out/bench/bench_spans out/lib/tracebook-host.so [rounds [size]...]
$(B)/bench/bench_spans: $(addprefix $(B)/obj/,tests/bench/bench_spans.o experiments/span.o \
		base/dtype.o $(SMALL_BASE) experiments/host/onednn.o) | $(HOST_DEVICE)
	$(call say,LINK,$@)
	$(link) -fopenmp -ldnnl -ldl

# ---- reports: DEVICE=auto|host|cuda chooses the device, MATRIX=file the experiments, BASE=dir a run to
# compare with ----
DEVICE ?= auto
MATRIX ?= experiments/matrix.json
# Runs recorded on other machines, a part of their own in the report: RECORDED= for none.
RECORDED ?= $(if $(wildcard experiments/recorded/*/run.json),experiments/recorded)
# The shell gets all of these by its environment: they may hold blanks and quotes.
REPORT_OPTIONS ?= $${BASE:+"--baseline=$$BASE"} $${RECORDED:+"--recorded=$$RECORDED"}
TEMPLATES := $(wildcard templates/*.json templates/*/*.json templates/html/*)

# The figures take the place of the earlier ones, which come back where that fails: NEW,OLD
new_figures = mv out/svg $2 && { mv $1 out/svg || { mv $2 out/svg; false; }; }

# collect says on stdout into which folder it wrote; a case that did not change is not run again.
# A failed case is in the report, so the report is made before the failure counts.
# CMD="python3 train.py": a program of yours instead, split at blanks and read by no shell; its status counts.
# The recording is put beside the earlier one before it takes its place: out/traces may be another disk, and full.
ifdef CMD
export CMD
report: programs
	$(Q)new=out/.new.$$$$ in=out/traces/.new.$$$$; set -f; $(B)/bin/collect --out $$new/run -- $$CMD; status=$$?; \
	test -s $$new/run/run.json || { rm -rf $$new; exit $$(( status ? status : 1 )); }; \
	mkdir -p out/traces/command out/svg $$in && mv $$new/run $$in && \
	mv out/traces/command $$in/was && mv $$in/run out/traces/command && \
	$(B)/bin/report -o $$new/report.pdf --svg $$new/svg --markdown $$new/summary.md $${BASE:+"--baseline=$$BASE"} out/traces/command && \
	mv $$new/summary.md out && $(call new_figures,$$new/svg,$$new/old) && mv $$new/report.pdf out || { rm -rf $$new $$in; exit 1; }; \
	rm -rf $$new $$in; \
	echo "out/report.pdf, figures out/svg/, in short out/summary.md"; exit $$status
else
export DEVICE MATRIX RECORDED
report: programs ## measures what changed, then writes out/report.pdf and out/atlas.pdf (DEVICE=, MATRIX=, BASE=, RECORDED=; CMD=: of a program)
	$(Q)new=out/.run.$$$$ turn=; for d in "$$BASE" "$$BASE/bin" "$$BASE/out/bin"; do test -z "$$BASE" -o ! -x "$$d/collect" || turn=1; done; \
	$(B)/bin/collect --device "$$DEVICE" $${turn:+"--against=$$BASE"} "$$MATRIX" >$$new; status=$$?; \
	test -s $$new || { rm -f $$new; exit $$(( status ? status : 1 )); }; mv $$new out/.run || exit 1; \
	test -z "$$turn" || BASE=; \
	$(MAKE) $(if $(V),,-s) --no-print-directory RUN="$$(cat out/.run)" $${turn:+BASE=} \
		$(if $(BASE)$(filter command%,$(origin RECORDED)),-W "$$(cat out/.run)/run.json") out/report.pdf out/atlas.pdf || exit 1; \
	$(B)/bin/report --check $${BASE:+"--baseline=$$BASE"} "$$(cat out/.run)" 2>/dev/null | sed -n '$$s|$$|: out/report.pdf says which on page 1 (all cases: out/atlas.pdf, figures: out/svg/, in short: out/summary.md)|p'; \
	exit $$status
endif
# The story for the reader, and all that it rests on, from one reading. What was there is replaced once all of the new
# is, the documents last: they say that the rest is done. A rule of a pattern makes both in one call, in every make;
# what it fails to make stays as it was.
.PRECIOUS: out/report.pdf out/atlas.pdf
out/report%pdf out/atlas%pdf: $(RUN)/run.json $(B)/bin/report $(TEMPLATES) $(wildcard $(addsuffix /run.json,$(RECORDED) $(RECORDED)/*))
	$(call say,REPORT,"out/report.pdf out/atlas.pdf")
	$(Q)new=out/.new.$$$$; mkdir -p out/svg; \
	$(B)/bin/report -o $$new.pdf --markdown $$new.md --atlas $$new.atlas.pdf --svg $$new.svg $(REPORT_OPTIONS) "$$RUN" && \
	mv $$new.md out/summary.md && $(call new_figures,$$new.svg,$$new.old) && mv $$new.atlas.pdf out/atlas.pdf && mv $$new.pdf out/report.pdf || \
	{ rm -rf $$new.*; exit 1; }; rm -rf $$new.old

# Classroom sheets, from the last run.
# Their words reach the shell as they are: they may hold blanks and quotes.
SHEETS := RUN TITLE BYLINE PAPER
export $(SHEETS)
handout: $(B)/bin/report | $(filter report,$(MAKECMDGOALS)) ## twelve exercises for a class and their key, from the last run (RUN=, TITLE=, BYLINE=, PAPER=letter; ONLY='*': all questions, ONLY='GLOB...')
	$(Q)test -n "$$RUN" -o -s out/.run || { echo "no run yet: make report first, or RUN=experiments/recorded/nvidia-h200" >&2; exit 1; }
	$(Q)for name in handout answers; do \
		$(B)/bin/report --template $$name -o out/$$name.pdf $${TITLE:+"--title=$$TITLE"} $${BYLINE:+"--byline=$$BYLINE"} \
			$${PAPER:+"--paper=$$PAPER"} $(foreach g,$(ONLY),--only='$(g)') $${RECORDED:+"--recorded=$$RECORDED"} "$${RUN:-$$(cat out/.run)}" || exit 1; \
	done
	@echo "out/handout.pdf, and for the teacher out/answers.pdf"
answers: handout
	@:
cheatsheet: $(B)/bin/report ## how to read a trace, on two pages (TITLE=, BYLINE=, PAPER=letter)
	$(Q)$(B)/bin/report --template cheatsheet -o out/cheatsheet.pdf $${TITLE:+"--title=$$TITLE"} $${BYLINE:+"--byline=$$BYLINE"} \
		$${PAPER:+"--paper=$$PAPER"}
	@echo out/cheatsheet.pdf

include tracebook/install.mk

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile tracebook/install.mk

clean: ## removes out/
	$(Q)rm -rf out/* out/.packages.* out/.run* out/.new.*

-include $(shell find out -path '*/obj/*.d' -type f 2>/dev/null)
.PHONY: all programs reader help unit report handout answers cheatsheet clean
.SECONDARY:
.DELETE_ON_ERROR:

# ---- tests: `make test ONLY=read` runs what has "read" in its name, FUZZ_SECONDS is for each ----
FUZZ_SECONDS ?= 60
CHECK_FLAGS = $(filter-out -MMD -MP -g -O2 "-ffile-prefix-map%,$(CFLAGS)) $(DRAW_CFLAGS)
test: programs unit ## every test that needs no GPU; ONLY=read for those with that in their name
	$(Q)python3 tests/run.py --build $(B) $(ONLY)
check: ## format, sizes, headers, layers, warnings, static analysis, then all tests twice
	$(Q)MAKE='$(MAKE)' CC='$(CC)' CHECK_FLAGS='$(CHECK_FLAGS)' sh tests/check/all.sh
# What a part of the check compiles with when it is run alone.
flags:
	@echo '$(CHECK_FLAGS)'
# A fuzzer is linked with what it needs and no more: libFuzzer looks at every counter after every input.
FUZZ_CC = $(if $(findstring clang,$(CC)),$(CC),clang)
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
$(B)/libparts.a: $(REPORT) $(COLLECT) $(EXPERIMENTS) $(BASE_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(FUZZERS): $(B)/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/libparts.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(DRAW_LIBS) -lcjson -lz -ldl -lm
fuzzers: $(FUZZERS)
fuzz: ## any bytes for every reader and for whole reports, FUZZ_SECONDS=60 each (HOURS=1: so long in all)
	$(Q)command -v clang >/dev/null || { echo "make fuzz needs clang with libFuzzer: apt-get install clang" >&2; exit 1; }
	$(Q)$(MAKE) --no-print-directory SAN=fuzz CC='$(FUZZ_CC)' fuzzers
	$(Q)HOURS='$(HOURS)' sh tests/check/fuzz.sh $(FUZZ_SECONDS) $(ONLY)
cover: ## how many lines of the readers the kept corpora of the fuzzers reach
	$(Q)command -v llvm-cov >/dev/null || { echo "make cover needs clang and llvm: apt-get install clang llvm" >&2; exit 1; }
	$(Q)$(MAKE) --no-print-directory SAN=cover CC='$(FUZZ_CC)' fuzzers
	$(Q)sh tests/check/cover.sh
# The picture of the rooms in docs/architecture.md, from the real includes.
map: ## draws the rooms of report/ from the real includes (graphviz)
	$(Q)command -v dot >/dev/null || { echo "make map needs graphviz: apt-get install graphviz" >&2; exit 1; }
	$(Q)python3 tests/check/map.py draw report/rooms.svg
gallery: $(B)/bin/report ## the pictures of the README, from the recorded run (poppler)
	$(Q)sh -eu tests/check/gallery.sh draw
.PHONY: test check flags fuzz fuzzers cover map gallery
# ---- end of tests ----

# ---- the advice against programs that were timed before and after one remedy: PAIRS=FOLDER ----
PAIRS ?= $(or $(TRACEBOOK_SHARED),../shared)/traces/h200/pairs
export PAIRS
advise: $(B)/bin/report ## what the advice promises, and what it gave; and does a comparison say faster of what became faster?
	$(Q)python3 tests/advise/directions.py $(B)/bin/report "$$PAIRS"; status=$$?; \
	if grep -q '"half"' "$$PAIRS/PAIRS.json"; then \
		python3 tests/advise/patterns.py $(B)/bin/report "$$PAIRS" tests/gpu/patterns/remedies.tsv; \
	else python3 tests/advise/pairs.py $(B)/bin/report "$$PAIRS"; fi && exit $$status
.PHONY: advise

# ---- the gate on this machine: identical runs, and what was planted: NOISE_PAIRS=100, NOISE_ROUNDS=24 ----
noise: programs ## false alarms of the gate, and what it finds
	$(Q)NOISE_PAIRS='$(NOISE_PAIRS)' NOISE_ROUNDS='$(NOISE_ROUNDS)' NOISE_SECONDS='$(NOISE_SECONDS)' python3 tests/noise/noise.py $(B)/bin/collect $(B)/bin/report $(B)/noise
.PHONY: noise

# ---- bench, golden texts, a second opinion on the PDF ----
# `make bench` measures the bars and compares (BYTES=300000000 for smaller traces); `make golden` takes what report prints for right.
$(B)/tests/oracle $(B)/tests/boxes: $(B)/tests/%: $(B)/obj/tests/render/%.o $(REPORT) $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) $(DRAW_LIBS) -lcjson -lm
unit: $(B)/tests/oracle $(B)/tests/boxes
golden: programs ## takes what report prints for right
	$(Q)TRACEBOOK_BIN="$$PWD/$(B)/bin" sh tests/golden/refresh
# What reading costs, and what follows it: out/bench/bench_read TRACE, out/bench/bench_stages ROUNDS TRACE...
$(B)/bench/bench_read $(B)/bench/bench_stages: $(B)/bench/%: $(B)/obj/tests/bench/%.o $(REPORT) $(BASE_OBJECTS)
	$(call say,LINK,$@)
	$(link) $(DRAW_LIBS) -lcjson -lm
$(B)/bench/bench_repeat: $(B)/obj/tests/bench/bench_repeat.o $(addprefix $(B)/obj/,$(SMALL_BASE))
	$(call say,LINK,$@)
	$(link)
# A rival, where its library and a C++ compiler are; for this processor, which is its best case.
SIMDJSON = $(if $(shell command -v g++),$(if $(call pkg,--libs,simdjson),$(B)/bench/simdjson))
$(B)/bench/simdjson: tests/bench/simdjson.cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)g++ -std=gnu++17 -O3 -march=native -Wall -Wextra -o $@ $< $(call pkg,--cflags --libs,simdjson)
BENCHES := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/bench_*.c))
unit: $(if $(ONEDNN),$(BENCHES),$(filter-out %/bench_spans,$(BENCHES)))
BYTES ?= 1000000000
bench: ## speed and memory, beside others (BYTES=300000000: smaller traces)
bench: programs $(B)/tests/oracle $(BENCHES)
	$(if $(SIMDJSON),$(Q)$(MAKE) --no-print-directory $(SIMDJSON))
	$(Q)python3 tests/bench/bench.py --build $(B) --bytes $(BYTES)
prices: ## instructions of each rule and walk behind reading (TRACES="FILE ..."; valgrind)
prices: $(B)/bench/bench_stages
	$(Q)python3 tests/bench/prices.py $< $(or $(TRACES),$(error prices: TRACES="FILE ..." says of which traces))
.PHONY: golden bench prices
# ---- end of bench ----
