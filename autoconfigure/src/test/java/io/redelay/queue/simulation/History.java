package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.redelay.queue.message.NewMessage;

/**
 * What senders and handlers saw of a run, in its order, and whether that is what the page
 * of guarantees promises. It knows that page and nothing of how the scripts keep it.
 * <p>
 * Times are those of the server's clock, in milliseconds.
 */
final class History {

	/**
	 * How many milliseconds before its handler is called a message was claimed at most,
	 * unless replies are lost for longer.
	 */
	private static final long LONGEST_REPLY = 15_000;

	private final Leases leases;

	private final Map<String, Story> stories = new LinkedHashMap<>();

	/**
	 * The first name of a message, by a later one.
	 */
	private final Map<String, String> renamed = new HashMap<>();

	private final Set<String> killed = new HashSet<>();

	private final List<Rollback> rollbacks = new ArrayList<>();

	private final Set<String> stopped = new HashSet<>();

	private final List<Long> kills = new ArrayList<>();

	private final Predicate<String> dead;

	private final LongSupplier elapsed;

	/**
	 * How long a message waits at least for its next attempt.
	 */
	private final long backoff;

	private long lastJump;

	private String violation;

	/**
	 * How much has happened: what comes before what is known by its number, as clocks
	 * jump.
	 */
	private long events;

	/**
	 * Begins.
	 * @param leases what the requests say of the leases
	 * @param dead whether a message is dead
	 * @param elapsed how many milliseconds have passed, by a clock that does not jump
	 * @param backoff how many milliseconds a message waits at least for its next attempt
	 */
	History(Leases leases, Predicate<String> dead, LongSupplier elapsed, long backoff) {
		this.leases = leases;
		this.dead = dead;
		this.elapsed = elapsed;
		this.backoff = backoff;
	}

	/**
	 * Returns what was found first, or {@code null}. A caller that gets it as an
	 * exception may take that for a failure of the handler.
	 */
	String violation() {
		return this.violation;
	}

	void violated(String words) {
		if (this.violation == null) {
			this.violation = words;
		}
	}

	private void check(boolean condition, String words) {
		if (!condition) {
			violated(words);
		}
	}

	// What happens

	/**
	 * A message is sent.
	 * @param ordered whether it is behind those that the instance sent before
	 */
	void sends(String instance, NewMessage message, boolean ordered, long now) {
		this.stories.put(message.uid(), new Story(instance, message, ordered, now));
	}

	private Story story(String uid) {
		return this.stories.get(this.renamed.getOrDefault(uid, uid));
	}

	private boolean isDead(Story story) {
		return story.names.stream().anyMatch(this.dead);
	}

	/**
	 * A send was acknowledged, and added the message.
	 */
	void sent(String uid) {
		Story story = story(uid);
		story.sentAt = ++this.events;
		for (Story other : this.stories.values()) {
			if (other != story && other.mayHave(story.id) && other.sentAt > 0 && other.sentAt < story.invokedAt) {
				check(hasEnded(other) || wentBackSince(other.invokedAt),
						uid + " was added while " + other.uid + " with the same id lived");
			}
		}
	}

	/**
	 * A send was acknowledged, and added nothing, as another message has the same id.
	 */
	void duplicate(String uid, boolean faulty) {
		Story story = story(uid);
		story.refused = true;
		check(this.stories.values()
			.stream()
			.anyMatch((other) -> other != story && other.mayHave(story.id)
					&& (faulty || other.sentAt == 0 || !hasEnded(other)
							|| other.endedAt >= story.invoked - LONGEST_REPLY)),
				uid + " is a duplicate, and no other message has its id");
	}

	/**
	 * A send failed, and certainly did nothing.
	 */
	void refused(String uid) {
		story(uid).refused = true;
	}

	/**
	 * A message was cancelled before it was claimed.
	 */
	void cancelled(String uid) {
		Story story = story(uid);
		story.cancelled = true;
	}

	/**
	 * A message may have been cancelled, before or while it is handled.
	 */
	void cancels(String uid) {
		story(uid).mayBeCancelled = true;
	}

	/**
	 * A message is to be due at another time, or may be.
	 * @param fresh its name then
	 */
	void reschedules(String uid, String fresh) {
		Story story = story(uid);
		story.earliest = Long.MIN_VALUE;
		story.isRescheduled = true;
		story.rescheduledAt = ++this.events;
		story.names.add(fresh);
		this.renamed.put(fresh, story.uid);
	}

	/**
	 * A message that was not claimed became due at another time.
	 * @param asked when this was asked for
	 * @param due the time
	 */
	void rescheduled(String uid, long asked, long due) {
		Story story = story(uid);
		if (this.lastJump < asked && story.begun == 0) {
			story.earliest = due;
		}
	}

