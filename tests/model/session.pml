/* SPDX-License-Identifier: ISC */
/*
 * Sessions of one account with scope "account": start, join, end and linger,
 * as pam/join.c and sandbox/{warden,control,rundir}.c do them; and a policy
 * that changes once meanwhile.  What is one step here is one system call there
 * or happens within one process between two of them.
 *
 * Each login asks the sandbox that "current" names; where there is none to be
 * had it takes the account's lock, asks again, starts a warden, and makes it
 * current when it has answered.  It waits for a limited time only: at any
 * moment that it waits it can give up, which ends its socket and, where it has
 * it, the lock.  A warden can be slow: each of its steps comes at any time.
 *
 * It must hold (checked by spin):
 *	no session is handed a sandbox that is ending or has ended;
 *	never two live sandboxes of one revision that were made current,
 *	    but for one that takes no session any more;
 *	a login that nobody kept waiting gets in.
 *
 * Mutants, each of which spin must refute (tests/model/check.sh):
 *	-DNO_LOCK     logins start wardens without the lock
 *	-DSELF_NAMED  a warden makes itself current before it answers
 *	-DLATE_CHECK  a warden that ends goes on answering meanwhile
 *	-DDEAF        a sandbox that was told to end takes sessions
 */

#define LOGINS 3
#define BOXES  LOGINS /* each login starts one at most */
#define NOBODY 255

/* A sandbox's life. */
#define NONE    0
#define STARTED 1
#define LIVE    2 /* answers */
#define ENDING  3 /* its socket is closed */
#define DEAD    4

/* What a login is told. */
mtype = { waits, opened, again };

byte lock = NOBODY;
byte current = NOBODY;
byte revision = 0; /* that the policy has now */
byte boxes = 0;

byte state[BOXES];
byte made_of[BOXES];  /* its revision */
bool named[BOXES];    /* was made current */
byte sessions[BOXES]; /* open ones */
bool told[BOXES];     /* wardctl end */

/* A login's request, at the sandbox that it is at. */
byte asks[LOGINS];
mtype answer[LOGINS];
bool gave_up[LOGINS];

#define WANTS(l, b) (asks[l] == b && answer[l] == waits)
#define ASKED(b)    (WANTS(0, b) || WANTS(1, b) || WANTS(2, b))

inline close_on(who)
{
	/* the end of its socket; the warden sees it as one event */
	asks[who] = NOBODY;
}

/* Hands sandbox b out to a login. */
inline hand_out(b, who)
{
	assert(state[b] == LIVE && !told[b]);
	sessions[b]++;
	answer[who] = opened;
}

inline turn_away(b)
{
	/* whoever has connected and was not answered sees the end */
	for (i : 0 .. LOGINS - 1) {
		if
		:: WANTS(i, b) ->
			answer[i] = again;
			asks[i] = NOBODY
		:: else
		fi
	}
}

proctype warden(byte b; byte first)
{
	byte i;

	/* the view is being built, however long that takes */
#ifdef SELF_NAMED
	current = b;
	named[b] = true;
#endif
	atomic {
		if
		:: asks[first] == b ->
			state[b] = LIVE;
			hand_out(b, first)
		:: else -> /* nobody waits for it any more */
			state[b] = DEAD;
			goto gone
		fi
	}
	do
	:: atomic { /* a login asks */
		ASKED(b);
		i = 0;
		do
		:: !WANTS(i, b) -> i++
		:: else -> break
		od;
		if
#ifdef DEAF
		:: made_of[b] == revision -> hand_out(b, i)
#else
		:: made_of[b] == revision && !told[b] -> hand_out(b, i)
#endif
		:: else ->
			answer[i] = again;
			asks[i] = NOBODY
		fi
	   }
	:: atomic { /* the last session is over, linger too; or it was told */
		(sessions[b] == 0 || told[b]) ->
#ifdef LATE_CHECK
		state[b] = ENDING;
		break
#else
		state[b] = ENDING;
		turn_away(b);
		break
#endif
	   }
	od;
#ifdef LATE_CHECK
	atomic {
		for (i : 0 .. LOGINS - 1) {
			if
			:: WANTS(i, b) ->
				hand_out(b, i)
			:: else
			fi
		}
	}
#endif
	/* nothing inside lives */
	atomic {
		state[b] = DEAD;
		sessions[b] = 0
	}
	/* the name goes last, under the lock, or stays for the next login */
	if
	:: atomic { lock == NOBODY -> lock = LOGINS };
		if
		:: current == b -> current = NOBODY
		:: else
		fi;
		lock = NOBODY
	:: true
	fi;
gone:
	skip
}

