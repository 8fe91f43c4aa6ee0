
# What the seal is compiled to.  After a wanted change: make golden, read the
# diff, and say in the commit what changed.
EXTRA_DIST += tests/unit/golden
golden: tests/unit/test_seal
	srcdir=$(srcdir) WARD_GOLDEN_UPDATE=1 tests/unit/test_seal
.PHONY: golden fuzzers
if CMOCKA
check_PROGRAMS += tests/unit/test_seal
tests_unit_test_seal_SOURCES = \
	tests/unit/bpf_sim.c tests/unit/bpf_sim.h \
	tests/unit/seal_cases.c tests/unit/seal_cases.h \
	tests/unit/seal_model.c tests/unit/seal_model.h \
	tests/unit/test_seal.c
tests_unit_test_seal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SECCOMP_CFLAGS)
tests_unit_test_seal_LDADD = libprofiles.la $(SECCOMP_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_seal_numbers
tests_unit_test_seal_numbers_SOURCES = \
	tests/unit/bpf_sim.c tests/unit/bpf_sim.h \
	tests/unit/test_seal_numbers.c
tests_unit_test_seal_numbers_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) \
	$(SECCOMP_CFLAGS)
tests_unit_test_seal_numbers_LDADD = libprofiles.la $(SECCOMP_LIBS) \
	$(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_seal_live
tests_unit_test_seal_live_SOURCES = tests/unit/test_seal_live.c
tests_unit_test_seal_live_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) \
	$(SECCOMP_CFLAGS)
tests_unit_test_seal_live_LDADD = libprofiles.la $(SECCOMP_LIBS) \
	$(CMOCKA_LIBS) -lpthread
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_retention
tests_unit_test_retention_SOURCES = tests/unit/test_retention.c
tests_unit_test_retention_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_retention_LDADD = libprofiles.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_journal
tests_unit_test_journal_SOURCES = tests/unit/test_journal.c
tests_unit_test_journal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_journal_LDADD = libsandbox.la $(CMOCKA_LIBS)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_match tests/unit/test_plan
tests_unit_test_match_SOURCES = tests/unit/test_match.c
tests_unit_test_match_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_match_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_plan_SOURCES = \
	tests/unit/fake_fs.c tests/unit/fake_fs.h \
	tests/unit/plan_cases.c tests/unit/plan_cases.h \
	tests/unit/plan_place_cases.c \
	tests/unit/plan_setting.c tests/unit/plan_setting.h \
	tests/unit/test_plan.c
tests_unit_test_plan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_plan_LDADD = libprofiles.la $(CMOCKA_LIBS)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_sha256
tests_unit_test_sha256_SOURCES = tests/unit/test_sha256.c
tests_unit_test_sha256_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sha256_LDADD = libcommon.la $(CMOCKA_LIBS)

