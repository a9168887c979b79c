/*
 * The lanes of one queue: senders, two claim loops, two messages, and a Redis that goes back in time.
 *
 * What is modelled: the scripts send, claim, resume, open-lane, close-lane, renew-lane and check-sender with what they include (once,
 * settle, dead_lanes, await_lanes, renew), each as one step; and what a loop and a sender do with the replies. A lane has as many
 * successors as there are faults. A loop remembers one settlement for when Redis goes back, so that it may have forgotten another.
 *
 * With KEYED both messages have one ordering key (place, ended, take_rows and take_turn): a claim takes the second one in a row behind
 * the first. With CALLERS two threads send and wait, each on a lane of its own, to one loop.
 *
 * Faults, FAULTS of them in any order: a reply is lost, and its request repeated until it is answered; a request is held up
 * before it is carried out; a copy of it is carried out later as well; a lease runs out while its loop lives; a loop crashes, and
 * another takes its place that knows nothing; a loop gives back what its handlers have, closes its lane and is started again, while
 * they run on; a handler fails; Redis goes back to what it was at any time before.
 * There is no clock: what may happen at some time may happen now.
 *
 * What is left out: messages that are due later (a message is ready or is not) and the order of the lists, ids, priorities,
 * cancelling, the dead, deletion, wake-ups, the 30 seconds after which a claim waits no longer for other lanes (as if their leases were
 * over then), requests of more than one step, bounds of loops, and a sender that forgets.
 *
 * What is checked:
 *   one place    a message that has a body is ready, a suspect or held, and only one of them; without one it is held as '?' or not
 *                at all. With STRICT also that what is held as '?' is not ready, which an unanswered send may make it.
 *   one holder   what is settled under a claim, and what a lane takes over, is the delivery that Redis has under this claim;
 *                so a late settlement is refused
 *   no loss      when all is quiet, each message was handled
 *   not stuck    all becomes quiet, and nothing is held or left then
 *   not twice    what a loop has in hand, or has finished and remembers, is given to no other one while Redis has the lane of that
 *                loop and its lease is not over; but for a message whose send was not answered and is sent as it was after it was
 *                delivered, and for one that was given back while its handler ran
 *   in order     with KEYED, unless Redis went back: one message is ready, a suspect, or the first of a row, and has the turn; the
 *                second one is handled after the first
 *
 * MUTATION takes a check away from the scripts; spin must find what breaks. COPIES_OUTLIVE lifts the assumption that a request
 * which was under way when Redis went back is not carried out afterwards. check.sh runs all; the page "Protocol" of the guide
 * has the result.
 */

#ifndef FAULTS
#define FAULTS 2
#endif
#define MESSAGES 2
#define LOOPS 2
#define LANES_A_LOOP (FAULTS + 1)
#define LANES (LOOPS * LANES_A_LOOP)
#ifdef CALLERS
#define SENDERS 2 /* two callers at a time, each on a lane of its own */
#define sends_of(s) BIT(s)
#else
#define SENDERS 1
#define sends_of(s) ALL
#endif
#define LANES_A_SENDER (FAULTS + 1)
#define SENDER_LANES (SENDERS * LANES_A_SENDER)

/* Deadlines of a lane in the key lanes. */
#define UNKNOWN 0
#define ALIVE 1
#define OVER 2
#define RETURNS 3 /* -1: its consumer lives on another lane */

/* Marks behind a holder in the key held. */
#define PLAIN 0
#define SUSPECT 1  /* ! */
#define BODILESS 2 /* ? */

/* Kinds of requests. */
#define NOTHING 0
#define CLAIM 1
#define RESUME 2
#define SEND 3

/* What a lane has said to the process of Redis that answers since Redis went back: the process in the key held. */
#define SILENT 0
#define SPOKE 1  /* ?: it has not looked at the other lanes */
#define LOOKED 2

/* Replies. */
#define OK 1
#define GONE 2
#define BEHIND 3
#define STALE 4

/* What a loop knows of a delivery; those up to BACK are also what a request does with it. */
#define NO_DELIVERY 0
#define IN_HAND 1   /* its handler runs */
#define ACK 2
#define RETRY 3
#define BACK 4      /* to be given back, without a handler */
#define BEHIND_IT 5 /* of a row: it is handled after the other one */
#define BACK_RUNS 6 /* to be given back, although its handler runs */
#define RUNS_ON 7   /* given back: its handler runs on */
#define ACK_AFTER 8 /* the same, and its handler is done */
#define is_to_be_sent(state) (state == ACK || state == RETRY || state == BACK || state == BACK_RUNS || state == ACK_AFTER)

#define LATE 0 /* in place of the number of a claim */

#define ALL 3 /* bits of messages */
#define BIT(m) (1 << (m))

typedef Redis {
  bit body[MESSAGES];
  byte ready[MESSAGES];    /* how many entries of the list are it */
  byte suspects[MESSAGES];
  byte holder[MESSAGES];   /* lane + 1, 0 if none */
  byte claim[MESSAGES];
  byte mark[MESSAGES];
  byte delivery[MESSAGES]; /* not in Redis: which delivery this is, for the checks */
  bit past[MESSAGES];
#ifdef KEYED
  byte turn;               /* order: the message that has the turn of the key + 1, 0 if none */
  bit row;                 /* and whether the other one is behind it in its row */
  bit line[MESSAGES];      /* whether it has a seat in the line of the key */
#endif
  byte deadline[LANES];
  byte last[LANES];
  byte brought[LANES];     /* bits of messages */
  byte refused[LANES];
  byte word[LANES];        /* SILENT in all that Redis goes back to */
  bit sender[SENDER_LANES];
  byte sent[SENDER_LANES]
}

typedef Request {
  byte kind;
  byte lane;
  byte seq;
  byte action[MESSAGES];   /* of a claim: its settlements; of a resumption: ACK if it was acknowledged, BACK if it comes back
                              then, else IN_HAND */
  byte claim[MESSAGES];
  byte delivery[MESSAGES];
  byte again;              /* a settlement that is repeated: message + 1, of a send: 1 if sent again */
  byte again_claim;
  byte again_delivery;
  byte wanted;             /* of a send: bits of messages */
  byte former;
  bit back
}

