# SPDX-License-Identifier: Apache-2.0
# share: the shipped declarations, installed as files and embedded in the
# programs. A file put into one of the two folders is found without being named
# here, so the generator runs at every make and leaves an equal result alone.
noinst_LTLIBRARIES += libshare.la
libshare_la_SOURCES = share/embedded.h
nodist_libshare_la_SOURCES = share/embedded.c
EXTRA_DIST += share/embed
BUILT_SOURCES += share/embedded.c
CLEANFILES += share/embedded.c share/embedded.c.tmp

share/embedded.c: FORCE
	$(AM_V_GEN)$(MKDIR_P) share && \
	$(SHELL) $(srcdir)/share/embed $(srcdir)/share >$@.tmp && \
	if cmp -s $@.tmp $@; then rm -f $@.tmp; else mv -f $@.tmp $@; fi

install-data-local:
	for kind in runtimes models; do \
	  $(MKDIR_P) "$(DESTDIR)$(pkgdatadir)/$$kind" || exit 1; \
	  $(INSTALL_DATA) $(srcdir)/share/$$kind/*.yaml \
	    "$(DESTDIR)$(pkgdatadir)/$$kind" || exit 1; \
	done

uninstall-local:
	for file in $(srcdir)/share/runtimes/*.yaml $(srcdir)/share/models/*.yaml; do \
	  rm -f "$(DESTDIR)$(pkgdatadir)/$${file#$(srcdir)/share/}"; \
	done

dist-hook:
	for kind in runtimes models; do \
	  $(MKDIR_P) "$(distdir)/share/$$kind" || exit 1; \
	  cp -p $(srcdir)/share/$$kind/*.yaml "$(distdir)/share/$$kind" || exit 1; \
	done