store_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SQLITE_CFLAGS)
store_libs = libdb.la $(SQLITE_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_open
tests_unit_test_open_SOURCES = tests/unit/test_open.c tests/unit/scratch.h \
	tests/unit/things_store.c tests/unit/things_store.h
tests_unit_test_open_CFLAGS = $(store_cflags)
tests_unit_test_open_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_sqlite
tests_unit_test_sqlite_SOURCES = tests/unit/test_sqlite.c tests/unit/scratch.h \
	tests/unit/things_store.c tests/unit/things_store.h
tests_unit_test_sqlite_CFLAGS = $(store_cflags)
tests_unit_test_sqlite_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_migrate
tests_unit_test_migrate_SOURCES = tests/unit/test_migrate.c tests/unit/scratch.h \
	tests/unit/things_store.c tests/unit/things_store.h
tests_unit_test_migrate_CFLAGS = $(store_cflags)
tests_unit_test_migrate_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_policy
tests_unit_test_policy_SOURCES = tests/unit/test_policy.c tests/unit/scratch.h \
	tests/unit/policy_sample.c tests/unit/policy_sample.h
tests_unit_test_policy_CFLAGS = $(store_cflags)
tests_unit_test_policy_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_policy_changes
tests_unit_test_policy_changes_SOURCES = tests/unit/test_policy_changes.c tests/unit/scratch.h \
	tests/unit/policy_sample.c tests/unit/policy_sample.h
tests_unit_test_policy_changes_CFLAGS = $(store_cflags)
tests_unit_test_policy_changes_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_policy_network
tests_unit_test_policy_network_SOURCES = tests/unit/test_policy_network.c tests/unit/scratch.h \
	tests/unit/policy_sample.c tests/unit/policy_sample.h
tests_unit_test_policy_network_CFLAGS = $(store_cflags)
tests_unit_test_policy_network_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_grants
tests_unit_test_grants_SOURCES = tests/unit/test_grants.c tests/unit/scratch.h \
	tests/unit/policy_sample.c tests/unit/policy_sample.h
tests_unit_test_grants_CFLAGS = $(store_cflags)
tests_unit_test_grants_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_policy_assigned
tests_unit_test_policy_assigned_SOURCES = tests/unit/test_policy_assigned.c tests/unit/scratch.h \
	tests/unit/policy_sample.c tests/unit/policy_sample.h
tests_unit_test_policy_assigned_CFLAGS = $(store_cflags)
tests_unit_test_policy_assigned_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_policy_faults
tests_unit_test_policy_faults_SOURCES = tests/unit/test_policy_faults.c tests/unit/scratch.h \
	tests/unit/policy_sample.c tests/unit/policy_sample.h
tests_unit_test_policy_faults_CFLAGS = $(store_cflags)
tests_unit_test_policy_faults_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_violations
tests_unit_test_violations_SOURCES = tests/unit/test_violations.c tests/unit/scratch.h \
	tests/unit/violations_sample.c tests/unit/violations_sample.h
tests_unit_test_violations_CFLAGS = $(store_cflags)
tests_unit_test_violations_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_violations_chain
tests_unit_test_violations_chain_SOURCES = tests/unit/test_violations_chain.c tests/unit/scratch.h \
	tests/unit/violations_sample.c tests/unit/violations_sample.h
tests_unit_test_violations_chain_CFLAGS = $(store_cflags)
tests_unit_test_violations_chain_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_violations_prune
tests_unit_test_violations_prune_SOURCES = tests/unit/test_violations_prune.c tests/unit/scratch.h \
	tests/unit/violations_sample.c tests/unit/violations_sample.h
tests_unit_test_violations_prune_CFLAGS = $(store_cflags)
tests_unit_test_violations_prune_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_violations_sum
tests_unit_test_violations_sum_SOURCES = tests/unit/test_violations_sum.c tests/unit/scratch.h \
	tests/unit/violations_sample.c tests/unit/violations_sample.h
tests_unit_test_violations_sum_CFLAGS = $(store_cflags)
tests_unit_test_violations_sum_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_requests
tests_unit_test_requests_SOURCES = tests/unit/test_requests.c tests/unit/scratch.h \
	tests/unit/violations_sample.c tests/unit/violations_sample.h
tests_unit_test_requests_CFLAGS = $(store_cflags)
tests_unit_test_requests_LDADD = $(store_libs)
check_PROGRAMS += tests/unit/test_violations_faults
tests_unit_test_violations_faults_SOURCES = tests/unit/test_violations_faults.c tests/unit/scratch.h \
	tests/unit/violations_sample.c tests/unit/violations_sample.h
tests_unit_test_violations_faults_CFLAGS = $(store_cflags)
tests_unit_test_violations_faults_LDADD = $(store_libs)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_profile tests/unit/test_extends \
	tests/unit/test_assignments tests/unit/test_load
tests_unit_test_profile_SOURCES = \
	tests/unit/profile_cases.c tests/unit/profile_cases.h \
	tests/unit/profile_set.h tests/unit/test_profile.c
tests_unit_test_profile_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_profile_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_extends_SOURCES = \
	tests/unit/profile_set.h tests/unit/test_extends.c
tests_unit_test_extends_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_extends_LDADD = libprofiles.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_network
tests_unit_test_network_SOURCES = \
	tests/unit/profile_set.h tests/unit/test_network.c
tests_unit_test_network_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_network_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_assignments_SOURCES = tests/unit/test_assignments.c
tests_unit_test_assignments_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_assignments_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_load_SOURCES = tests/unit/scratch.h tests/unit/test_load.c
tests_unit_test_load_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_load_LDADD = libprofiles.la $(CMOCKA_LIBS)
endif

# Fuzz targets.  In make check each runs once on every file of its corpus, by
# tests/fuzz/replay.c; with --enable-fuzzers libFuzzer has the main, and
# scripts/fuzz runs it.  A target adds itself to fuzz_targets, takes
# $(fuzz_main) among its sources and $(fuzz_ldflags) for its LDFLAGS.
fuzz_targets =
if FUZZERS
fuzz_main =
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
noinst_PROGRAMS = $(fuzz_targets)
# these alone
fuzzers: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) $(fuzz_targets)
else
fuzz_main = tests/fuzz/replay.c
fuzz_ldflags = $(AM_LDFLAGS)
check_PROGRAMS += $(fuzz_targets)
endif