typedef Loop {
  byte lane;
  byte next_lane;          /* that is to follow, while it resumes */
  byte answered;
  bit ran_out;             /* whether its lease did */
  bit stopping;            /* whether it gives back what its handlers have, and closes its lane */
  byte state[MESSAGES];
  byte claim[MESSAGES];
  byte delivery[MESSAGES];
  byte settled;            /* the memory of one settlement: message + 1 */
  byte settled_seq;
  byte settled_claim;
  byte settled_delivery;
  byte repeat;             /* what is to be settled again: message + 1 */
  byte repeat_claim;
  byte repeat_delivery
}

Redis redis;
Redis before;
Loop loop[LOOPS];
Request request[LOOPS];
Request wire[SENDERS]; /* of senders */
Request copy;   /* of any request, held up in the network */
bit snapshot_taken;
bit went_back;
byte faults;
byte deliveries[MESSAGES];
byte sent_as_it_was;    /* bits of messages that were delivered before an unanswered send of them was sent as it was */
byte given_back;        /* bits of messages that were given back while their handlers ran */
bit handled[MESSAGES];
byte sender_lane[SENDERS];
byte sender_answered[SENDERS];
byte sender_acknowledged; /* bits of messages */
byte sender_number[MESSAGES]; /* of the request on its lane that was answered for a message; 0 if it was on an earlier lane */
byte forgotten[SENDERS];  /* bits of messages whose requests Redis does not remember, to be sent again */

/* The reply to the request that was just carried out. */
byte status;
byte reply_last;
byte reply_refused;
byte reply_brought;
bit reply_row;         /* whether the other message is brought in the row of the one that has the turn */
byte reply_delivery[MESSAGES];

/* For use within one step. */
hidden byte i;
hidden byte settled;
hidden byte refused_late;
hidden byte taken;
hidden byte mine;
hidden byte any;
hidden byte ended;       /* bits of messages that are done */
hidden byte comes_back;  /* bits of messages that become ready, or wait for their turn, again */
hidden byte took_suspect;

#define can_fail (faults < FAULTS)

inline forget_reply() {
  status = 0; reply_last = 0; reply_refused = 0; reply_brought = 0; reply_row = 0;
  reply_delivery[0] = 0; reply_delivery[1] = 0
}

inline release(m) {
  redis.holder[m] = 0; redis.claim[m] = 0; redis.mark[m] = PLAIN; redis.delivery[m] = 0
}

inline forget_lane(which) {
  redis.deadline[which] = UNKNOWN; redis.last[which] = 0; redis.brought[which] = 0; redis.refused[which] = 0;
  redis.word[which] = SILENT
}

#ifdef KEYED
#define in_line(m) redis.line[m]
#define is_behind(m) (redis.row && redis.turn == 2 - (m))
#define is_free(m) (redis.body[m] && !redis.line[m] && !is_behind(m))
#else
#define in_line(m) 0
#endif

inline check_places() {
#ifdef KEYED
  assert(went_back || !(is_free(0) && is_free(1)));                                              /* one at a time */
  assert(went_back || (!is_free(0) || redis.turn == 1) && (!is_free(1) || redis.turn == 2));
  assert(redis.body[0] || !redis.line[0]);
  assert(redis.body[1] || !redis.line[1]);
#endif
  i = 0;
  do
  :: i < MESSAGES ->
    if
#ifdef STRICT
    :: redis.body[i] -> assert(redis.ready[i] + redis.suspects[i] + in_line(i) + (redis.holder[i] != 0) == 1)
#else
    :: redis.body[i] ->
      assert(redis.ready[i] + redis.suspects[i] + in_line(i) + (redis.holder[i] != 0 && redis.mark[i] != BODILESS) == 1)
#endif
    :: else -> assert(redis.holder[i] == 0 || redis.mark[i] == BODILESS)
    fi;
    i++
  :: else -> break
  od
}

/* The turn of the ordering key that both messages have: includes/place.lua, ended.lua and take_turn.lua ------------------------- */

#ifdef KEYED
/* It becomes ready, or waits for the turn. One that has the turn keeps it; one of a row is the first of the line again. */
inline place(m) {
  if
  :: redis.turn == 0 || !redis.body[redis.turn - 1] -> redis.turn = m + 1; redis.row = 0; redis.ready[m]++
  :: else ->
    if
    :: redis.turn == m + 1 -> redis.ready[m]++
    :: else ->
      redis.line[m] = 1;
      redis.row = 0
    fi
  fi
}

/* It is gone: the next one of its row has the turn, which is held, or else the first of the line. */
inline pass_turn(m) {
  redis.line[m] = 0;
  if
  :: redis.turn == m + 1 && redis.row -> redis.turn = 2 - m; redis.row = 0
#if MUTATION != 13
  :: redis.turn == m + 1 && !redis.row && redis.line[1 - m] -> redis.line[1 - m] = 0; redis.turn = 2 - m; redis.ready[1 - m]++
#endif
  :: redis.turn == m + 1 && !redis.row && !redis.line[1 - m] -> redis.turn = 0
  :: redis.turn != m + 1 && redis.turn -> redis.row = 0
  :: else
  fi
}

/* It is held by who has it, although Redis went back. what: as in a resumption. taken: bits of those that were taken so now. */
inline take_turn(m, what, others, taken_so) {
  if
  :: redis.turn == 2 - m && what == BACK && !redis.row -> redis.row = 1
  :: else
  fi;
  if
  :: what != IN_HAND && redis.turn
  :: !(what != IN_HAND && redis.turn) ->
    if
    :: redis.turn == 2 - m && (others == 0 || others == IN_HAND) && ((taken_so & BIT(1 - m)) || redis.holder[1 - m])
    :: else ->
      any = redis.turn;
      redis.turn = m + 1; redis.row = 0;
      if
      :: any == 2 - m && redis.body[1 - m] && (redis.ready[1 - m] || redis.line[1 - m]) ->
        redis.ready[1 - m] = 0; redis.line[1 - m] = 1
      :: else
      fi
    fi
  fi
}
#else
inline place(m) { redis.ready[m]++ }
#endif

/* What is done passes its turn before anything comes back. */
inline end_settlements() {
#ifdef KEYED
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: ended & BIT(i) -> pass_turn(i)
    :: else
    fi;
    i++
  :: else -> break
  od;
#endif
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: comes_back & BIT(i) -> place(i)
    :: else
    fi;
    i++
  :: else -> break
  od;
  ended = 0; comes_back = 0
}

/* send.lua ------------------------------------------------------------------------------------------------------------------ */

