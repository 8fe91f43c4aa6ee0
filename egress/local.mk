# The parts of the egress that are pure, for it and for its tests.
noinst_LTLIBRARIES += libegress.la
libegress_la_SOURCES = \
	egress/dns.c egress/dns.h \
	egress/hello.c egress/hello.h \
	egress/socks.c egress/socks.h \
	egress/standins.c egress/standins.h
