package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.redelay.queue.Deduplication;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.simulation.Story.Handling;

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

	/**
	 * How many milliseconds after the end of its handler a message is acknowledged at
	 * most, where no request is lost or late.
	 */
	private static final long LONGEST_ACKNOWLEDGEMENT = 100;

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

	/**
	 * Until when an instance stood still, by the clock that does not jump.
	 */
	private final Map<String, Long> stoodStill = new HashMap<>();

	private final Predicate<Story> dead;

	private final LongSupplier elapsed;

	private final Terms terms;

	private final Claims claims;

	private final Deduplicated deduplicated;

	/**
	 * What may change messages that are sent now.
	 */
	private final List<Consumer<Story>> changes = new ArrayList<>();

	/**
	 * When the last tick was handled first.
	 */
	private long lastTick;

	private long lastJump;

	/**
	 * The latest time of the server's clock from which it jumped.
	 */
	private long latest;

	/**
	 * The number of the event by which an instance repaired last what the server had
	 * forgotten.
	 */
	private long repaired;

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
	 * @param terms what the listeners have declared
	 */
	History(Leases leases, Predicate<Story> dead, LongSupplier elapsed, Terms terms) {
		this.leases = leases;
		this.dead = dead;
		this.elapsed = elapsed;
		this.terms = terms;
		this.claims = new Claims(terms.limits(), this::violated);
		this.deduplicated = new Deduplicated(
				this.stories.values(), (story) -> story.mayBeCancelled || story.mayExpire() || isDead(story)
						|| story.failed > 0 || wentBackSince(story.invokedAt) || this.lastJump >= story.invokedAt,
				this::violated);
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
	void sends(String instance, Messages.Sending sending, boolean ordered, long now) {
		Story story = new Story(instance, sending, ordered,
				new Story.Sent(++this.events, this.elapsed.getAsLong(), now));
		if (story.waitsForOthers()) {
			// Others may be due before: those that it joins, and those that fill it.
			story.earliest = Long.MIN_VALUE;
		}
		this.stories.put(story.uid, story);
		this.changes.forEach((change) -> change.accept(story));
	}

	/**
	 * Something begins that may change messages: those that are known, and those that are
	 * sent until it has.
	 * @param change notes it of a message
	 * @return to be run when it has, or will not any more
	 */
	Runnable changes(Consumer<Story> change) {
		this.stories.values().forEach(change);
		this.changes.add(change);
		return () -> this.changes.remove(change);
	}

	/**
	 * Returns all that is known of messages.
	 */
	Collection<Story> stories() {
		return this.stories.values();
	}

	/**
	 * The handler of a message sends another one with its acknowledgement.
	 */
	void sendsNext(String instance, String uid, Messages.Sending sending, long now) {
		sends(instance, sending, false, now);
		Story next = story(sending.uid());
		next.previous = story(uid);
		next.previous.next.add(next);
		next.previous.stepping.add(instance);
		next.relayed = true;
	}

	/**
	 * The message of a tick is handled.
	 * @param most how many ticks there are
	 */
	void ticks(String uid, long tick, int most) {
		if (!this.stories.containsKey(uid)) {
			sends("nobody", Messages.ofTick(uid), false, tick);
			// It was there before, and may have been due before a jump.
			Story story = story(uid);
			story.relayed = true;
			story.thereSince = this.lastTick;
			this.lastTick = this.events;
			story.earliest = (tick <= this.latest) ? Long.MIN_VALUE : tick;
			check(ticks() <= most || !this.rollbacks.isEmpty(), ticks() + " ticks are handled, and there are " + most);
		}
	}

	/**
	 * Returns how many ticks were handled.
	 */
	long ticks() {
		return this.stories.keySet().stream().filter((uid) -> Messages.tick(uid) >= 0).count();
	}

	/**
	 * Messages are added to a bundle.
	 * @param callback the message that is sent when they have ended
	 */
	void sendsInBundle(String instance, String callback, List<Messages.Sending> added, long now) {
		Story whole = story(callback);
		whole.relayed = true;
		List<Story> members = new ArrayList<>(whole.members);
		added.forEach((sending) -> {
			sends(instance, sending, false, now);
			Story member = story(sending.uid());
			member.relayed = true;
			members.add(member);
		});
		whole.members = members;
	}

	/**
	 * A message that may come to its queue later was taken.
	 */
	void taken(String uid) {
		story(uid).sentAt = ++this.events;
	}

	/**
	 * The callback of a bundle is handled.
	 */
	void calledBack(String uid, BundleSummary summary) {
		Story whole = story(uid);
		int counted = summary.acknowledged() + summary.dead() + summary.cancelled() + summary.purged()
				+ summary.expired() + summary.dropped() + summary.replaced() + summary.duplicate()
				+ summary.unaccounted();
		check(counted == summary.total(), uid + " counts " + counted + " of " + summary.total());
		if (wentBackSince(whole.invokedAt)) {
			return;
		}
		List<Story> members = whole.members.stream().filter((each) -> each.sentAt > 0).toList();
		members.forEach((each) -> check(hasEnded(each), uid + " is called back, and " + each.uid + " has not ended"));
		check(summary.total() >= members.size() && summary.total() <= whole.members.size(), uid + " had "
				+ members.size() + " to " + whole.members.size() + " messages, and counts " + summary.total());
		check(summary.unaccounted() == 0, uid + " does not know of " + summary.unaccounted() + " messages");
		if (this.terms.strict() && members.size() == whole.members.size()) {
			long dead = members.stream().filter(this::isDead).count();
			long done = members.stream().filter((each) -> each.done > 0).count();
			check(summary.dead() == dead, uid + " counts " + summary.dead() + " dead messages, and there are " + dead);
			check(summary.acknowledged() == done || !this.kills.isEmpty(),
					uid + " counts " + summary.acknowledged() + " handled messages, and there are " + done);
		}
	}

	Story story(String uid) {
		return this.stories.get(this.renamed.getOrDefault(uid, uid));
	}

	private boolean isDead(Story story) {
		return this.dead.test(story);
	}

	/**
	 * A send was acknowledged, and added the message.
	 * @param there when it was there at the latest, by the clock of the server
	 */
	void sent(String uid, long there) {
		Story story = story(uid);
		acknowledged(story, there);
		for (Story other : this.stories.values()) {
			if (other != story && other.has(story.id) && other.sentAt > 0 && other.sentAt < story.invokedAt) {
				check(hasEnded(other) || other.redrives > 0 || wentBackSince(other.invokedAt),
						uid + " was added while " + other.uid + " with the same id lived");
			}
		}
		this.deduplicated.added(story);
		if (this.terms.strict() && story.orderingKey() != null && !story.delayed && !story.relayed) {
			this.claims.inForce(story.sentBy, there).forEach((limits) -> checkLine(story, limits.lineLength()));
		}
		if (story.previous != null) {
			check(story.previous.next.stream().filter((each) -> each.sentAt > 0).count() == 1
					|| wentBackSince(story.previous.invokedAt),
					uid + " is not the only message that was sent with an acknowledgement of " + story.previous.uid);
		}
	}

	/**
	 * Checks that the line of an ordering key was not full when a message was added.
	 */
	private void checkLine(Story story, Integer longest) {
		long before = this.stories.values()
			.stream()
			.filter((other) -> story.orderingKey().equals(other.orderingKey()) && other.sentAt > 0
					&& other.sentAt < story.invokedAt && other.begun == 0 && !other.delayed && !other.relayed
					&& !other.isRescheduled && !hasEnded(other))
			.count();
		check(longest == null || before < longest, story.uid + " was added to a line of " + before
				+ " messages that none has begun with, and the longest is " + longest);
	}

	private void acknowledged(Story story, long there) {
		story.sentAt = ++this.events;
		story.thereAt = there;
	}

	/**
	 * A send was acknowledged, and the message took the place of another one, or its
	 * payload was added to it.
	 * @param other the name of the other one
	 */
	void joined(String uid, String other, long there) {
		Story story = story(uid);
		acknowledged(story, there);
		Story joined = story(other);
		check(joined != null, uid + " joined " + other + ", which nobody sent");
		if (joined != null) {
			this.deduplicated.joined(story, joined, wentBackSince(joined.invokedAt));
		}
	}

	/**
	 * A send was acknowledged, and added nothing, as another message has the same id or
	 * key.
	 */
	void duplicate(String uid, boolean faulty) {
		Story story = story(uid);
		story.refused = true;
		if (story.deduplication instanceof Deduplication.FirstWins) {
			this.deduplicated.duplicate(story, faulty);
			return;
		}
		check(this.stories.values()
			.stream()
			.anyMatch((other) -> other != story && other.has(story.id)
					&& (faulty || other.sentAt == 0 || other.mayComeBack() || !hasEnded(other)
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
		story.reschedules++;
		story.rescheduledAt = ++this.events;
		story.names.add(fresh);
		this.renamed.put(fresh, story.uid);
	}

	/**
	 * A message that was not claimed became due at another time. Of several commands any
	 * may have been the last one.
	 * @param asked when this was asked for
	 * @param due the time
	 */
	void rescheduled(String uid, long asked, long due) {
		Story story = story(uid);
		story.rescheduledAt = ++this.events;
		if (this.lastJump < asked && story.begun == 0 && story.reschedules == 1) {
			story.earliest = due;
		}
	}

	/**
	 * A handler begins.
	 * @param uids the messages that it gets as one
	 * @param claimed when they were claimed, as far as the reply says
	 */
	void begins(String instance, List<String> uids, long claimed, long now) {
		List<Story> together = uids.stream().map(this::story).toList();
		check(together.stream().allMatch(Objects::nonNull), uids + " are handled, and nobody sent them");
		Story first = together.get(0);
		if (first.deduplication instanceof Deduplication.Aggregate) {
			this.deduplicated.gathered(together, now,
					this.lastJump >= first.invokedAt || wentBackSince(first.invokedAt) || first.begun > 0);
		}
		if (this.terms.strict()) {
			this.claims.claimed(first, claimed);
			if (this.terms.shared() != null) {
				this.terms.shared().claimed(claimed, this::violated);
			}
			this.deduplicated.notReplaced(first, claimed);
			this.claims.inForce(claimed, now).forEach((limits) -> checkInFlight(first, limits.claims(), now));
		}
		if (this.terms.shared() != null && this.rollbacks.isEmpty()) {
			this.terms.shared().begins(first, now, this::violated);
		}
		checkInFlight(first, this.terms.limits(), now);
		together.forEach((story) -> {
			story.first = first;
			begins(instance, story, now);
		});
	}

	private void checkInFlight(Story story, ClaimLimits limits, long now) {
		String key = story.keys.fairnessKey();
		if (!this.rollbacks.isEmpty()) {
			return;
		}
		if (limits.maxInFlight() != null) {
			long running = inFlight((each) -> true, now);
			check(running < limits.maxInFlight(),
					story.uid + " is handled beside " + running + " others, and the limit is " + limits.maxInFlight());
		}
		if (limits.keyMaxInFlight() != null && key != null) {
			long running = inFlight((each) -> key.equals(each.keys.fairnessKey()), now);
			check(running < limits.keyMaxInFlight(), story.uid + " is handled beside " + running
					+ " others of the key, and the limit is " + limits.keyMaxInFlight());
		}
	}

	long inFlight(Predicate<Story> which, long now) {
		return this.stories.values()
			.stream()
			.filter((each) -> which.test(each)
					&& !(each.joined != null && each.deduplication instanceof Deduplication.Aggregate))
			.flatMap((each) -> each.running.stream())
			.filter((each) -> !isExcused(each, now))
			.count();
	}

	private void begins(String instance, Story story, long now) {
		String uid = story.uid;
		boolean wentBack = wentBackSince(story.thereSince);
		// What is published is kept also where a group did not get it, or had its id.
		check(!story.refused || wentBack || story.replays > 0, uid + " is handled, and its send failed without effect");
		boolean waited = wentBack && this.elapsed.getAsLong() - story.invoked >= story.delay;
		check(now >= story.earliest || waited, uid + " is handled " + (story.earliest - now) + " ms before its time");
		check(!story.cancelled || wentBack, uid + " is handled, and was cancelled before it was claimed");
		check(story.replacedBy == null || wentBack || this.leases.ranOut(instance, story.invoked, now),
				uid + " is handled, and " + ((story.replacedBy != null) ? story.replacedBy.uid : "") + " replaced it");
		checkLifetime(instance, story, now);
		for (Handling other : story.running) {
			check(wentBack || isExcused(other, now), uid + " is handled by " + instance + " while " + other.instance()
					+ " handles it, and no lease ran out");
		}
		List<Handling> earlier = story.successes.stream().filter((each) -> !isExcused(each, now)).toList();
		// An instance does not know that the clock of the server ended its lease early.
		boolean ended = this.lastJump >= story.invokedAt && this.leases.ranOut(instance, story.invoked, now);
		check(wentBack || ended || earlier.size() <= story.replays, uid + " is handled by " + instance + ", and "
				+ earlier.stream().map(Handling::instance).toList() + " was done with it");
		if (story.failure != null && story.changes == 0 && story.replays == 0 && !wentBack
				&& !isExcused(story.failure, now)) {
			check(now >= story.failedAt + this.terms.backoff() || this.lastJump >= story.failedAtEvent
					|| story.rescheduledAt >= story.failedAtEvent,
					uid + " is handled again " + (now - story.failedAt) + " ms after it failed");
		}
		if (story.orderingKey() != null && !wentBack) {
			checkOrder(story, now);
		}
		if (story.previous != null) {
			check(wentBackSince(story.previous.invokedAt)
					|| story.previous.next.stream().allMatch((each) -> each == story || each.begun == 0),
					uid + " is handled, and another message was sent with another acknowledgement of "
							+ story.previous.uid);
		}
		story.begun++;
		story.beganAt.add(now);
		story.lostAt = -1;
		story.stepping.remove(instance);
		story.running.add(new Handling(instance, Math.max(story.invoked, this.elapsed.getAsLong() - LONGEST_REPLY)));
	}

	private void checkLifetime(String instance, Story story, long now) {
		// A claim that Redis has answered while the instance stood still is taken for a
		// new one.
		boolean slept = this.elapsed.getAsLong() <= this.stoodStill.getOrDefault(instance, -LONGEST_REPLY)
				+ LONGEST_REPLY;
		if (!slept && story.mayExpire() && story.thereAt > 0 && !story.relayed && this.lastJump < story.invokedAt
				&& !wentBackSince(story.invokedAt) && !story.isRescheduled && !story.mayComeBack()) {
			long last = story.lastBegin(story.thereAt) + (this.terms.strict() ? 20 : LONGEST_REPLY);
			check(now < last, story.uid + " is handled " + (now - last) + " ms after its time was over");
		}
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
			if (other == story || !story.orderingKey().equals(other.orderingKey()) || wentBackSince(other.invokedAt)) {
				continue;
			}
			for (Handling running : other.running) {
				check(isExcused(running, now),
						story.uid + " is handled while " + other.uid + " of its ordering key is");
			}
			boolean earlier = other.sentAt > 0 && other.invokedAt < story.invokedAt && other.sentBefore(story)
					&& !other.delayed && !story.delayed && !other.isRescheduled && !story.isRescheduled
					&& other.redrives == 0 && !(story.mayComeBack() && (story.begun > 0 || story.refused));
			check(!earlier || this.repaired >= other.invokedAt || other.done > 0 || other.mayBeCancelled
					|| isDead(other) || mayHaveExpired(other),
					story.uid + " is handled before " + other.uid + " of its ordering key has ended");
		}
	}

	/**
	 * A handler ends.
	 */
	void ends(String instance, List<String> uids, Ending ending, long now) {
		uids.forEach((uid) -> ends(instance, story(uid), ending, now));
	}

	private void ends(String instance, Story story, Ending ending, long now) {
		Handling handling = story.running.stream()
			.filter((each) -> each.instance().equals(instance))
			.findFirst()
			.orElseThrow();
		story.running.remove(handling);
		story.endedAt = this.elapsed.getAsLong();
		boolean stepped = story.stepping.remove(instance);
		switch (ending) {
			case FAILED -> {
				story.failed++;
				story.failure = handling;
				story.failedAt = now;
				story.failedAtEvent = ++this.events;
			}
			case DONE -> {
				story.done++;
				story.doneWithNext += stepped ? 1 : 0;
				story.successes.add(handling);
			}
			default -> {
			}
		}
	}

	/**
	 * A handler saves a checkpoint, the next number.
	 */
	int saves(String uid) {
		return ++story(uid).checkpoints;
	}

	/**
	 * A checkpoint was saved.
	 */
	void saved(String uid, int checkpoint) {
		Story story = story(uid);
		story.checkpoint = Math.max(story.checkpoint, checkpoint);
	}

	/**
	 * A handler reads the checkpoint.
	 */
	void reads(String uid, int checkpoint) {
		Story story = story(uid);
		check(checkpoint <= story.checkpoints, uid + " has the checkpoint " + checkpoint + ", which nobody saved");
		check(checkpoint >= story.checkpoint || wentBackSince(story.invokedAt) || story.isRescheduled
				|| story.replays > 0,
				uid + " has the checkpoint " + checkpoint + ", and " + story.checkpoint + " was saved");
	}

	void killed(String instance) {
		this.killed.add(instance);
		this.kills.add(this.elapsed.getAsLong());
		for (Story story : this.stories.values()) {
			if (story.running.removeIf((each) -> each.instance().equals(instance))) {
				story.lostAt = this.elapsed.getAsLong();
			}
			if (story.doneLastBy(instance) && this.elapsed.getAsLong() - story.endedAt <= LONGEST_ACKNOWLEDGEMENT) {
				story.unacknowledged++;
			}
		}
	}

	/**
	 * An instance stands still.
	 */
	void standsStill(String instance, long millis) {
		this.stoodStill.put(instance, this.elapsed.getAsLong() + millis);
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
					&& !story.refused && !story.waitsForOthers() && !story.mayExpire() && !story.relayed
					&& !story.mayBeBuried && !this.terms.once();
			boolean lost = story.lostAt >= 0 && !story.mayBeCancelled && !story.mayExpire() && !this.terms.once();
			long since = waits ? story.dueByElapsed : story.lostAt;
			if ((waits || lost) && since < now && story.orderingKey() == null) {
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
	 * An instance noticed that the server went back, and repeats what that has forgotten.
	 */
	void repairs() {
		this.repaired = ++this.events;
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
		this.latest = Math.max(this.latest, before);
		for (Story story : this.stories.values()) {
			if (story.earliest <= before) {
				story.earliest = Long.MIN_VALUE;
			}
			else if (millis < 0 && story.sentAt == 0) {
				story.earliest += millis;
			}
		}
	}

	/**
	 * Returns whether the server went back since an event.
	 */
	boolean wentBackSince(long event) {
		return this.rollbacks.stream().anyMatch((rollback) -> rollback.at() >= event);
	}

	/**
	 * Returns whether no handler runs, and each message that was sent has ended.
	 */
	boolean isOver() {
		return this.stories.values().stream().allMatch((story) -> story.running.isEmpty() && hasEnded(story));
	}

	private boolean hasEnded(Story story) {
		return story.sentAt == 0 || story.done > 0 || story.mayBeCancelled || isDead(story) || isLostByACause(story)
				|| this.deduplicated.mayBeReplaced(story) || mayHaveExpired(story) || isDoneByAnother(story)
				|| (story.mayBeLeftOut && wentBackSince(story.invokedAt));
	}

	/**
	 * Returns whether another message with its idempotency key was handled.
	 */
	private boolean isDoneByAnother(Story story) {
		String key = this.terms.once() ? Messages.idempotencyKey(story.uid) : story.uid;
		return !key.equals(story.uid) && this.stories.values()
			.stream()
			.anyMatch((other) -> other.done > 0 && Messages.idempotencyKey(other.uid).equals(key));
	}

	/**
	 * Returns whether nothing is kept of a message as its time is over, or may be.
	 */
	private boolean mayHaveExpired(Story story) {
		// It ends at once where its next attempt would come too late.
		long pause = (story.failed > 0) ? 2 * this.terms.backoff() : 0;
		return story.dropped && story.mayExpire() && (story.isRescheduled || this.lastJump >= story.invokedAt
				|| story.lastBegin(story.invoked) <= this.elapsed.getAsLong() + pause);
	}

	/**
	 * A command on what is open and closed is sent.
	 * @param what which pause or gate
	 */
	void commands(String what, long now) {
		this.claims.commands(what, now);
	}

	/**
	 * A command on what is open and closed was answered.
	 * @param until until when it is closed at least, or 0 if it is open
	 */
	void commanded(String what, long now, long until) {
		this.claims.commanded(what, now, until);
	}

	/**
	 * A limit was set by a command, which was answered.
	 */
	void limited(String what, StoredLimits limits, long now) {
		this.claims.limited(what, limits, now);
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
			int lives = 1 + story.redrives + story.replays;
			// A failure does not count whose instance is killed before it has reported
			// it.
			int lost = this.kills.size();
			boolean usedUp = story.failed > 0 && (story.failed % attempts <= lost || story.replays > 0);
			check(faulty || !isDead || usedUp || story.mayExpire() || story.mayBeBuried,
					story.uid + " is dead after " + story.failed + " failures");
			check(faulty || story.failed <= attempts * lives + lost, story.uid + " failed " + story.failed + " times");
			check(faulty || story.done <= 1 + story.replays + story.unacknowledged,
					story.uid + " was handled " + story.done + " times");
			// Else it may have ended by something else than the acknowledgement.
			boolean acknowledged = story.done > 0 && !story.mayExpire() && !story.mayBeCancelled && !isDead;
			check(!acknowledged || story.doneWithNext < story.done
					|| story.next.stream().anyMatch((next) -> next.begun > 0 || next.mayBeCancelled || isDead(next))
					|| wentBackSince(story.invokedAt),
					story.uid + " was acknowledged, and none of the messages that were to be sent with that: "
							+ story.next.stream().map((next) -> next.uid).toList());
		}
	}

	/**
	 * Checks, where nothing fails, what messages wait for.
	 * @param slack how late a message is handled at most if it waits for nothing
	 * @param promptly whether all messages become ready as soon as they are due
	 * @param ordered whether what is claimed is handled, and not given back
	 */
	void checkWaits(long slack, boolean free, boolean promptly, boolean ordered) {
		if (ordered) {
			this.claims.checkOrder(promptly);
		}
		for (Story story : this.stories.values()) {
			if (free && story.sentAt > 0 && !story.relayed && story.mayExpire() && !story.refused && story.begun == 0
					&& !story.mayBeCancelled) {
				long time = story.lastBegin(story.sentBy) - story.sentBy - story.delay;
				check(time <= slack, story.uid + " was not handled, although there were " + time + " ms for it");
			}
		}
	}

	/**
	 * Returns whether the server forgot a message, and its sender could not send it
	 * again, or another message had its id then.
	 */
	private boolean isLostByACause(Story story) {
		boolean forgotten = this.rollbacks.stream().anyMatch((rollback) -> rollback.to() <= story.sentAt);
		// A message that comes again sends its next step again, unless its time is over.
		Story previous = story.previous;
		boolean comesAgain = previous != null
				&& (previous.begun > 1 || previous.mayExpire() || previous.mayBeCancelled);
		return forgotten && (comesAgain || this.killed.contains(story.sender)
				|| this.stories.values()
					.stream()
					.anyMatch((other) -> other != story && (other.has(story.id) || other.hasKeyOf(story))));
	}

	/**
	 * How a handler ended.
	 */
	enum Ending {

		DONE, FAILED,

		/**
		 * Its message is to come again, and it is no failure, or it was too late.
		 */
		NEITHER

	}

	/**
	 * What the listeners have declared.
	 *
	 * @param backoff how many milliseconds a message waits at least for its next attempt
	 * @param shared the limit that the queue shares with others, or {@code null}
	 * @param once whether a handler succeeds once for each idempotency key
	 * @param strict whether no request or reply is lost or late, so that a handler begins
	 * soon after its message was claimed
	 */
	record Terms(long backoff, ClaimLimits limits, SharedLimit shared, boolean once, boolean strict) {
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
