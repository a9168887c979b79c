/*
 * The lanes of one queue: a sender, two claim loops, two messages, and a Redis that goes back in time.
 *
 * What is modelled: the scripts send, claim, resume, open-lane, renew-lane and check-sender with what they include (once, settle,
 * dead_lanes, await_lanes, renew), each as one step; and what a loop and a sender do with the replies. A lane has as many successors as there are
 * faults. A loop remembers one
 * settlement for when Redis goes back, so that it may have forgotten another.
 *
 * Faults, FAULTS of them in any order: a reply is lost, and its request repeated until it is answered; a request is held up
 * before it is carried out; a copy of it is carried out later as well; a lease runs out while its loop lives; a loop crashes, and
 * another takes its place that knows nothing; a handler fails; Redis goes back to what it was at any time before.
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
 *                delivered
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
#define SENDER_LANES (FAULTS + 1)

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

/* What a loop knows of a delivery. */
#define NO_DELIVERY 0
#define IN_HAND 1
#define ACK 2
#define RETRY 3

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
  byte action[MESSAGES];   /* of a claim: its settlements; of a resumption: ACK if it was acknowledged, IN_HAND if held */
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
Request wire;   /* of the sender */
Request copy;   /* of any request, held up in the network */
bit snapshot_taken;
bit went_back;
byte faults;
byte deliveries[MESSAGES];
byte sent_as_it_was;    /* bits of messages that were delivered before an unanswered send of them was sent as it was */
bit handled[MESSAGES];
byte sender_lane;
byte sender_answered;
byte sender_acknowledged; /* bits of messages */
byte sender_number[MESSAGES]; /* of the request on its lane that was answered for a message; 0 if it was on an earlier lane */
byte forgotten;           /* bits of messages whose requests Redis does not remember, to be sent again */

/* The reply to the request that was just carried out. */
byte status;
byte reply_last;
byte reply_refused;
byte reply_brought;
byte reply_delivery[MESSAGES];

/* For use within one step. */
hidden byte i;
hidden byte settled;
hidden byte refused_late;
hidden byte taken;
hidden byte mine;
hidden byte any;

#define can_fail (faults < FAULTS)

inline forget_reply() {
  status = 0; reply_last = 0; reply_refused = 0; reply_brought = 0;
  reply_delivery[0] = 0; reply_delivery[1] = 0
}

inline release(m) {
  redis.holder[m] = 0; redis.claim[m] = 0; redis.mark[m] = PLAIN; redis.delivery[m] = 0
}

inline forget_lane(which) {
  redis.deadline[which] = UNKNOWN; redis.last[which] = 0; redis.brought[which] = 0; redis.refused[which] = 0;
  redis.word[which] = SILENT
}

