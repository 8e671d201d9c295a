# SPDX-License-Identifier: Apache-2.0
# docs: manual pages are written in reStructuredText and built by rst2man.
documents = \
	docs/benchmarks.md \
	docs/models.md \
	docs/protocol.md \
	docs/runtimes.md
EXTRA_DIST += $(documents)

pages = \
	docs/man/serry.1
EXTRA_DIST += $(pages:.1=.rst)
CLEANFILES += $(pages)
if HAVE_RST2MAN
man_MANS += $(pages)
endif

.rst.1:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(RST2MAN) --halt=warning $< $@