	void begins(String instance, String uid, long now) {
		Story story = story(uid);
		check(story != null, uid + " is handled, and nobody sent it");
		check(!story.refused || wentBackSince(story.invokedAt),
				uid + " is handled, and its send failed without effect");
		boolean wentBack = wentBackSince(story.invokedAt);
		boolean waited = wentBack && this.elapsed.getAsLong() - story.invoked >= story.delay;
		check(now >= story.earliest || waited, uid + " is handled " + (story.earliest - now) + " ms before its time");
		check(!story.cancelled || wentBack, uid + " is handled, and was cancelled before it was claimed");
		for (Handling other : story.running) {
			check(wentBack || isExcused(other, now), uid + " is handled by " + instance + " while " + other.instance()
					+ " handles it, and no lease ran out");
		}
		for (Handling earlier : story.successes) {
			check(wentBack || isExcused(earlier, now),
					uid + " is handled by " + instance + ", and " + earlier.instance() + " was done with it");
		}
		if (story.failure != null && !wentBack && !isExcused(story.failure, now)) {
			check(now >= story.failedAt + this.backoff || this.lastJump >= story.failedAtEvent
					|| story.rescheduledAt >= story.failedAtEvent,
					uid + " is handled again " + (now - story.failedAt) + " ms after it failed");
		}
		if (story.orderingKey != null && !wentBack) {
			checkOrder(story, now);
		}
		story.begun++;
		story.lostAt = -1;
		story.running.add(new Handling(instance, Math.max(story.invoked, this.elapsed.getAsLong() - LONGEST_REPLY)));
	}

	/**
	 * Returns whether what an instance does with a message may not count: it has lost its
	 * lease, or does not live to say it, or has given the message back.
	 */
	private boolean isExcused(Handling handling, long now) {
		return this.killed.contains(handling.instance()) || this.stopped.contains(handling.instance())
				|| this.leases.ranOut(handling.instance(), handling.claimed(), now);
	}

	private void checkOrder(Story story, long now) {
		for (Story other : this.stories.values()) {
			if (other == story || !story.orderingKey.equals(other.orderingKey) || wentBackSince(other.invokedAt)) {
				continue;
			}
			for (Handling running : other.running) {
				check(isExcused(running, now),
						story.uid + " is handled while " + other.uid + " of its ordering key is");
			}
			boolean earlier = other.sentAt > 0 && other.invokedAt < story.invokedAt && other.sentBefore(story)
					&& !other.delayed && !story.delayed && !other.isRescheduled && !story.isRescheduled;
			check(!earlier || other.done > 0 || other.mayBeCancelled || isDead(other),
					story.uid + " is handled before " + other.uid + " of its ordering key has ended");
		}
	}

	void ends(String instance, String uid, boolean failed, long now) {
		Story story = story(uid);
		Handling handling = story.running.stream()
			.filter((each) -> each.instance().equals(instance))
			.findFirst()
			.orElseThrow();
		story.running.remove(handling);
		if (failed) {
			story.endedAt = this.elapsed.getAsLong();
			story.failed++;
			story.failure = handling;
			story.failedAt = now;
			story.failedAtEvent = ++this.events;
		}
		else {
			story.endedAt = this.elapsed.getAsLong();
			story.done++;
			story.successes.add(handling);
		}
	}

	/**
	 * Returns whether an instance handles a message.
	 */
	boolean handles(String instance, String uid) {
		return story(uid).running.stream().anyMatch((each) -> each.instance().equals(instance));
	}

	void killed(String instance) {
		this.killed.add(instance);
		this.kills.add(this.elapsed.getAsLong());
		for (Story story : this.stories.values()) {
			if (story.running.removeIf((each) -> each.instance().equals(instance))) {
				story.lostAt = this.elapsed.getAsLong();
			}
		}
	}

	/**
	 * An instance begins to stop in good order. It gives back what it still handles at
	 * the end of its time.
	 */
	void stops(String instance) {
		this.stopped.add(instance);
	}

	/**
	 * Checks, while nothing is lost but the instances that are killed, that no message
	 * waits longer than it may, unless it waits for others of its ordering key: those
	 * that such an instance held come again when its lease is over.
	 * @param slack how much later than that
	 */
	void checkLate(long slack) {
		long now = this.elapsed.getAsLong();
		for (Story story : this.stories.values()) {
			boolean waits = story.sentAt > 0 && story.begun == 0 && !story.mayBeCancelled && !story.isRescheduled
					&& !story.refused;
			boolean lost = story.lostAt >= 0 && !story.mayBeCancelled;
			long since = waits ? story.dueByElapsed : story.lostAt;
			if ((waits || lost) && since < now && story.orderingKey == null) {
				long leases = this.kills.stream()
					.filter((kill) -> kill > since - Leases.LEASE.toMillis() - slack)
					.count();
				check(now - since <= slack + leases * (Leases.LEASE.toMillis() + slack), story.uid + " has waited "
						+ (now - since) + " ms since it was due, or since the instance " + "that had it was killed");
			}
		}
	}

	/**
	 * The server goes back in time.
	 * @param to behind which event
	 */
	void wentBack(long to) {
		this.rollbacks.add(new Rollback(to, ++this.events));
	}