fuzz_targets += tests/fuzz/fuzz_plan
EXTRA_DIST += tests/fuzz/corpus/plan
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c $(fuzz_main) \
	tests/unit/fake_fs.c tests/unit/fake_fs.h
tests_fuzz_fuzz_plan_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_plan_LDADD = libprofiles.la

fuzz_targets += tests/fuzz/fuzz_protect
EXTRA_DIST += tests/fuzz/corpus/protect
tests_fuzz_fuzz_protect_SOURCES = tests/fuzz/fuzz_protect.c $(fuzz_main)
tests_fuzz_fuzz_protect_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_protect_LDADD = libprofiles.la

fuzz_targets += tests/fuzz/fuzz_profile
EXTRA_DIST += tests/fuzz/corpus/profile
tests_fuzz_fuzz_profile_SOURCES = tests/fuzz/fuzz_profile.c $(fuzz_main)
tests_fuzz_fuzz_profile_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_profile_LDADD = libprofiles.la

if CMOCKA
check_PROGRAMS += tests/unit/test_plan_memory
tests_unit_test_plan_memory_SOURCES = \
	tests/unit/fake_fs.c tests/unit/fake_fs.h \
	tests/unit/plan_cases.c tests/unit/plan_cases.h \
	tests/unit/plan_setting.c tests/unit/plan_setting.h \
	tests/unit/test_plan_memory.c
tests_unit_test_plan_memory_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_plan_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc \
	-Wl,--wrap=reallocarray -Wl,--wrap=strdup -Wl,--wrap=strndup \
	-Wl,--wrap=open_memstream -Wl,--wrap=ward_path_join
tests_unit_test_plan_memory_LDADD = libprofiles.la $(CMOCKA_LIBS)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_man
tests_unit_test_man_SOURCES = tests/unit/test_man.c
tests_unit_test_man_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_man_LDADD = libprofiles.la libcommon.la $(CMOCKA_LIBS)
endif

# common/, shell/ and the pure parts of pam/ and sandbox/.
if CMOCKA
small_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
small_libs = libcommon.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_err tests/unit/test_path \
	tests/unit/test_number tests/unit/test_text tests/unit/test_fd \
	tests/unit/test_wire tests/unit/test_refusal \
	tests/unit/test_environment tests/unit/test_service \
	tests/unit/test_poison