inline do_send(r) {
  if
  :: !redis.sender[r.lane] -> status = GONE
  :: else ->
    if
    :: r.seq < redis.sent[r.lane] -> status = STALE
#if MUTATION != 6
    :: r.seq == redis.sent[r.lane] -> status = OK
#endif
    :: r.seq > redis.sent[r.lane] + 1 -> status = BEHIND
    :: else ->
      i = 0;
      do
      :: i < MESSAGES ->
        if
        :: !(r.wanted & BIT(i)) -> skip
#if MUTATION != 8
        :: (r.wanted & BIT(i)) && r.again && (redis.body[i] || redis.past[i]) -> skip
        :: (r.wanted & BIT(i)) && r.again && !redis.body[i] && !redis.past[i] ->
          redis.body[i] = 1;
          if
          :: redis.holder[i] ->
            redis.mark[i] = PLAIN;
#ifdef KEYED
            take_turn(i, IN_HAND, NO_DELIVERY, 0);
#endif
          :: else ->
            redis.ready[i] = 0; redis.suspects[i] = 0;
            place(i)
          fi
        :: (r.wanted & BIT(i)) && !r.again ->
          redis.body[i] = 1;
          place(i);
          if
          :: deliveries[i] -> sent_as_it_was = sent_as_it_was | BIT(i)
          :: else
          fi
#else
        :: else -> redis.body[i] = 1; place(i)
#endif
        fi;
        i++
      :: else -> break
      od;
      redis.sent[r.lane] = r.seq;
      status = OK
    fi
  fi
}

/* claim.lua ----------------------------------------------------------------------------------------------------------------- */

inline settle(r, m, what, claim_, delivery_) {
#if MUTATION == 3
  mine = redis.holder[m] == r.lane + 1;
#else
  mine = redis.holder[m] == r.lane + 1 && redis.claim[m] == claim_;
#endif
  if
  :: settled & BIT(m) -> reply_refused = reply_refused | BIT(m)
  :: !(settled & BIT(m)) && mine && redis.mark[m] == BODILESS ->
    settled = settled | BIT(m);
    if
    :: what == ACK -> redis.past[m] = 1
    :: else
    fi;
    release(m)
  :: !(settled & BIT(m)) && mine && redis.mark[m] != BODILESS ->
    assert(redis.delivery[m] == delivery_); /* one holder */
    settled = settled | BIT(m);
    if
    :: what == ACK -> redis.body[m] = 0; ended = ended | BIT(m)
    :: what == BACK && redis.mark[m] == SUSPECT -> redis.suspects[m]++
    :: else -> comes_back = comes_back | BIT(m)
    fi;
    release(m)
  :: !(settled & BIT(m)) && !mine && what == ACK && redis.holder[m] == 0 ->
    settled = settled | BIT(m);
    if
    :: redis.body[m] -> redis.body[m] = 0; ended = ended | BIT(m)
    :: else
    fi
  :: !(settled & BIT(m)) && !mine && (what != ACK || redis.holder[m] != 0) ->
#if MUTATION == 4
    if
    :: what == ACK && claim_ == LATE -> assert(redis.delivery[m] == delivery_); release(m); redis.body[m] = 0
    :: else
    fi;
#endif
    reply_refused = reply_refused | BIT(m);
    if
    :: what == ACK && claim_ == LATE && redis.holder[m] && redis.holder[m] != r.lane + 1 ->
      settled = settled | BIT(m);
      refused_late = refused_late | BIT(m)
    :: else
    fi
  fi
}

inline forget_dead_lanes() {
  any = 0;
  i = 0;
  do
  :: i < LANES ->
    if
    :: redis.deadline[i] > ALIVE && redis.holder[0] != i + 1 && redis.holder[1] != i + 1 -> forget_lane(i)
    :: redis.deadline[i] > ALIVE && (redis.holder[0] == i + 1 || redis.holder[1] == i + 1) -> any = 1
    :: else
    fi;
    i++
  :: else -> break
  od
}

inline sweep() {
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: redis.holder[i] && redis.deadline[redis.holder[i] - 1] != ALIVE ->
      any = redis.deadline[redis.holder[i] - 1] == RETURNS && redis.mark[i] != SUSPECT;
#if defined(KEYED) && MUTATION != 12
      any = any || is_behind(i) && redis.mark[i] != SUSPECT;
#endif
      if
      :: refused_late & BIT(i) ->
        reply_refused = reply_refused & (255 - BIT(i));
        redis.body[i] = 0; ended = ended | BIT(i)
      :: else ->
        if
        :: redis.mark[i] == BODILESS
        :: redis.mark[i] != BODILESS && any -> comes_back = comes_back | BIT(i)
        :: else -> redis.suspects[i]++
        fi
      fi;
      release(i)
    :: else
    fi;
    i++
  :: else -> break
  od;
  end_settlements()
}

/* includes/await_lanes.lua */
#define silent(l) (redis.deadline[l] == ALIVE && redis.word[l] == SILENT)
#define other_silent(l, own) (l != own && silent(l))
#define others_silent(l, own) (other_silent(l, own) || other_silent(l + 1, own))
#if FAULTS == 0
#define any_other_silent(own) (others_silent(0, own))
#elif FAULTS == 1
#define any_other_silent(own) (others_silent(0, own) || others_silent(2, own))
#elif FAULTS == 2
#define any_other_silent(own) (others_silent(0, own) || others_silent(2, own) || others_silent(4, own))
#else
#define any_other_silent(own) (others_silent(0, own) || others_silent(2, own) || others_silent(4, own) || others_silent(6, own))
#endif
#if MUTATION == 10
#define waits_for_others(own) false
#else
#define waits_for_others(own) (went_back && redis.word[own] != LOOKED && any_other_silent(own))
#endif

#define has(c, m) ((loop[c].state[m] == IN_HAND || loop[c].state[m] == ACK) && loop[c].claim[m] != LATE || \
  loop[c].settled == m + 1 || loop[c].repeat == m + 1 && loop[c].repeat_claim != LATE)
#define others_has(c, m, own) (own / LANES_A_LOOP != c && redis.deadline[loop[c].lane] == ALIVE && has(c, m))

