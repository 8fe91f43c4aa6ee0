# The parts of the egress that are pure, for it and for its tests.
noinst_LTLIBRARIES += libegress.la
libegress_la_SOURCES = \
	egress/answer.c egress/answer.h \
	egress/dns.c egress/dns.h \
	egress/hello.c egress/hello.h \
	egress/http_head.c egress/http_head.h \
	egress/http_write.c egress/http_write.h \
	egress/queue.c egress/queue.h \
	egress/socks.c egress/socks.h \
	egress/standins.c egress/standins.h
libegress_la_LIBADD = libcommon.la $(HTTP_PARSER_LIBS)

wardlibexec_PROGRAMS += egress/egress
egress_egress_SOURCES = \
	egress/client.c egress/client.h \
	egress/dial.c egress/dial.h \
	egress/dns_front.c egress/dns_front.h \
	egress/egress.h \
	egress/flow.c egress/flow.h \
	egress/fronts.c egress/fronts.h \
	egress/http.c egress/http.h \
	egress/http_exchange.c egress/http_exchange.h \
	egress/listen.c egress/listen.h \
	egress/lookup.c egress/lookup.h \
	egress/main.c \
	egress/names.c egress/names.h \
	egress/relay.c egress/relay.h \
	egress/resolver.c egress/resolver.h \
	egress/route.c egress/route.h \
	egress/rules.c egress/rules.h \
	egress/seal.c egress/seal.h \
	egress/socks_front.c egress/socks_front.h \
	egress/steered.c egress/steered.h \
	egress/upstream.c egress/upstream.h $(reports)
egress_egress_CFLAGS = $(program_cflags) $(EVENT_CFLAGS) $(MNL_CFLAGS) \
	$(SECCOMP_CFLAGS) -pthread
egress_egress_LDFLAGS = $(program_ldflags) -pthread
egress_egress_LDADD = libegress.la libprofiles.la libcommon.la $(EVENT_LIBS) \
	$(MNL_LIBS) $(SECCOMP_LIBS)
