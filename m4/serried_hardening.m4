dnl SPDX-License-Identifier: Apache-2.0
dnl What is asked of the compiler so that a mistake of ours stays small.

dnl SERRIED_HARDENING: fills HARDENING_CPPFLAGS, HARDENING_CFLAGS and
dnl HARDENING_LDFLAGS with what the compiler takes. FORTIFY needs optimization:
dnl at -O0 the C library's headers warn, so that the question is answered no.
AC_DEFUN([SERRIED_HARDENING], [
  AX_APPEND_COMPILE_FLAGS([-fPIE -fstack-protector-strong \
    -fstack-clash-protection -fcf-protection], [HARDENING_CFLAGS], [-Werror])
  AX_CHECK_COMPILE_FLAG([-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3],
    [HARDENING_CPPFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"], [],
    [-Werror], [AC_LANG_PROGRAM([[#include <string.h>]])])
  AX_APPEND_LINK_FLAGS([-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack],
    [HARDENING_SHARED_LDFLAGS], [-Werror])
  AX_APPEND_LINK_FLAGS([-pie], [HARDENING_LDFLAGS], [-fPIE -Werror])
  AS_VAR_APPEND([HARDENING_LDFLAGS], [" $HARDENING_SHARED_LDFLAGS"])
])

dnl SERRIED_SANITIZER(LIST): fills SANITIZER_CFLAGS; stops when the compiler
dnl cannot.
AC_DEFUN([SERRIED_SANITIZER], [
  AX_CHECK_LINK_FLAG([-fsanitize=$1],
    [SANITIZER_CFLAGS="-fsanitize=$1 -fno-omit-frame-pointer"],
    [AC_MSG_ERROR([the compiler cannot build with -fsanitize=$1])])
  AX_APPEND_COMPILE_FLAGS([-fno-sanitize-recover=all], [SANITIZER_CFLAGS],
    [-Werror])
])