inline give(r, m, mark_) {
  if
  :: redis.body[m] ->
    assert(((sent_as_it_was | given_back) & BIT(m)) || !others_has(0, m, r.lane) && !others_has(1, m, r.lane)); /* not twice */
    assert(redis.holder[m] == 0 || redis.mark[m] == BODILESS);
    deliveries[m]++;
    redis.holder[m] = r.lane + 1; redis.claim[m] = r.seq; redis.mark[m] = mark_; redis.delivery[m] = deliveries[m];
    reply_brought = reply_brought | BIT(m);
    reply_delivery[m] = deliveries[m];
    taken++
  :: else /* the entry of a message that is gone */
  fi
}

inline do_claim(r) {
  if
  :: redis.deadline[r.lane] == UNKNOWN -> status = GONE
  :: else ->
    if
    :: r.seq < redis.last[r.lane] -> status = STALE
#if MUTATION != 2
    :: r.seq > redis.last[r.lane] + 1 -> status = BEHIND; reply_last = redis.last[r.lane]
#endif
#if MUTATION != 1
    :: r.seq == redis.last[r.lane] ->
      redis.deadline[r.lane] = ALIVE;
      reply_refused = redis.refused[r.lane];
      i = 0;
      do
      :: i < MESSAGES ->
        if
        :: (redis.brought[r.lane] & BIT(i)) && redis.holder[i] == r.lane + 1 && redis.claim[i] == r.seq ->
          reply_brought = reply_brought | BIT(i);
          reply_delivery[i] = redis.delivery[i]
        :: else
        fi;
        i++
      :: else -> break
      od;
#ifdef KEYED
      reply_row = reply_brought == ALL; /* as the memory of the lane has it */
#endif
      status = OK
#endif
    :: else ->
      settled = 0; refused_late = 0; taken = 0; took_suspect = 0; ended = 0; comes_back = 0;
      if
      :: r.again -> settle(r, r.again - 1, ACK, r.again_claim, r.again_delivery)
      :: else
      fi;
      if
      :: r.action[0] -> settle(r, 0, r.action[0], r.claim[0], r.delivery[0])
      :: else
      fi;
      if
      :: r.action[1] -> settle(r, 1, r.action[1], r.claim[1], r.delivery[1])
      :: else
      fi;
      end_settlements();
      redis.deadline[r.lane] = ALIVE;
#if MUTATION != 5
      forget_dead_lanes();
      if
      :: any -> sweep(); forget_dead_lanes()
      :: else
      fi;
#endif
      if
      :: waits_for_others(r.lane) -> redis.word[r.lane] = SPOKE
      :: else ->
        redis.word[r.lane] = (went_back -> LOOKED : SILENT);
        if
        :: r.wanted && redis.suspects[0] -> redis.suspects[0]--; took_suspect = 1; give(r, 0, SUSPECT)
        :: r.wanted && !redis.suspects[0] && redis.suspects[1] -> redis.suspects[1]--; took_suspect = 1; give(r, 1, SUSPECT)
        :: else
        fi;
        do
        :: taken < r.wanted && redis.ready[0] -> redis.ready[0]--; give(r, 0, PLAIN)
        :: taken < r.wanted && !redis.ready[0] && redis.ready[1] -> redis.ready[1]--; give(r, 1, PLAIN)
        :: taken >= r.wanted || (!redis.ready[0] && !redis.ready[1]) -> break
        od
#ifdef KEYED
        ;
        if /* includes/take_rows.lua */
        :: redis.turn && !redis.row && (reply_brought & BIT(redis.turn - 1)) && !took_suspect && redis.line[2 - redis.turn] ->
          i = 2 - redis.turn;
          redis.line[i] = 0;
          give(r, i, PLAIN);
          redis.row = 1;
          reply_row = 1
        :: else
        fi
#endif
      fi;
      redis.last[r.lane] = r.seq;
      redis.brought[r.lane] = reply_brought;
      redis.refused[r.lane] = reply_refused;
      status = OK
    fi
  fi;
  settled = 0; refused_late = 0; taken = 0; mine = 0; any = 0; took_suspect = 0
}

/* open-lane.lua and resume.lua ---------------------------------------------------------------------------------------------- */

inline open_lane(which, seq_before) {
  if
  :: redis.deadline[which] == UNKNOWN ->
    redis.deadline[which] = ALIVE;
    redis.last[which] = seq_before;
    redis.word[which] = (went_back -> SPOKE : SILENT)
  :: else
  fi
}

inline take_over(r, m, mark_) {
  redis.holder[m] = r.lane + 1; redis.claim[m] = r.claim[m]; redis.mark[m] = mark_; redis.delivery[m] = r.delivery[m]
}

#ifdef KEYED
#define leaves_line(m) redis.line[m] = 0
#else
#define leaves_line(m) skip
#endif

inline take_holding(r, m) {
  if
  :: !r.action[m]
#if MUTATION == 7
  :: r.action[m] && redis.holder[m] != 0 ->
#else
  :: r.action[m] && redis.holder[m] == r.former + 1 && redis.claim[m] == r.claim[m] ->
#endif
    assert(redis.delivery[m] == r.delivery[m]); /* one holder */
    take_over(r, m, redis.mark[m])
  :: r.action[m] && redis.holder[m] == 0 && redis.body[m] && r.back && (redis.ready[m] || in_line(m)) ->
    if
    :: redis.ready[m] -> redis.ready[m]--
    :: else -> leaves_line(m)
    fi;
#ifdef KEYED
    take_turn(m, r.action[m], r.action[1 - (m)], taken); taken = taken | BIT(m);
#endif
    take_over(r, m, PLAIN)
  :: r.action[m] && redis.holder[m] == 0 && redis.body[m] && !(r.back && (redis.ready[m] || in_line(m))) && redis.suspects[m] ->
    redis.suspects[m]--;
#ifdef KEYED
    take_turn(m, r.action[m], r.action[1 - (m)], taken); taken = taken | BIT(m);
#endif
    take_over(r, m, PLAIN)
  :: r.action[m] && redis.holder[m] == 0 && !redis.body[m] && r.back && r.action[m] == ACK ->
    redis.past[m] = 1;
    reply_refused = reply_refused | BIT(m)
  :: r.action[m] && redis.holder[m] == 0 && !redis.body[m] && r.back && r.action[m] != ACK ->
    take_over(r, m, BODILESS)
  :: else -> reply_refused = reply_refused | BIT(m)
  fi
}

