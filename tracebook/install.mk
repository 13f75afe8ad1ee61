# SPDX-License-Identifier: Apache-2.0
# What leaves this folder: man pages and completion, install and uninstall, the archive and the Debian package.

VERSION := $(shell sed -n 's/^.define TRACEBOOK_VERSION "\(.*\)"/\1/p' base/program_version.h)
# The day of the last change, so that the same tree gives the same bytes.
EPOCH = $(eval EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y CHANGES.md)))$(EPOCH)

# ---- man pages and completion, made from the programs' own option tables ----
MAN := $(addprefix $(B)/share/man/man1/,tracebook.1 tracebook-collect.1 tracebook-report.1)
COMPLETIONS := $(addprefix $(B)/share/,bash-completion/completions/tracebook zsh/site-functions/_tracebook \
	fish/vendor_completions.d/tracebook.fish)
$(B)/share/options.tsv: $(B)/bin/collect $(B)/bin/report
	$(Q)mkdir -p $(@D) && { $(B)/bin/collect --describe && $(B)/bin/report --describe; } >$@
forms = $(Q)mkdir -p $(@D) && LC_ALL=C awk -v form=$(1) -f tracebook/forms.awk $(B)/share/options.tsv >$@
$(B)/share/man/man1/%.1: $(B)/share/options.tsv tracebook/forms.awk
	$(call forms,man -v page=$(*:tracebook-%=%) -v date="$$(date -u -d @$(EPOCH) +%F)")
$(filter %/tracebook,$(COMPLETIONS)): $(B)/share/options.tsv tracebook/forms.awk
	$(call forms,bash)
$(filter %/_tracebook,$(COMPLETIONS)): $(B)/share/options.tsv tracebook/forms.awk
	$(call forms,zsh)
$(filter %.fish,$(COMPLETIONS)): $(B)/share/options.tsv tracebook/forms.awk
	$(call forms,fish)
man: $(MAN) $(COMPLETIONS) ## man pages and completion for bash, zsh and fish, in out/share

# ---- install ----
PREFIX ?= /usr/local
# The shell puts both in front: they may hold blanks and quotes.
export PREFIX DESTDIR
SHARE = share/tracebook
LIBEXEC = libexec/tracebook
# Each row: the file here, where it goes, its mode. What follows the folder of its kind keeps its folders.
INSTALLED = $(foreach f,$(B)/bin/tracebook,$(f):bin/tracebook:755) \
	$(foreach f,collect report,$(B)/bin/$(f):$(LIBEXEC)/bin/$(f):755) \
	$(foreach f,$(wildcard $(B)/lib/tracebook-*),$(f):$(LIBEXEC)/lib/$(notdir $(f)):644) \
	$(foreach f,$(TEMPLATES),$(f):$(SHARE)/$(f):644) \
	$(foreach f,experiments/matrix.json experiments/gpu.json $(shell find experiments/recorded -type f 2>/dev/null | sort), \
		$(if $(wildcard $(f)),$(f):$(SHARE)/$(f):644)) \
	$(foreach f,$(MAN) $(COMPLETIONS),$(f):$(f:$(B)/%=%):644) \
	$(foreach f,$(wildcard README.md CHANGES.md SECURITY.md LICENSE NOTICE docs/*.md examples/*/*),$(f):share/doc/tracebook/$(f):644)
install: programs man ## PREFIX=/usr/local, DESTDIR=; make uninstall takes it all back
	$(Q)set -e; $(foreach row,$(INSTALLED),$(call install_one,$(subst :, ,$(row))))true
install_one = install -D -m $(word 3,$(1)) $(word 1,$(1)) "$$DESTDIR$$PREFIX"/$(word 2,$(1));
# Whatever languages and devices there were when it was installed.
uninstall: ## with the same PREFIX and DESTDIR
	$(Q)! cd "$$DESTDIR$$PREFIX" 2>/dev/null || rm -rf $(LIBEXEC) $(SHARE) share/doc/tracebook bin/tracebook \
		$(patsubst $(B)/%,%,$(MAN) $(COMPLETIONS))

# ---- archive and package ----
ARCHIVE = tracebook-$(VERSION)
IS_COMMITTED = git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "make $@ wants the git repository" >&2; exit 1; }
dist: ## out/tracebook-VERSION.tar.gz, of what is committed
	$(Q)$(IS_COMMITTED)
	$(Q)mkdir -p out && git archive --format=tar --prefix=$(ARCHIVE)/ HEAD | gzip -n9 >out/$(ARCHIVE).tar.gz
	@echo out/$(ARCHIVE).tar.gz
# A package of what is committed, for the Debian that this runs on.
deb: ## out/tracebook_VERSION_ARCH.deb, of what is committed (build-essential, debhelper)
	$(Q)$(IS_COMMITTED)
	$(Q)command -v dh >/dev/null && command -v dpkg-buildpackage >/dev/null || \
		{ echo "make deb wants debhelper and dpkg-dev: apt-get install debhelper build-essential" >&2; exit 1; }
	$(Q)rm -rf out/deb && mkdir -p out/deb && git archive --format=tar --prefix=$(ARCHIVE)/ HEAD | tar -xf - -C out/deb
	$(Q)cd out/deb/$(ARCHIVE) && sed -e 's/@VERSION@/$(VERSION)/' \
		-e "s/@DATE@/$$(LC_ALL=C date -u -R -d @$(EPOCH))/" debian/changelog.in >debian/changelog && \
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=$(EPOCH) dpkg-buildpackage -b -uc -us >../log 2>&1 || \
		{ tail -n 30 ../log >&2; exit 1; }
	$(Q)cp out/deb/tracebook_*.deb out/ && rm -rf out/deb
	@ls out/tracebook_*.deb
.PHONY: man install uninstall dist deb