tests_unit_test_err_SOURCES = tests/unit/test_err.c
tests_unit_test_err_CFLAGS = $(small_cflags)
tests_unit_test_err_LDADD = $(small_libs)
tests_unit_test_path_SOURCES = tests/unit/test_path.c
tests_unit_test_path_CFLAGS = $(small_cflags)
tests_unit_test_path_LDADD = $(small_libs)
tests_unit_test_number_SOURCES = tests/unit/test_number.c
tests_unit_test_number_CFLAGS = $(small_cflags)
tests_unit_test_number_LDADD = $(small_libs)
tests_unit_test_text_SOURCES = tests/unit/test_text.c
tests_unit_test_text_CFLAGS = $(small_cflags)
tests_unit_test_text_LDADD = $(small_libs)
tests_unit_test_fd_SOURCES = tests/unit/test_fd.c
tests_unit_test_fd_CFLAGS = $(small_cflags)
tests_unit_test_fd_LDADD = $(small_libs)
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c \
	tests/unit/wire_all.c tests/unit/wire_all.h
tests_unit_test_wire_CFLAGS = $(small_cflags)
tests_unit_test_wire_LDADD = $(small_libs)
check_PROGRAMS += tests/unit/test_stream
tests_unit_test_stream_SOURCES = tests/unit/test_stream.c \
	shell/stream.c shell/stream.h
tests_unit_test_stream_CFLAGS = $(small_cflags)
tests_unit_test_stream_LDADD = $(small_libs)
check_PROGRAMS += tests/unit/test_told
tests_unit_test_told_SOURCES = tests/unit/test_told.c
tests_unit_test_told_CFLAGS = $(small_cflags)
tests_unit_test_told_LDADD = $(small_libs)
tests_unit_test_refusal_SOURCES = tests/unit/test_refusal.c
tests_unit_test_refusal_CFLAGS = $(small_cflags)
tests_unit_test_refusal_LDADD = $(small_libs)
tests_unit_test_environment_SOURCES = tests/unit/test_environment.c \
	shell/environment.c shell/environment.h
tests_unit_test_environment_CFLAGS = $(small_cflags)
tests_unit_test_environment_LDADD = $(small_libs)
tests_unit_test_service_SOURCES = tests/unit/test_service.c \
	pam/service.c pam/service.h
tests_unit_test_service_CFLAGS = $(small_cflags)
tests_unit_test_service_LDADD = $(small_libs)
tests_unit_test_poison_SOURCES = tests/unit/test_poison.c \
	pam/poison.c pam/poison.h
tests_unit_test_poison_CFLAGS = $(small_cflags)
tests_unit_test_poison_LDADD = $(small_libs)
endif

# Runs the wardctl of the build, wherever that is.
TESTS += tests/unit/test_man_wardctl.sh
EXTRA_DIST += tests/unit/test_man_wardctl.sh

# The lists of ways out and of faults, and the tests that they name.
TESTS += tests/unit/test_escapes.sh
EXTRA_DIST += tests/unit/test_escapes.sh tests/escapes.md tests/faults.md

# ctl/
fuzz_targets += tests/fuzz/fuzz_assign tests/fuzz/fuzz_conf tests/fuzz/fuzz_stack
EXTRA_DIST += tests/fuzz/corpus/assign tests/fuzz/corpus/conf \
	tests/fuzz/corpus/stack
tests_fuzz_fuzz_conf_SOURCES = tests/fuzz/fuzz_conf.c $(fuzz_main)
tests_fuzz_fuzz_conf_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_conf_LDADD = libctl.la
fuzz_targets += tests/fuzz/fuzz_adopt
EXTRA_DIST += tests/fuzz/corpus/adopt
tests_fuzz_fuzz_adopt_SOURCES = tests/fuzz/fuzz_adopt.c $(fuzz_main)
tests_fuzz_fuzz_adopt_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_adopt_LDADD = libctl.la
tests_fuzz_fuzz_assign_SOURCES = tests/fuzz/fuzz_assign.c $(fuzz_main)
tests_fuzz_fuzz_assign_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_assign_LDADD = libctl.la
tests_fuzz_fuzz_stack_SOURCES = tests/fuzz/fuzz_stack.c $(fuzz_main)
tests_fuzz_fuzz_stack_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_stack_LDADD = libctl.la
if CMOCKA
ctl_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
ctl_libs = libctl.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_ctl_assign tests/unit/test_ctl_edit \
	tests/unit/test_ctl_conf tests/unit/test_ctl_stack tests/unit/test_ctl_text