inline do_resume(r) {
  if
  :: redis.deadline[r.lane] == UNKNOWN -> status = GONE
  :: else ->
    if
    :: r.seq < redis.last[r.lane] -> status = STALE
    :: r.seq == redis.last[r.lane] -> status = OK; reply_refused = redis.refused[r.lane]
    :: r.seq > redis.last[r.lane] + 1 -> status = BEHIND
    :: else ->
      redis.deadline[r.lane] = ALIVE;
      taken = 0;
      if /* settlements come first among the holdings */
      :: r.action[1] > IN_HAND && r.action[0] <= IN_HAND -> take_holding(r, 1); take_holding(r, 0)
      :: else -> take_holding(r, 0); take_holding(r, 1)
      fi;
      taken = 0; any = 0;
      if
      :: redis.deadline[r.former] != UNKNOWN -> redis.deadline[r.former] = RETURNS
      :: else
      fi;
      redis.last[r.lane] = r.seq;
      redis.brought[r.lane] = 0;
      redis.refused[r.lane] = reply_refused;
      status = OK
    fi
  fi
}

inline carry_out(r) {
  if
  :: r.kind == SEND -> do_send(r)
  :: r.kind == CLAIM -> do_claim(r)
  :: r.kind == RESUME -> do_resume(r)
  fi;
  check_places()
}

/* Requests in the network --------------------------------------------------------------------------------------------------- */

inline clear(r) {
  r.kind = NOTHING; r.lane = 0; r.seq = 0; r.again = 0; r.again_claim = 0; r.again_delivery = 0; r.wanted = 0; r.former = 0;
  r.back = 0; r.action[0] = 0; r.action[1] = 0; r.claim[0] = 0; r.claim[1] = 0; r.delivery[0] = 0; r.delivery[1] = 0
}

inline hold_up(r) {
  copy.kind = r.kind; copy.lane = r.lane; copy.seq = r.seq; copy.again = r.again; copy.again_claim = r.again_claim;
  copy.again_delivery = r.again_delivery; copy.wanted = r.wanted; copy.former = r.former; copy.back = r.back;
  copy.action[0] = r.action[0]; copy.action[1] = r.action[1]; copy.claim[0] = r.claim[0]; copy.claim[1] = r.claim[1];
  copy.delivery[0] = r.delivery[0]; copy.delivery[1] = r.delivery[1]
}

/* Senders: one request a message, on one lane, or two callers that wait, each on a lane of its own. After that they only look whether
   Redis went back. The first attempt of a caller goes over a connection of its own, the next ones over that of the client: the first
   one may be carried out behind them. ------------------------------------------------------------------------------------------ */

#define sender_known(s) (redis.sender[sender_lane[s]] -> redis.sent[sender_lane[s]] : 0)
#define sender_forgotten(s) (!redis.sender[sender_lane[s]] || redis.sent[sender_lane[s]] != sender_answered[s])

inline look_what_is_forgotten(s) {
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: sends_of(s) & BIT(i) ->
      if
      :: (sender_acknowledged & BIT(i)) && sender_number[i] > sender_known(s) -> forgotten[s] = forgotten[s] | BIT(i)
      :: else
      fi;
      sender_number[i] = 0
    :: else
    fi;
    i++
  :: else -> break
  od
}

inline open_sender(s) {
  look_what_is_forgotten(s);
  sender_lane[s]++; sender_answered[s] = 0;
  assert(sender_lane[s] < (s + 1) * LANES_A_SENDER);
  redis.sender[sender_lane[s]] = 1
}

inline send_again(s) {
#if MUTATION == 9
  skip
#else
  wire[s].kind = SEND; wire[s].lane = sender_lane[s]; wire[s].seq = 1; wire[s].wanted = forgotten[s]; wire[s].again = 1
#endif
}

inline send_answered(s) {
  if
  :: status == OK ->
    sender_answered[s] = wire[s].seq;
    sender_acknowledged = sender_acknowledged | wire[s].wanted;
    i = 0;
    do
    :: i < MESSAGES ->
      if
      :: wire[s].wanted & BIT(i) -> sender_number[i] = wire[s].seq
      :: else
      fi;
      i++
    :: else -> break
    od;
    if
    :: wire[s].again -> forgotten[s] = 0
    :: else
    fi;
    clear(wire[s])
  :: else -> /* Redis went back: another lane, and again what was acknowledged; then what was not */
    open_sender(s);
    clear(wire[s]);
    if
    :: forgotten[s] -> send_again(s)
    :: else
    fi
  fi
}

#if MUTATION == 16
#define count_attempt(s) wire[s].seq++ /* an attempt of the client has a number of its own */
#else
#define count_attempt(s) skip
#endif

proctype Sender(byte s) {
  d_step { sender_lane[s] = s * LANES_A_SENDER; redis.sender[sender_lane[s]] = 1 }
end:
  do
  :: atomic { wire[s].kind == SEND || (sender_acknowledged & sends_of(s)) != sends_of(s) ->
      d_step {
        if
        :: wire[s].kind == NOTHING ->
          wire[s].kind = SEND; wire[s].lane = sender_lane[s]; wire[s].seq = sender_answered[s] + 1;
#ifdef CALLERS
          wire[s].wanted = BIT(s)
#else
          wire[s].wanted = (sender_acknowledged & 1 -> 2 : 1)
#endif
        :: else
        fi
      }
      if
      :: can_fail && copy.kind == NOTHING -> d_step { faults++; hold_up(wire[s]) }
      :: true
      fi;
      if
      :: d_step { carry_out(wire[s]); send_answered(s); forget_reply() }
      :: d_step { can_fail -> faults++; carry_out(wire[s]); forget_reply(); count_attempt(s) } /* the reply is lost */
      :: d_step { can_fail -> faults++; count_attempt(s) }                                     /* it is held up */
      fi }
  :: d_step { wire[s].kind == NOTHING && (sender_acknowledged & sends_of(s)) && sender_forgotten(s) -> /* check-sender says so */
      open_sender(s);
      if
      :: forgotten[s] -> send_again(s)
      :: else
      fi }
  od
}

/* A claim loop ---------------------------------------------------------------------------------------------------------------- */

#define dead_lane(l) (redis.deadline[l] > ALIVE)
#define any_dead_of(l) (dead_lane(l) || dead_lane(l + 1))
#if FAULTS == 0
#define any_dead_lane (any_dead_of(0))
#elif FAULTS == 1
#define any_dead_lane (any_dead_of(0) || any_dead_of(2))
#elif FAULTS == 2
#define any_dead_lane (any_dead_of(0) || any_dead_of(2) || any_dead_of(4))
#else
#define any_dead_lane (any_dead_of(0) || any_dead_of(2) || any_dead_of(4) || any_dead_of(6))
#endif
#define something_waits (redis.ready[0] || redis.ready[1] || redis.suspects[0] || redis.suspects[1])

