# tracebook. `make report` measures and prints; `make test` checks. V=1 shows every command,
# SAN=1 builds with sanitizers into out/san.

all: programs

B := $(if $(SAN),out/san,out)
V ?=
Q := $(if $(V),,@)
say = $(if $(V),,@printf '%-8s %s\n' $(1) $(2))

CC := gcc
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wdouble-promotion -Wconversion -Werror
SANFLAGS := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
CFLAGS := -std=gnu11 -g $(if $(SAN),$(SANFLAGS),-O2) -fPIC -pthread $(WARN) -I. -MMD -MP
LDFLAGS := -pthread $(if $(SAN),$(SANFLAGS))
pkg = $(shell pkg-config --silence-errors $(1) $(2))
DRAW := cairo cairo-ft freetype2 harfbuzz harfbuzz-subset
DRAW_CFLAGS = $(patsubst -I%,-isystem %,$(call pkg,--cflags,$(DRAW)))
DRAW_LIBS = $(call pkg,--libs,$(DRAW)) -lhpdf

# Everything that takes packages depends on this stamp; READY=1 leaves the look-up out.
PACKAGES := out/.packages
$(PACKAGES): packages.txt install.sh
	$(Q)$(if $(READY),true,./install.sh) && touch $@

objects = $(patsubst %.c,$(B)/obj/%.o,$(sort $(wildcard $(1))))
BASE := $(call objects,base/*.c)
EXPERIMENTS := $(call objects,experiments/*.c)
HOST := $(call objects,experiments/host/*.c)
COLLECT := $(filter-out %/main.o,$(call objects,collect/*.c))
REPORT := $(filter-out %/main.o,$(call objects,report/*.c))

$(B)/obj/report/%.o: CFLAGS += $(DRAW_CFLAGS)
$(B)/obj/tests/%.o: CFLAGS += $(DRAW_CFLAGS)
$(B)/obj/%.o: %.c | $(PACKAGES)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

link = $(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $(filter %.o,$^)

$(B)/bin/collect: $(B)/obj/collect/main.o $(COLLECT) $(EXPERIMENTS) $(BASE)
	$(call say,LINK,$@)
	$(link) -lcjson -ldl -lm -rdynamic
$(B)/bin/report: $(B)/obj/report/main.o $(REPORT) $(BASE)
	$(call say,LINK,$@)
	$(link) $(DRAW_LIBS) -lcjson -lz -lm
# initfirst: experiments/host/environment.c tells why.
$(B)/obj/experiments/host/%.o: CFLAGS += -fopenmp
$(B)/lib/tracebook-host.so: $(HOST) $(addprefix $(B)/obj/,experiments/span.o experiments/device.o \
		base/arena.o base/err.o base/names.o)
	$(call say,LINK,$@)
	$(link) -shared -Wl,-Bsymbolic -Wl,-z,initfirst -ldnnl -lgomp -lm

programs: $(B)/bin/collect $(B)/bin/report $(B)/lib/tracebook-host.so

UNIT := $(patsubst tests/unit/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
$(B)/tests/test_%: $(B)/obj/tests/unit/test_%.o $(REPORT) $(COLLECT) $(EXPERIMENTS) $(BASE)
	$(call say,LINK,$@)
	$(link) $(DRAW_LIBS) -lcjson -lz -ldl -lm -lcmocka -rdynamic
unit: $(UNIT)

clean:
	$(Q)rm -rf out/* out/.packages

-include $(shell find out -name '*.d' 2>/dev/null)
.PHONY: all programs unit clean
.SECONDARY:
.DELETE_ON_ERROR:

# ---- tests: `make test ONLY=read` runs what has "read" in its name, FUZZ_SECONDS is for each ----
FUZZ_SECONDS ?= 60
CHECK_FLAGS = $(filter-out -MMD -MP -g -O2,$(CFLAGS)) $(DRAW_CFLAGS)
test: $(PACKAGES) programs unit
	$(Q)python3 tests/run.py --build $(B) $(ONLY)
check: $(PACKAGES)
	$(Q)MAKE='$(MAKE)' CC='$(CC)' CHECK_FLAGS='$(CHECK_FLAGS)' sh tests/check/all.sh
fuzz: $(PACKAGES)
	$(Q)CHECK_FLAGS='$(CHECK_FLAGS)' LIBS='$(DRAW_LIBS) -lcjson -lz -lm' \
		sh tests/check/fuzz.sh $(FUZZ_SECONDS) $(ONLY)
.PHONY: test check fuzz
# ---- end of tests ----