check_PROGRAMS += tests/unit/test_ctl_adopt
tests_unit_test_ctl_adopt_SOURCES = tests/unit/test_ctl_adopt.c
tests_unit_test_ctl_adopt_CFLAGS = $(ctl_cflags)
tests_unit_test_ctl_adopt_LDADD = $(ctl_libs)
tests_unit_test_ctl_assign_SOURCES = tests/unit/test_ctl_assign.c
tests_unit_test_ctl_assign_CFLAGS = $(ctl_cflags)
tests_unit_test_ctl_assign_LDADD = $(ctl_libs)
tests_unit_test_ctl_conf_SOURCES = tests/unit/test_ctl_conf.c
tests_unit_test_ctl_conf_CFLAGS = $(ctl_cflags)
tests_unit_test_ctl_conf_LDADD = $(ctl_libs)
tests_unit_test_ctl_edit_SOURCES = tests/unit/test_ctl_edit.c \
	tests/unit/scratch.h
tests_unit_test_ctl_edit_CFLAGS = $(ctl_cflags)
tests_unit_test_ctl_edit_LDADD = $(ctl_libs)
tests_unit_test_ctl_stack_SOURCES = tests/unit/test_ctl_stack.c \
	tests/unit/stack_files.c tests/unit/stack_files.h
tests_unit_test_ctl_stack_CFLAGS = $(ctl_cflags)
tests_unit_test_ctl_stack_LDADD = $(ctl_libs)
tests_unit_test_ctl_text_SOURCES = tests/unit/test_ctl_text.c
tests_unit_test_ctl_text_CFLAGS = $(ctl_cflags)
tests_unit_test_ctl_text_LDADD = $(ctl_libs)
endif

if CMOCKA
sandbox_libs = libsandbox.la libprofiles.la libcommon.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_budget
tests_unit_test_budget_SOURCES = tests/unit/test_budget.c
tests_unit_test_budget_CFLAGS = $(small_cflags)
tests_unit_test_budget_LDADD = $(sandbox_libs)
check_PROGRAMS += tests/unit/test_program
tests_unit_test_program_SOURCES = tests/unit/test_program.c \
	sandbox/job.c sandbox/job.h sandbox/loop.c sandbox/loop.h
tests_unit_test_program_CFLAGS = $(small_cflags)
tests_unit_test_program_LDADD = $(sandbox_libs)
check_PROGRAMS += tests/unit/test_stray
tests_unit_test_stray_SOURCES = tests/unit/test_stray.c
tests_unit_test_stray_CFLAGS = $(small_cflags) $(MNL_CFLAGS)
tests_unit_test_stray_LDADD = $(sandbox_libs) $(MNL_LIBS)
check_PROGRAMS += tests/unit/test_fate tests/unit/test_lookout
tests_unit_test_fate_SOURCES = tests/unit/test_fate.c
tests_unit_test_fate_CFLAGS = $(small_cflags)
tests_unit_test_fate_LDADD = $(sandbox_libs)
tests_unit_test_lookout_SOURCES = tests/unit/test_lookout.c \
	tests/unit/scratch.h
tests_unit_test_lookout_CFLAGS = $(small_cflags)
tests_unit_test_lookout_LDADD = $(sandbox_libs)
check_PROGRAMS += tests/unit/test_mounts tests/unit/test_layout \
	tests/unit/test_search tests/unit/test_walk
check_PROGRAMS += tests/unit/test_masks
tests_unit_test_masks_SOURCES = tests/unit/test_masks.c
tests_unit_test_masks_CFLAGS = $(small_cflags)
tests_unit_test_masks_LDADD = $(sandbox_libs)
tests_unit_test_mounts_SOURCES = tests/unit/test_mounts.c
tests_unit_test_mounts_CFLAGS = $(small_cflags)
tests_unit_test_mounts_LDADD = $(sandbox_libs)
tests_unit_test_layout_SOURCES = \
	tests/unit/fake_fs.c tests/unit/fake_fs.h \
	tests/unit/plan_cases.c tests/unit/plan_cases.h \
	tests/unit/plan_place_cases.c \
	tests/unit/plan_setting.c tests/unit/plan_setting.h \
	tests/unit/test_layout.c