/* What waits for its turn in this lane is given back. */
inline give_back_behind(c) {
  if
  :: loop[c].state[0] == BEHIND_IT -> loop[c].state[0] = BACK
  :: else
  fi;
  if
  :: loop[c].state[1] == BEHIND_IT -> loop[c].state[1] = BACK
  :: else
  fi
}

inline begin_resumption(c) {
  assert(loop[c].next_lane + 1 < (c + 1) * LANES_A_LOOP);
  give_back_behind(c);
  loop[c].next_lane++;
  request[c].kind = RESUME; request[c].lane = loop[c].next_lane; request[c].seq = loop[c].answered + 1;
  i = 0;
  do
  :: i < MESSAGES ->
    request[c].action[i] = NO_DELIVERY; request[c].claim[i] = 0; request[c].delivery[i] = 0;
    if
    :: loop[c].state[i] && loop[c].claim[i] != LATE ->
      request[c].action[i] = (loop[c].state[i] == ACK || loop[c].state[i] == ACK_AFTER -> ACK :
        (loop[c].state[i] == BACK -> BACK : IN_HAND));
      request[c].claim[i] = loop[c].claim[i]; request[c].delivery[i] = loop[c].delivery[i]
    :: !(loop[c].state[i] && loop[c].claim[i] != LATE) && loop[c].repeat == i + 1 && loop[c].repeat_claim != LATE ->
      request[c].action[i] = ACK;
      request[c].claim[i] = loop[c].repeat_claim; request[c].delivery[i] = loop[c].repeat_delivery
    :: else
    fi;
    i++
  :: else -> break
  od;
  request[c].again = 0; request[c].again_claim = 0; request[c].again_delivery = 0; request[c].wanted = 0
}

inline drop_delivery(c, m) {
  loop[c].state[m] = NO_DELIVERY; loop[c].claim[m] = 0; loop[c].delivery[m] = 0
}

inline drop_repeat(c) {
  loop[c].repeat = 0; loop[c].repeat_claim = 0; loop[c].repeat_delivery = 0
}

inline drop_settled(c) {
  loop[c].settled = 0; loop[c].settled_seq = 0; loop[c].settled_claim = 0; loop[c].settled_delivery = 0
}

inline claim_answered(c) {
  if
  :: status == OK ->
    loop[c].answered = request[c].seq;
    if
    :: copy.kind == NOTHING -> /* nobody asks for it any more: fewer states */
      redis.brought[request[c].lane] = 0; redis.refused[request[c].lane] = 0
    :: else
    fi;
    if
    :: request[c].again -> drop_repeat(c)
    :: else
    fi;
    i = 0;
    do
    :: i < MESSAGES ->
      if
      :: request[c].action[i] == BACK && loop[c].state[i] != BACK /* its handler runs on */
      :: request[c].action[i] && !(request[c].action[i] == BACK && loop[c].state[i] != BACK) ->
        if
        :: request[c].action[i] == ACK && request[c].claim[i] != LATE ->
          loop[c].settled = i + 1; loop[c].settled_seq = request[c].seq;
          loop[c].settled_claim = request[c].claim[i]; loop[c].settled_delivery = request[c].delivery[i]
        :: else
        fi;
        drop_delivery(c, i)
      :: else
      fi;
      i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < MESSAGES ->
      if
      :: reply_brought & BIT(i) ->
        if
        :: loop[c].state[i] && !loop[c].repeat -> /* an earlier delivery of it is still in hand, and ends late */
          loop[c].repeat = i + 1; loop[c].repeat_claim = loop[c].claim[i]; loop[c].repeat_delivery = loop[c].delivery[i]
        :: else
        fi;
        loop[c].state[i] = (loop[c].stopping -> BACK : IN_HAND);
        loop[c].claim[i] = request[c].seq; loop[c].delivery[i] = reply_delivery[i];
      :: else
      fi;
      i++
    :: else -> break
    od;
#ifdef KEYED
    if
    :: reply_row && !loop[c].stopping -> loop[c].state[2 - redis.turn] = BEHIND_IT
    :: else
    fi;
#endif
    clear(request[c])
  :: status == STALE -> assert(false)
  :: else ->
    if
    :: request[c].action[0] == BACK && loop[c].state[0] == RUNS_ON -> loop[c].state[0] = BACK_RUNS
    :: else
    fi;
    if
    :: request[c].action[1] == BACK && loop[c].state[1] == RUNS_ON -> loop[c].state[1] = BACK_RUNS
    :: else
    fi;
    if
    :: loop[c].settled && loop[c].settled_seq > reply_last ->
      loop[c].repeat = loop[c].settled; loop[c].repeat_claim = loop[c].settled_claim;
      loop[c].repeat_delivery = loop[c].settled_delivery
    :: else
    fi;
    request[c].former = loop[c].lane;
    request[c].back = status == BEHIND || !loop[c].ran_out;
    begin_resumption(c)
  fi
}

inline resumption_answered(c) {
  if
  :: status == OK ->
    loop[c].lane = request[c].lane; loop[c].answered = request[c].seq; loop[c].ran_out = 0;
    drop_settled(c);
    i = 0;
    do
    :: i < MESSAGES ->
      if
      :: (reply_refused & BIT(i)) && (loop[c].state[i] == RETRY || loop[c].state[i] == BACK) -> drop_delivery(c, i)
      :: (reply_refused & BIT(i)) && loop[c].state[i] && loop[c].state[i] != RETRY && loop[c].state[i] != BACK ->
        loop[c].claim[i] = LATE;
        if
        :: loop[c].state[i] == BACK_RUNS -> loop[c].state[i] = RUNS_ON
        :: else
        fi
      :: else
      fi;
      if
      :: loop[c].repeat == i + 1 && (reply_refused & BIT(i)) ->
        if
        :: request[c].back -> loop[c].repeat_claim = LATE
        :: else -> drop_repeat(c) /* it was settled for good */
        fi
      :: loop[c].repeat == i + 1 && !(reply_refused & BIT(i)) && request[c].claim[i] != loop[c].repeat_claim &&
          loop[c].repeat_claim != LATE -> drop_repeat(c) /* a later claim of it was told */
      :: else
      fi;
      i++
    :: else -> break
    od;
    clear(request[c])
  :: status == STALE -> assert(false)
  :: else ->
    request[c].former = request[c].lane;
    request[c].back = 1;
    begin_resumption(c)
  fi
}

