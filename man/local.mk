dist_man_MANS = \
	man/pam_ward.8 \
	man/ward.1 \
	man/ward.7 \
	man/ward-assignments.5 \
	man/ward-profile.5 \
	man/ward.conf.5 \
	man/wardctl.8 \
	man/warden.8 \
	man/wardsh.1
EXTRA_DIST += README.md NEWS docs/decisions.md