/* Connects to what "current" names, and waits. */
inline ask_live()
{
	b = current;
	result = again;
	atomic {
		if
		:: b != NOBODY && state[b] == LIVE ->
			answer[me] = waits;
			asks[me] = b
		:: else -> b = NOBODY /* refused, or no such name */
		fi
	}
	if
	:: b != NOBODY ->
		atomic {
			if
			:: answer[me] != waits -> result = answer[me]
			:: answer[me] == waits -> /* too long */
				gave_up[me] = true;
				close_on(me)
			fi
		}
	:: else
	fi
}

proctype login(byte me)
{
	byte b = NOBODY;
	mtype result = again;
	bool killed = false;

	ask_live();
	if
	:: gave_up[me] -> goto out
	:: result == opened -> goto in
	:: else
	fi;
#ifndef NO_LOCK
	if
	:: atomic { lock == NOBODY -> lock = me }
	:: lock != NOBODY -> /* for too long */
		gave_up[me] = true;
		goto out
	fi;
#endif
	ask_live();
	if
	:: gave_up[me] || result == opened -> goto unlock
	:: else
	fi;
	atomic {
		b = boxes;
		boxes++;
		state[b] = STARTED;
		made_of[b] = revision;
		answer[me] = waits;
		asks[me] = b;
		run warden(b, me)
	}
	atomic {
		if
		:: answer[me] != waits -> result = answer[me]
		:: answer[me] == waits ->
			gave_up[me] = true;
			close_on(me)
		fi
	}
#ifndef SELF_NAMED
	if
	:: !gave_up[me] && result == opened ->
		atomic {
			current = b;
			named[b] = true
		}
	:: true -> /* killed before it could */
		killed = true
	fi;
#endif
unlock:
#ifndef NO_LOCK
	lock = NOBODY;
#endif
	if
	:: !gave_up[me] && result == opened -> goto in
	:: else -> goto out
	fi;
in:
	/* the session, for however long; its socket ends with it */
	atomic {
		b = asks[me];
		close_on(me);
		if
		:: sessions[b] > 0 -> sessions[b]--
		:: else
		fi
	}
	goto end;
out:
	/* refused: only who was kept waiting */
	assert(gave_up[me] || killed);
end:
	skip
}

/* An admin: changes the policy once, and ends a sandbox. */
proctype admin()
{
	byte b;

	if
	:: revision = 1
	:: true
	fi;
	if
	:: atomic { boxes > 0 && state[0] == LIVE -> told[0] = true }
	:: true
	fi
}

/* Two that take sessions, both once current, of one revision. */
#define BOTH(a, b) \
	(state[a] == LIVE && state[b] == LIVE && named[a] && named[b] && \
	    made_of[a] == made_of[b] && !told[a] && !told[b])

proctype watch()
{
end:	atomic {
		BOTH(0, 1) || BOTH(0, 2) || BOTH(1, 2) -> assert(false)
	}
}

init {
	byte n;

	atomic {
		for (n : 0 .. LOGINS - 1) {
			asks[n] = NOBODY;
		}
		for (n : 0 .. LOGINS - 1) {
			run login(n);
		}
		run admin();
		run watch()
	}
}
