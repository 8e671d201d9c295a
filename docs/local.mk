# SPDX-License-Identifier: Apache-2.0
# docs: manual pages are written in reStructuredText and built by rst2man.
documents = \
	docs/benchmarks.md \
	docs/cluster.md \
	docs/faults.md \
	docs/models.md \
	docs/protocol.md \
	docs/runtimes.md \
	docs/workers.md
EXTRA_DIST += $(documents) \
	docs/pictures/folded.svg \
	docs/pictures/served.svg

pages = \
	docs/man/libserry.3 \
	docs/man/serried.8 \
	docs/man/serried.conf.5 \
	docs/man/serry.1
EXTRA_DIST += \
	docs/man/libserry.rst \
	docs/man/serried.rst \
	docs/man/serried.conf.rst \
	docs/man/serry.rst
CLEANFILES += $(pages)
if HAVE_RST2MAN
man_MANS += $(pages)
endif

make_page = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(RST2MAN) --halt=warning $< $@
.rst.1:
	$(make_page)
.rst.3:
	$(make_page)
.rst.5:
	$(make_page)
.rst.8:
	$(make_page)