tests_unit_test_layout_CFLAGS = $(small_cflags)
tests_unit_test_layout_LDADD = $(sandbox_libs)
tests_unit_test_search_SOURCES = tests/unit/test_search.c
tests_unit_test_search_CFLAGS = $(small_cflags)
tests_unit_test_search_LDADD = $(sandbox_libs)
tests_unit_test_walk_SOURCES = tests/unit/test_walk.c
tests_unit_test_walk_CFLAGS = $(small_cflags)
tests_unit_test_walk_LDADD = $(sandbox_libs)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_decision
tests_unit_test_decision_SOURCES = tests/unit/test_decision.c
tests_unit_test_decision_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_decision_LDADD = libprofiles.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_decision_text tests/unit/test_network_pack
tests_unit_test_decision_text_SOURCES = tests/unit/test_decision_text.c
tests_unit_test_decision_text_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_decision_text_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_network_pack_SOURCES = tests/unit/test_network_pack.c
tests_unit_test_network_pack_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_network_pack_LDADD = libprofiles.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_egress_http tests/unit/test_egress_seal
tests_unit_test_egress_http_SOURCES = tests/unit/test_egress_http.c
tests_unit_test_egress_http_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_egress_http_LDADD = libegress.la $(CMOCKA_LIBS)
tests_unit_test_egress_seal_SOURCES = tests/unit/test_egress_seal.c \
	egress/seal.c egress/seal.h
tests_unit_test_egress_seal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) \
	$(SECCOMP_CFLAGS) -pthread
tests_unit_test_egress_seal_LDFLAGS = $(AM_LDFLAGS) -pthread
tests_unit_test_egress_seal_LDADD = $(SECCOMP_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_egress_parse
tests_unit_test_egress_parse_SOURCES = tests/unit/test_egress_parse.c
tests_unit_test_egress_parse_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_egress_parse_LDADD = libegress.la $(CMOCKA_LIBS)
endif
EXTRA_DIST += tests/tables/decision.table

fuzz_targets += tests/fuzz/fuzz_lookup tests/fuzz/fuzz_upstream
EXTRA_DIST += tests/fuzz/corpus/lookup tests/fuzz/corpus/upstream
tests_fuzz_fuzz_lookup_SOURCES = tests/fuzz/fuzz_lookup.c $(fuzz_main) \
	egress/lookup.c egress/lookup.h egress/resolver.h
tests_fuzz_fuzz_lookup_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS)
tests_fuzz_fuzz_lookup_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_lookup_LDADD = $(EVENT_LIBS)
tests_fuzz_fuzz_upstream_SOURCES = tests/fuzz/fuzz_upstream.c $(fuzz_main) \
	egress/upstream.c egress/upstream.h
tests_fuzz_fuzz_upstream_CFLAGS = $(AM_CFLAGS) $(EVENT_CFLAGS)
tests_fuzz_fuzz_upstream_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_upstream_LDADD = $(EVENT_LIBS)
fuzz_targets += tests/fuzz/fuzz_dns tests/fuzz/fuzz_hello \
	tests/fuzz/fuzz_host tests/fuzz/fuzz_http \
	tests/fuzz/fuzz_network_pack tests/fuzz/fuzz_socks
EXTRA_DIST += tests/fuzz/corpus/dns tests/fuzz/corpus/hello \
	tests/fuzz/corpus/host tests/fuzz/corpus/http \
	tests/fuzz/corpus/network_pack \
	tests/fuzz/corpus/socks
tests_fuzz_fuzz_http_SOURCES = tests/fuzz/fuzz_http.c $(fuzz_main)
tests_fuzz_fuzz_http_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_http_LDADD = libegress.la
tests_fuzz_fuzz_network_pack_SOURCES = tests/fuzz/fuzz_network_pack.c \
	$(fuzz_main)
