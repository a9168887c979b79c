package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.redelay.queue.message.NewMessage;

/**
 * What senders and handlers saw of a run, in its order, and whether that is what the page
 * of guarantees promises. It knows that page and nothing of how the scripts keep it.
 * <p>
 * Times are those of the server's clock, in milliseconds.
 */
final class History {

	private final Leases leases;

	private final Map<String, Story> stories = new LinkedHashMap<>();

	private final Set<String> killed = new HashSet<>();

	private final List<Rollback> rollbacks = new ArrayList<>();

	private final Predicate<String> dead;

	private String violation;

	/**
	 * How much has happened: what comes before what is known by its number, as clocks jump.
	 */
	private long events;

	/**
	 * Begins.
	 * @param leases what the requests say of the leases
	 * @param dead whether a message is dead
	 */
	History(Leases leases, Predicate<String> dead) {
		this.leases = leases;
		this.dead = dead;
	}

	/**
	 * Returns what was found first, or {@code null}. A caller that gets it as an exception
	 * may take that for a failure of the handler.
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
	 */
	void sends(String instance, NewMessage message, long now) {
		this.stories.put(message.uid(), new Story(instance, message, now));
	}

	void sent(String uid) {
		this.stories.get(uid).sentAt = ++this.events;
	}

	/**
	 * A send failed, and certainly did nothing.
	 */
	void refused(String uid) {
		this.stories.get(uid).refused = true;
	}

	void begins(String instance, String uid, long now) {
		Story story = this.stories.get(uid);
		check(story != null, uid + " is handled, and nobody sent it");
		check(!story.refused, uid + " is handled, and its send failed without effect");
		check(now >= story.earliest, uid + " is handled " + (story.earliest - now) + " ms before its time");
		boolean wentBack = wentBackSince(story.invokedAt);
		for (Handling other : story.running) {
			check(wentBack || this.leases.ranOut(other.instance(), other.since(), now), uid + " is handled by "
					+ instance + " while " + other.instance() + " handles it, and no lease ran out");
		}
		if (story.orderingKey != null && !wentBack) {
			checkOrder(story, now);
		}
		story.begun++;
		story.running.add(new Handling(instance, now));
	}

	private void checkOrder(Story story, long now) {
		for (Story other : this.stories.values()) {
			if (other == story || !story.orderingKey.equals(other.orderingKey) || wentBackSince(other.invokedAt)) {
				continue;
			}
			for (Handling running : other.running) {
				check(this.leases.ranOut(running.instance(), running.since(), now),
						story.uid + " is handled while " + other.uid + " of its ordering key is");
			}
			boolean earlier = other.sentAt > 0 && other.invokedAt < story.invokedAt && other.sentBefore(story) && !other.delayed
					&& !story.delayed;
			check(!earlier || other.done > 0 || this.dead.test(other.uid),
					story.uid + " is handled before " + other.uid + " of its ordering key has ended");
		}
	}

	void ends(String instance, String uid, boolean failed) {
		Story story = this.stories.get(uid);
		story.running.removeIf((each) -> each.instance().equals(instance));
		if (failed) {
			story.failed++;
		}
		else {
			story.done++;
		}
	}

	void killed(String instance) {
		this.killed.add(instance);
		this.stories.values().forEach((story) -> story.running.removeIf((each) -> each.instance().equals(instance)));
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
		return story.sentAt == 0 || story.done > 0 || this.dead.test(story.uid) || isLostByACause(story);
	}

	/**
	 * Returns when a message could be handled at the earliest.
	 */
	long earliest(String uid) {
		return this.stories.get(uid).earliest;
	}

	int begun(String uid) {
		return this.stories.get(uid).begun;
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
			boolean isDead = this.dead.test(story.uid);
			check(hasEnded(story),
					story.uid + " is lost: its send was acknowledged, and no handler was done with it");
			check(faulty || !isDead || story.failed == attempts, story.uid + " is dead after " + story.failed + " failures");
			check(faulty || story.done <= 1, story.uid + " was handled " + story.done + " times");
		}
	}

	/**
	 * Returns whether the server forgot a message, and its sender could not send it again.
	 */
	private boolean isLostByACause(Story story) {
		return this.rollbacks.stream().anyMatch((rollback) -> rollback.to() <= story.sentAt)
				&& this.killed.contains(story.sender);
	}

	/**
	 * What is known of a message.
	 */
	private final class Story {

		private final String uid;

		private final String sender;

		private final String orderingKey;

		private final boolean delayed;

		private final long invokedAt;

		private final List<Handling> running = new ArrayList<>();

		private long earliest;

		private long sentAt;

		private boolean refused;

		private int begun;

		private int failed;

		private int done;

		Story(String sender, NewMessage message, long now) {
			this.uid = message.uid();
			this.sender = sender;
			this.orderingKey = (message.keys() != null) ? message.keys().orderingKey() : null;
			this.delayed = message.delay() != null;
			this.invokedAt = ++History.this.events;
			this.earliest = now + (this.delayed ? message.delay().toMillis() : 0);
		}

		boolean sentBefore(Story later) {
			return this.sentAt < later.invokedAt || this.sender.equals(later.sender);
		}

	}

	/**
	 * A call of a handler.
	 */
	private record Handling(String instance, long since) {
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
