/* SPDX-License-Identifier: ISC */
/*
 * Where Ward's files are.  The build passes the installation's directories;
 * what is not below a prefix is fixed here.  Everyone may use it.
 */
#ifndef WARD_COMMON_PLACES_H
#define WARD_COMMON_PLACES_H

#define WARD_SHELL          WARD_BINDIR "/wardsh"
#define WARD_CTL            WARD_SBINDIR "/wardctl"
#define WARD_WARDEN         WARD_LIBEXECDIR "/warden"
#define WARD_INIT_NAME      "ward-init"
#define WARD_INIT           WARD_LIBEXECDIR "/" WARD_INIT_NAME
#define WARD_CONNECTOR_NAME "ward-connector"
#define WARD_CONNECTOR      WARD_LIBEXECDIR "/connector"
#define WARD_EGRESS         WARD_LIBEXECDIR "/egress"
#define WARD_MASKS          WARD_LIBEXECDIR "/masks"
#define WARD_REDIRECT       WARD_LIBEXECDIR "/redirect"

#define WARD_ETC             "/etc/ward"
#define WARD_ETC_PROFILES    WARD_ETC "/profiles.d"
#define WARD_ASSIGNMENTS     WARD_ETC "/assignments.conf"
#define WARD_CONF            WARD_ETC "/ward.conf"
#define WARD_AUTHORIZED_KEYS WARD_ETC "/authorized_keys"
#define WARD_ADOPTED         WARD_ETC "/adopted"
#define WARD_STATE           "/var/lib/ward"
#define WARD_POLICY_DB       WARD_STATE "/policy.db"
#define WARD_VIOLATIONS_DB   WARD_STATE "/violations.db"
#define WARD_RUN             "/run/ward"
#define WARD_CURRENT         "current" /* /run/ward/UID/current, a link */

/* Inside the view: where wardsh asks the warden. */
#define WARD_AGENT_SOCKET "/run/ward/agent"

#define WARD_USER  "ward-egress" /* owns nothing; init runs as it */
#define WARD_GROUP "ward-agents" /* used by sshd's Match Group only */

#endif