tests_fuzz_fuzz_network_pack_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_network_pack_LDADD = libprofiles.la
tests_fuzz_fuzz_dns_SOURCES = tests/fuzz/fuzz_dns.c $(fuzz_main)
tests_fuzz_fuzz_dns_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_dns_LDADD = libegress.la
tests_fuzz_fuzz_hello_SOURCES = tests/fuzz/fuzz_hello.c $(fuzz_main)
tests_fuzz_fuzz_hello_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_hello_LDADD = libegress.la
tests_fuzz_fuzz_socks_SOURCES = tests/fuzz/fuzz_socks.c $(fuzz_main)
tests_fuzz_fuzz_socks_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_socks_LDADD = libegress.la
tests_fuzz_fuzz_host_SOURCES = tests/fuzz/fuzz_host.c $(fuzz_main)
tests_fuzz_fuzz_host_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_host_LDADD = libprofiles.la

fuzz_targets += tests/fuzz/fuzz_masks tests/fuzz/fuzz_masks_tree
EXTRA_DIST += tests/fuzz/corpus/masks tests/fuzz/corpus/masks_tree
tests_fuzz_fuzz_masks_SOURCES = tests/fuzz/fuzz_masks.c $(fuzz_main)
tests_fuzz_fuzz_masks_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_masks_LDADD = libsandbox.la libprofiles.la libcommon.la
tests_fuzz_fuzz_masks_tree_SOURCES = tests/fuzz/fuzz_masks_tree.c $(fuzz_main)
tests_fuzz_fuzz_masks_tree_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_masks_tree_LDADD = libsandbox.la libprofiles.la libcommon.la

fuzz_targets += tests/fuzz/fuzz_stray
EXTRA_DIST += tests/fuzz/corpus/stray
tests_fuzz_fuzz_stray_SOURCES = tests/fuzz/fuzz_stray.c $(fuzz_main)
tests_fuzz_fuzz_stray_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_stray_LDADD = libsandbox.la libprofiles.la libcommon.la

fuzz_targets += tests/fuzz/fuzz_wire tests/fuzz/fuzz_text \
	tests/fuzz/fuzz_environment tests/fuzz/fuzz_mounts
EXTRA_DIST += tests/fuzz/corpus/wire tests/fuzz/corpus/text \
	tests/fuzz/corpus/environment tests/fuzz/corpus/mounts
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c $(fuzz_main) \
	tests/unit/wire_all.c tests/unit/wire_all.h
tests_fuzz_fuzz_wire_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_wire_LDADD = libcommon.la
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(fuzz_main)
tests_fuzz_fuzz_text_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_text_LDADD = libcommon.la
tests_fuzz_fuzz_environment_SOURCES = tests/fuzz/fuzz_environment.c \
	$(fuzz_main) shell/environment.c shell/environment.h
tests_fuzz_fuzz_environment_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzz_environment_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_environment_LDADD = libcommon.la
tests_fuzz_fuzz_mounts_SOURCES = tests/fuzz/fuzz_mounts.c $(fuzz_main) \
	tests/unit/fake_fs.c tests/unit/fake_fs.h
tests_fuzz_fuzz_mounts_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_mounts_LDADD = libsandbox.la libprofiles.la libcommon.la

# The sanitizers' own libraries are in what they build, and none of that is in the
# model.
EXTRA_DIST += tests/unit/test_module.sh
AM_TESTS_ENVIRONMENT = CC='$(CC)'; export CC;
unsanitized_tests = tests/unit/test_module.sh tests/model/check.sh
if !SANITIZERS
TESTS += $(unsanitized_tests)
endif

# distcheck takes its tree away: the logs of its tests are left where somebody
# wants them.
installcheck-local:
	test -z "$$WARD_TEST_LOGS" || find tests \
	    \( -name '*.log' -o -name '*.trs' \) \
	    -exec cp --parents {} "$$WARD_TEST_LOGS" \;

EXTRA_DIST += tests/model/check.sh tests/model/session.pml