inline check_places() {
  i = 0;
  do
  :: i < MESSAGES ->
    if
#ifdef STRICT
    :: redis.body[i] -> assert(redis.ready[i] + redis.suspects[i] + (redis.holder[i] != 0) == 1)
#else
    :: redis.body[i] ->
      assert(redis.ready[i] + redis.suspects[i] + (redis.holder[i] != 0 && redis.mark[i] != BODILESS) == 1)
#endif
    :: else -> assert(redis.holder[i] == 0 || redis.mark[i] == BODILESS)
    fi;
    i++
  :: else -> break
  od
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
          :: redis.holder[i] -> redis.mark[i] = PLAIN
          :: else -> redis.ready[i] = 1; redis.suspects[i] = 0
          fi
        :: (r.wanted & BIT(i)) && !r.again ->
          redis.body[i] = 1; redis.ready[i]++;
          if
          :: deliveries[i] -> sent_as_it_was = sent_as_it_was | BIT(i)
          :: else
          fi
#else
        :: else -> redis.body[i] = 1; redis.ready[i]++
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
    release(m);
    if
    :: what == ACK -> redis.body[m] = 0
    :: else -> redis.ready[m]++
    fi
  :: !(settled & BIT(m)) && !mine && what == ACK && redis.holder[m] == 0 ->
    settled = settled | BIT(m);
    redis.body[m] = 0
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
      if
      :: refused_late & BIT(i) ->
        reply_refused = reply_refused & (255 - BIT(i));
        redis.body[i] = 0
      :: else ->
        if
        :: redis.mark[i] == BODILESS
        :: redis.mark[i] != BODILESS && any -> redis.ready[i]++
        :: else -> redis.suspects[i]++
        fi
      fi;
      release(i)
    :: else
    fi;
    i++
  :: else -> break
  od
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
    assert((sent_as_it_was & BIT(m)) || !others_has(0, m, r.lane) && !others_has(1, m, r.lane)); /* not twice */
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
      status = OK
#endif
    :: else ->
      settled = 0; refused_late = 0; taken = 0;
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
        :: r.wanted && redis.suspects[0] -> redis.suspects[0]--; give(r, 0, SUSPECT)
        :: r.wanted && !redis.suspects[0] && redis.suspects[1] -> redis.suspects[1]--; give(r, 1, SUSPECT)
        :: else
        fi;
        do
        :: taken < r.wanted && redis.ready[0] -> redis.ready[0]--; give(r, 0, PLAIN)
        :: taken < r.wanted && !redis.ready[0] && redis.ready[1] -> redis.ready[1]--; give(r, 1, PLAIN)
        :: taken >= r.wanted || (!redis.ready[0] && !redis.ready[1]) -> break
        od
      fi;
      redis.last[r.lane] = r.seq;
      redis.brought[r.lane] = reply_brought;
      redis.refused[r.lane] = reply_refused;
      status = OK
    fi
  fi;
  settled = 0; refused_late = 0; taken = 0; mine = 0; any = 0
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
      i = 0;
      do
      :: i < MESSAGES ->
        if
        :: !r.action[i]
#if MUTATION == 7
        :: r.action[i] && redis.holder[i] != 0 ->
#else
        :: r.action[i] && redis.holder[i] == r.former + 1 && redis.claim[i] == r.claim[i] ->
#endif
          assert(redis.delivery[i] == r.delivery[i]); /* one holder */
          take_over(r, i, redis.mark[i])
        :: r.action[i] && redis.holder[i] == 0 && redis.body[i] && r.back && redis.ready[i] ->
          redis.ready[i]--;
          take_over(r, i, PLAIN)
        :: r.action[i] && redis.holder[i] == 0 && redis.body[i] && !(r.back && redis.ready[i]) && redis.suspects[i] ->
          redis.suspects[i]--;
          take_over(r, i, PLAIN)
        :: r.action[i] && redis.holder[i] == 0 && !redis.body[i] && r.back && r.action[i] == ACK ->
          redis.past[i] = 1;
          reply_refused = reply_refused | BIT(i)
        :: r.action[i] && redis.holder[i] == 0 && !redis.body[i] && r.back && r.action[i] != ACK ->
          take_over(r, i, BODILESS)
        :: else -> reply_refused = reply_refused | BIT(i)
        fi;
        i++
      :: else -> break
      od;
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

/* The sender: one request a message, then it only looks whether Redis went back. ---------------------------------------------- */

#define sender_forgotten (!redis.sender[sender_lane] || redis.sent[sender_lane] != sender_answered)

inline look_what_is_forgotten() {
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: (sender_acknowledged & BIT(i)) && sender_number[i] > (redis.sender[sender_lane] -> redis.sent[sender_lane] : 0) ->
      forgotten = forgotten | BIT(i)
    :: else
    fi;
    sender_number[i] = 0;
    i++
  :: else -> break
  od
}

inline open_sender() {
  look_what_is_forgotten();
  sender_lane++; sender_answered = 0;
  assert(sender_lane < SENDER_LANES);
  redis.sender[sender_lane] = 1
}

inline send_again() {
#if MUTATION == 9
  skip
#else
  wire.kind = SEND; wire.lane = sender_lane; wire.seq = 1; wire.wanted = forgotten; wire.again = 1
#endif
}

inline send_answered() {
  if
  :: status == OK ->
    sender_answered = wire.seq;
    sender_acknowledged = sender_acknowledged | wire.wanted;
    i = 0;
    do
    :: i < MESSAGES ->
      if
      :: wire.wanted & BIT(i) -> sender_number[i] = wire.seq
      :: else
      fi;
      i++
    :: else -> break
    od;
    if
    :: wire.again -> forgotten = 0
    :: else
    fi;
    clear(wire)
  :: else -> /* Redis went back: another lane, and again what was acknowledged; then what was not */
    open_sender();
    clear(wire);
    if
    :: forgotten -> send_again()
    :: else
    fi
  fi
}

proctype Sender() {
  atomic { redis.sender[0] = 1 }
end:
  do
  :: atomic { wire.kind == SEND || sender_acknowledged != ALL ->
      d_step {
        if
        :: wire.kind == NOTHING ->
          wire.kind = SEND; wire.lane = sender_lane; wire.seq = sender_answered + 1;
          wire.wanted = (sender_acknowledged & 1 -> 2 : 1)
        :: else
        fi
      }
      if
      :: can_fail && copy.kind == NOTHING -> d_step { faults++; hold_up(wire) }
      :: true
      fi;
      if
      :: d_step { carry_out(wire); send_answered(); forget_reply() }
      :: d_step { can_fail -> faults++; carry_out(wire); forget_reply() } /* the reply is lost */
      :: d_step { can_fail -> faults++ }                                  /* it is held up */
      fi }
  :: d_step { wire.kind == NOTHING && sender_acknowledged && sender_forgotten -> /* check-sender says so */
      open_sender();
      if
      :: forgotten -> send_again()
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

inline begin_resumption(c) {
  assert(loop[c].next_lane + 1 < (c + 1) * LANES_A_LOOP);
  loop[c].next_lane++;
  request[c].kind = RESUME; request[c].lane = loop[c].next_lane; request[c].seq = loop[c].answered + 1;
  i = 0;
  do
  :: i < MESSAGES ->
    request[c].action[i] = NO_DELIVERY; request[c].claim[i] = 0; request[c].delivery[i] = 0;
    if
    :: loop[c].state[i] && loop[c].claim[i] != LATE ->
      request[c].action[i] = (loop[c].state[i] == ACK -> ACK : IN_HAND);
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
      :: request[c].action[i] ->
        if
        :: request[c].action[i] == ACK && request[c].claim[i] != LATE ->
          loop[c].settled = i + 1; loop[c].settled_seq = request[c].seq;
          loop[c].settled_claim = request[c].claim[i]; loop[c].settled_delivery = request[c].delivery[i]
        :: else
        fi;
        drop_delivery(c, i)
      :: else
      fi;
      if
      :: reply_brought & BIT(i) ->
        if
        :: loop[c].state[i] && !loop[c].repeat -> /* an earlier delivery of it is still in hand, and ends late */
          loop[c].repeat = i + 1; loop[c].repeat_claim = loop[c].claim[i]; loop[c].repeat_delivery = loop[c].delivery[i]
        :: else
        fi;
        loop[c].state[i] = IN_HAND; loop[c].claim[i] = request[c].seq; loop[c].delivery[i] = reply_delivery[i]
      :: else
      fi;
      i++
    :: else -> break
    od;
    clear(request[c])
  :: status == STALE -> assert(false)
  :: else ->
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
      :: (reply_refused & BIT(i)) && loop[c].state[i] == RETRY -> drop_delivery(c, i)
      :: (reply_refused & BIT(i)) && loop[c].state[i] && loop[c].state[i] != RETRY -> loop[c].claim[i] = LATE
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
#define something_finished(c) (loop[c].repeat || loop[c].state[0] > IN_HAND || loop[c].state[1] > IN_HAND)
#define keeps_still(c) (redis.word[loop[c].lane] == SPOKE && waits_for_others(loop[c].lane))
#define is_awaited(c) (went_back && silent(loop[c].lane))
#define something_to_do(c) (something_waits && !keeps_still(c) || something_finished(c) || lane_forgotten(c) || any_dead_lane || \
  is_awaited(c))

inline compose_claim(c) {
  request[c].kind = CLAIM; request[c].lane = loop[c].lane; request[c].seq = loop[c].answered + 1;
  assert(request[c].seq < 40); /* it comes to rest */
  i = 0;
  do
  :: i < MESSAGES ->
    if
    :: loop[c].state[i] > IN_HAND ->
      request[c].action[i] = loop[c].state[i];
      request[c].claim[i] = loop[c].claim[i]; request[c].delivery[i] = loop[c].delivery[i]
    :: else
    fi;
    i++
  :: else -> break
  od;
  request[c].again = loop[c].repeat; request[c].again_claim = loop[c].repeat_claim;
  request[c].again_delivery = loop[c].repeat_delivery;
  request[c].wanted = 2 - c /* one loop takes two, the other one */
}

proctype ClaimLoop(byte c) {
  d_step { loop[c].lane = c * LANES_A_LOOP; loop[c].next_lane = loop[c].lane; open_lane(loop[c].lane, 0) }
end:
  do
  /* a handler ends */
  :: d_step { loop[c].state[0] == IN_HAND -> loop[c].state[0] = ACK; handled[0] = 1 }
  :: d_step { loop[c].state[1] == IN_HAND -> loop[c].state[1] = ACK; handled[1] = 1 }
  :: d_step { loop[c].state[0] == IN_HAND && can_fail ->
      faults++;
      if
      :: loop[c].claim[0] == LATE -> drop_delivery(c, 0)
      :: else -> loop[c].state[0] = RETRY
      fi }

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

#define rests(c) (request[c].kind == NOTHING && !something_to_do(c) && loop[c].state[0] != IN_HAND && loop[c].state[1] != IN_HAND)
#define sender_rests (wire.kind == NOTHING && sender_acknowledged == ALL && !sender_forgotten)
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
  :: d_step { sender_rests && rests(0) && rests(1) && !any_unused_lane ->
      assert(handled[0] && handled[1]);             /* no loss */
      assert(!redis.holder[0] && !redis.holder[1]); /* not stuck */
      assert(!redis.body[0] && !redis.body[1]) }
  :: timeout -> assert(false)                       /* not stuck: it is quiet, or something can go on */
  od
}

init {
  byte l;
  atomic {
    run Sender(); run ClaimLoop(0); run ClaimLoop(1);
    do
    :: l < LANES -> run Lease(l); l++
    :: else -> break
    od;
    run Faults(); run WhenAllIsQuiet()
  }
}