#define lane_forgotten(c) (redis.deadline[loop[c].lane] == UNKNOWN || redis.last[loop[c].lane] != loop[c].answered)
#define something_finished(c) (loop[c].repeat || is_to_be_sent(loop[c].state[0]) || is_to_be_sent(loop[c].state[1]))
#define keeps_still(c) (redis.word[loop[c].lane] == SPOKE && waits_for_others(loop[c].lane))
#define is_awaited(c) (went_back && silent(loop[c].lane))
#define something_to_do(c) (something_waits && !keeps_still(c) && !loop[c].stopping || something_finished(c) || lane_forgotten(c) || any_dead_lane || \
  is_awaited(c))

inline compose_claim(c) {
  request[c].kind = CLAIM; request[c].lane = loop[c].lane; request[c].seq = loop[c].answered + 1;
  assert(request[c].seq < 40); /* it comes to rest */
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: is_to_be_sent(loop[c].state[i]) ->
      request[c].action[i] = (loop[c].state[i] == ACK_AFTER -> ACK : (loop[c].state[i] == BACK_RUNS -> BACK : loop[c].state[i]));
      if
      :: loop[c].state[i] == BACK_RUNS -> loop[c].state[i] = RUNS_ON
      :: else
      fi;
      request[c].claim[i] = loop[c].claim[i]; request[c].delivery[i] = loop[c].delivery[i]
    :: else
    fi;
    i++
  :: else -> break
  od;
  request[c].again = loop[c].repeat; request[c].again_claim = loop[c].repeat_claim;
  request[c].again_delivery = loop[c].repeat_delivery;
  request[c].wanted = (loop[c].stopping -> 0 : 2 - c) /* one loop takes two, the other one */
}

#define handler_runs(state) (state == IN_HAND || state == BACK_RUNS || state == RUNS_ON)

inline end_handler(c, m) {
  handled[m] = 1;
  if
  :: loop[c].state[m] == RUNS_ON -> loop[c].state[m] = ACK_AFTER
  :: else -> loop[c].state[m] = ACK
  fi;
  if
  :: loop[c].state[1 - m] == BEHIND_IT -> loop[c].state[1 - m] = IN_HAND
  :: else
  fi
}

inline fail_handler(c, m) {
  if
  :: loop[c].claim[m] == LATE || loop[c].state[m] == RUNS_ON -> drop_delivery(c, m)
  :: else -> loop[c].state[m] = RETRY
  fi;
#if MUTATION == 14
  if
  :: loop[c].state[1 - m] == BEHIND_IT -> loop[c].state[1 - m] = IN_HAND
  :: else
  fi
#else
  give_back_behind(c)
#endif
}

#define hands_back(c, m) (loop[c].state[m] == IN_HAND && loop[c].claim[m] != LATE)
#define can_stop(c) (can_fail && !loop[c].stopping && request[c].kind != RESUME && (hands_back(c, 0) || hands_back(c, 1)) && \
  loop[c].next_lane + 1 < (c + 1) * LANES_A_LOOP)

inline stop_loop(c) {
  loop[c].stopping = 1;
  give_back_behind(c);
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: hands_back(c, i) -> loop[c].state[i] = BACK_RUNS; given_back = given_back | BIT(i)
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0
}

/* close-lane.lua, and a new lane: what runs on can only be acknowledged late. */
inline close_lane(c) {
#if MUTATION == 15
  forget_lane(loop[c].lane);
#else
  if
  :: redis.holder[0] == loop[c].lane + 1 || redis.holder[1] == loop[c].lane + 1 ->
    if
    :: redis.deadline[loop[c].lane] != UNKNOWN -> redis.deadline[loop[c].lane] = OVER
    :: else
    fi
  :: else -> forget_lane(loop[c].lane)
  fi;
#endif
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: loop[c].state[i] -> loop[c].claim[i] = LATE
    :: else
    fi;
    i++
  :: else -> break
  od;
  drop_settled(c);
  loop[c].stopping = 0; loop[c].ran_out = 0;
  loop[c].next_lane++; loop[c].lane = loop[c].next_lane;
  open_lane(loop[c].lane, loop[c].answered)
}

proctype ClaimLoop(byte c) {
  d_step { loop[c].lane = c * LANES_A_LOOP; loop[c].next_lane = loop[c].lane; open_lane(loop[c].lane, 0) }
end:
  do
  /* a handler ends */
  :: d_step { handler_runs(loop[c].state[0]) -> end_handler(c, 0) }
  :: d_step { handler_runs(loop[c].state[1]) ->
#if defined(KEYED)
      assert(handled[0] || went_back); /* in their order */
#endif
      end_handler(c, 1) }
  :: d_step { handler_runs(loop[c].state[0]) && can_fail -> faults++; fail_handler(c, 0) }
#ifdef KEYED
  :: d_step { handler_runs(loop[c].state[1]) && can_fail -> faults++; fail_handler(c, 1) }
#endif

  /* it stops, and gives back what its handlers have; then another lane opens, as if it was started again */
  :: d_step { can_stop(c) -> faults++; stop_loop(c) }
  :: d_step { loop[c].stopping && request[c].kind == NOTHING && !something_finished(c) -> close_lane(c) }

  /* a claim, if there is anything to do, or the one that was not answered */
  :: atomic { request[c].kind == CLAIM || (request[c].kind == NOTHING && something_to_do(c)) ->
      d_step {
        if
        :: request[c].kind == NOTHING -> compose_claim(c)
        :: else
        fi
      }
      if
      :: can_fail && copy.kind == NOTHING -> d_step { faults++; hold_up(request[c]) }
      :: true
      fi;
      if
      :: d_step { carry_out(request[c]); claim_answered(c); forget_reply() }
      :: d_step { can_fail -> faults++; carry_out(request[c]); forget_reply() } /* the reply is lost */
      :: d_step { can_fail -> faults++ }                                        /* it is held up */
      fi }

  /* its lane is renewed: it has nothing to say that Redis has forgotten */
#if MUTATION == 11
  :: d_step { is_awaited(c) -> redis.word[loop[c].lane] = SPOKE }
#else
  :: d_step { is_awaited(c) && redis.last[loop[c].lane] >= loop[c].answered -> redis.word[loop[c].lane] = SPOKE }
#endif

  /* another lane takes over */
  :: d_step { request[c].kind == RESUME && can_fail ->
      faults++;
      open_lane(request[c].lane, loop[c].answered); carry_out(request[c]); forget_reply() }
  :: d_step { request[c].kind == RESUME ->
      open_lane(request[c].lane, loop[c].answered); carry_out(request[c]); resumption_answered(c); forget_reply() }

  /* it crashes, and another instance takes its place, which knows nothing */
  :: d_step { loop[c].next_lane + 1 < (c + 1) * LANES_A_LOOP && can_fail ->
      faults++;
      clear(request[c]); drop_delivery(c, 0); drop_delivery(c, 1); drop_repeat(c); drop_settled(c);
      loop[c].stopping = 0;
      loop[c].next_lane++; loop[c].lane = loop[c].next_lane; loop[c].answered = 0; loop[c].ran_out = 0;
      open_lane(loop[c].lane, 0) }
  od
}