	/**
	 * Returns the number of what happened last.
	 */
	long event() {
		return this.events;
	}

	/**
	 * The server's clock jumps. What was due stays due, and what was not answered yet may
	 * be due by the new one.
	 * @param before what the clock was
	 */
	void jumped(long millis, long before) {
		this.lastJump = ++this.events;
		for (Story story : this.stories.values()) {
			if (story.earliest <= before) {
				story.earliest = Long.MIN_VALUE;
			}
			else if (millis < 0 && story.sentAt == 0) {
				story.earliest += millis;
			}
		}
	}

	private boolean wentBackSince(long event) {
		return this.rollbacks.stream().anyMatch((rollback) -> rollback.at() >= event);
	}

	/**
	 * Returns whether no handler runs, and each message that was sent has ended.
	 */
	boolean isOver() {
		return this.stories.values().stream().allMatch((story) -> story.running.isEmpty() && hasEnded(story));
	}

	private boolean hasEnded(Story story) {
		return story.sentAt == 0 || story.done > 0 || story.mayBeCancelled || isDead(story) || isLostByACause(story);
	}

	/**
	 * Returns when a message could be handled at the earliest.
	 */
	long earliest(String uid) {
		return story(uid).earliest;
	}

	int begun(String uid) {
		return story(uid).begun;
	}

	// What holds at the end

	/**
	 * Checks that each message that was sent has ended, or is lost by a cause that the
	 * guarantees name.
	 * @param living the messages that have not ended
	 * @param attempts after how many a message is dead
	 */
	void checkEnd(Set<String> living, boolean faulty, int attempts) {
		check(living.isEmpty(), "messages do not end: " + living);
		for (Story story : this.stories.values()) {
			boolean isDead = isDead(story);
			check(hasEnded(story), story.uid + " is lost: its send was acknowledged, and no handler was done with it");
			check(faulty || !isDead || story.failed == attempts,
					story.uid + " is dead after " + story.failed + " failures");
			check(faulty || story.failed <= attempts, story.uid + " failed " + story.failed + " times");
			check(faulty || story.done <= 1, story.uid + " was handled " + story.done + " times");
		}
	}

	/**
	 * Returns whether the server forgot a message, and its sender could not send it
	 * again, or another message had its id then.
	 */
	private boolean isLostByACause(Story story) {
		boolean forgotten = this.rollbacks.stream().anyMatch((rollback) -> rollback.to() <= story.sentAt);
		return forgotten && (this.killed.contains(story.sender) || story.id != null
				&& this.stories.values().stream().anyMatch((other) -> other != story && other.mayHave(story.id)));
	}

	/**
	 * What is known of a message.
	 */
	private final class Story {

		private final String uid;

		private final String sender;

		private final String orderingKey;

		private final String id;

		private final boolean ordered;

		private final boolean delayed;

		private final long delay;

		private final long invokedAt;

		/**
		 * When it was sent, by the clock that does not jump.
		 */
		private final long invoked;

		private final long dueByElapsed;

		private final List<Handling> successes = new ArrayList<>();

		private final List<Handling> running = new ArrayList<>();

		private long earliest;

		private long sentAt;

		private boolean refused;

		private final List<String> names = new ArrayList<>();

		private boolean mayBeCancelled;

		private boolean isRescheduled;

		private long rescheduledAt;

		private boolean cancelled;

		private Handling failure;

		private long failedAt;

		private long failedAtEvent;

		/**
		 * When the instance that handled it was killed, or -1.
		 */
		private long lostAt = -1;

		/**
		 * When a handler ended it last.
		 */
		private long endedAt;

		private int begun;

		private int failed;

		private int done;

		Story(String sender, NewMessage message, boolean ordered, long now) {
			this.ordered = ordered;
			this.uid = message.uid();
			this.names.add(this.uid);
			this.sender = sender;
			this.orderingKey = (message.keys() != null) ? message.keys().orderingKey() : null;
			this.id = message.id();
			this.delayed = message.delay() != null;
			this.delay = this.delayed ? message.delay().toMillis() : 0;
			this.invoked = History.this.elapsed.getAsLong();
			this.dueByElapsed = this.invoked + this.delay;
			this.invokedAt = ++History.this.events;
			this.earliest = now + this.delay;
		}

		/**
		 * Returns whether it has an id, or may have had it when another message was sent.
		 */
		boolean mayHave(String id) {
			return id != null && id.equals(this.id);
		}

		boolean sentBefore(Story later) {
			return this.sentAt < later.invokedAt || (this.sender.equals(later.sender) && this.ordered && later.ordered);
		}

	}

	/**
	 * A call of a handler.
	 *
	 * @param claimed when its message was claimed at the earliest
	 */
	private record Handling(String instance, long claimed) {
	}

	/**
	 * The server went back.
	 *
	 * @param to behind which event
	 * @param at its own number
	 */
	private record Rollback(long to, long at) {
	}

}