/* Time and faults ------------------------------------------------------------------------------------------------------------- */

#define in_use(l) (l == loop[0].lane || l == loop[1].lane || l == loop[0].next_lane || l == loop[1].next_lane)

/* The lease of a lane. What nobody renews runs out without a fault. */
proctype Lease(byte l) {
end:
  do
  :: d_step { redis.deadline[l] == ALIVE && !in_use(l) -> redis.deadline[l] = OVER }
  :: d_step { redis.deadline[l] == ALIVE && in_use(l) && can_fail ->
      faults++;
      redis.deadline[l] = OVER;
      if
      :: l == loop[0].lane -> loop[0].ran_out = 1
      :: l == loop[1].lane -> loop[1].ran_out = 1
      :: else
      fi }
  od
}

inline copy_redis(to, from) {
  i = 0;
  do
  :: i < MESSAGES ->
    to.body[i] = from.body[i]; to.ready[i] = from.ready[i]; to.suspects[i] = from.suspects[i]; to.holder[i] = from.holder[i];
    to.claim[i] = from.claim[i]; to.mark[i] = from.mark[i]; to.delivery[i] = from.delivery[i]; to.past[i] = from.past[i];
    i++
  :: else -> break
  od;
#ifdef KEYED
  to.turn = from.turn; to.row = from.row; to.line[0] = from.line[0]; to.line[1] = from.line[1];
#endif
  i = 0;
  do
  :: i < LANES ->
    to.deadline[i] = from.deadline[i]; to.last[i] = from.last[i]; to.brought[i] = from.brought[i];
    to.refused[i] = from.refused[i]; to.word[i] = SILENT;
    i++
  :: else -> break
  od;
  i = 0;
  do
  :: i < SENDER_LANES -> to.sender[i] = from.sender[i]; to.sent[i] = from.sent[i]; i++
  :: else -> break
  od
}

inline forget_snapshot() {
  i = 0;
  do
  :: i < MESSAGES ->
    before.body[i] = 0; before.ready[i] = 0; before.suspects[i] = 0; before.holder[i] = 0; before.claim[i] = 0;
    before.mark[i] = 0; before.delivery[i] = 0; before.past[i] = 0;
    i++
  :: else -> break
  od;
#ifdef KEYED
  before.turn = 0; before.row = 0; before.line[0] = 0; before.line[1] = 0;
#endif
  i = 0;
  do
  :: i < LANES ->
    before.deadline[i] = 0; before.last[i] = 0; before.brought[i] = 0; before.refused[i] = 0;
    i++
  :: else -> break
  od;
  i = 0;
  do
  :: i < SENDER_LANES -> before.sender[i] = 0; before.sent[i] = 0; i++
  :: else -> break
  od;
  snapshot_taken = 0
}

/* Redis goes back to a snapshot, once. What was under way to it then is not carried out afterwards, for its connection is cut. */
proctype Faults() {
end:
  do
  :: d_step { !snapshot_taken && !went_back && can_fail -> copy_redis(before, redis); snapshot_taken = 1; faults++ }
  :: d_step { snapshot_taken ->
      copy_redis(redis, before);
      forget_snapshot();
#ifndef COPIES_OUTLIVE
      clear(copy);
#endif
      went_back = 1 }
  :: d_step { copy.kind != NOTHING -> carry_out(copy); forget_reply(); clear(copy) }
  od
}

#define rests(c) (request[c].kind == NOTHING && !something_to_do(c) && !loop[c].stopping && !loop[c].state[0] && !loop[c].state[1])
#define sender_at_rest(s) (wire[s].kind == NOTHING && !sender_forgotten(s))
#ifdef CALLERS
#define others_rest true /* there is one loop: fewer states */
#define senders_rest (sender_acknowledged == ALL && sender_at_rest(0) && sender_at_rest(1))
#else
#define others_rest rests(1)
#define senders_rest (sender_acknowledged == ALL && sender_at_rest(0))
#endif
#define unused_lane(l) (redis.deadline[l] == ALIVE && !in_use(l))
#define unused_of(l) (unused_lane(l) || unused_lane(l + 1))
#if FAULTS == 0
#define any_unused_lane (unused_of(0))
#elif FAULTS == 1
#define any_unused_lane (unused_of(0) || unused_of(2))
#elif FAULTS == 2
#define any_unused_lane (unused_of(0) || unused_of(2) || unused_of(4))
#else
#define any_unused_lane (unused_of(0) || unused_of(2) || unused_of(4) || unused_of(6))
#endif

proctype WhenAllIsQuiet() {
end:
  do
  :: d_step { senders_rest && rests(0) && others_rest && !any_unused_lane ->
      assert(handled[0] && handled[1]);             /* no loss */
      assert(!redis.holder[0] && !redis.holder[1]); /* not stuck */
      assert(!redis.body[0] && !redis.body[1]) }
  :: timeout -> assert(false)                       /* not stuck: it is quiet, or something can go on */
  od
}

init {
  byte l;
  atomic {
    run Sender(0);
#ifdef CALLERS
    run Sender(1);
#endif
    run ClaimLoop(0);
#ifdef CALLERS
    loop[1].lane = LANES_A_LOOP; loop[1].next_lane = LANES_A_LOOP;
#else
    run ClaimLoop(1);
#endif
    do
    :: l < LANES -> run Lease(l); l++
    :: else -> break
    od;
    run Faults(); run WhenAllIsQuiet()
  }
}
