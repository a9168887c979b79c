package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.StoredLimits;

/**
 * What the guide promises of the moments in which messages are claimed: rates, pauses,
 * gates, and the order of priorities and fairness keys. For runs in which no reply is
 * lost, so that those moments are known. Times are those of the server's clock.
 */
final class Claims {

	/**
	 * What is closed while a queue is paused.
	 */
	static final String PAUSE = "paused";

	/**
	 * What a gate of the queue closes; with a fairness key behind it that of the key.
	 */
	static final String GATE = "gate:";

	private final ClaimLimits limits;

	private final Consumer<String> violated;

	private final List<Claim> claims = new ArrayList<>();

	private final Map<String, List<Long>> times = new HashMap<>();

	private final List<Closed> closed = new ArrayList<>();

	/**
	 * The limits that were set, one after the other.
	 */
	private final List<Limited> limited = new ArrayList<>();

	/**
	 * How many commands on what is open and closed are under way.
	 */
	private final Map<String, Integer> commands = new HashMap<>();

	/**
	 * Whether a limit of each key may have been set.
	 */
	private boolean limitsKeys;

	Claims(ClaimLimits limits, Consumer<String> violated) {
		this.limits = limits;
		this.violated = violated;
	}

	/**
	 * A handler begins with a message that was claimed at a time.
	 */
	void claimed(Story story, long at) {
		String key = story.keys.fairnessKey();
		this.claims.add(new Claim(story, at, story.begun == 0));
		if (this.limits.rate() != null) {
			count("the queue", at, this.limits.rate(), this.violated);
		}
		if (this.limits.keyRate() != null && key != null) {
			count("the key " + key, at, this.limits.keyRate(), this.violated);
		}
		for (Limited each : this.limited) {
			if (at > each.from && at < each.until) {
				ClaimLimits claims = each.limits.claims();
				if (claims.rate() != null) {
					count("the queue after " + each.from, at, claims.rate(), this.violated);
				}
				if (claims.keyRate() != null && key != null) {
					count("the key " + key + " after " + each.from, at, claims.keyRate(), this.violated);
				}
			}
		}
		for (Closed each : this.closed) {
			if (at > each.from && at < each.until
					&& (each.what.equals(PAUSE) || each.what.equals(GATE) || each.what.equals(GATE + key))) {
				this.violated.accept(story.uid + " was claimed at " + at + ", while '" + each.what
						+ "' was closed from " + each.from + " to " + each.until);
			}
		}
	}

	/**
	 * A limit is in force, until the next command on it is sent.
	 */
	void limited(String what, StoredLimits limits, long now) {
		this.limitsKeys |= limits.claims().keyRate() != null || limits.claims().keyMaxInFlight() != null;
		if (this.commands.get(what) == 0) {
			this.limited.add(new Limited(what, limits, now));
		}
	}

	/**
	 * Returns the limits that were set, and in force all the time from one time to
	 * another.
	 */
	List<StoredLimits> inForce(long from, long now) {
		return this.limited.stream()
			.filter((each) -> from > each.from && now < each.until)
			.map((each) -> each.limits)
			.toList();
	}

	/**
	 * Counts a message that was claimed at a time.
	 * @param what of what it is one
	 */
	void count(String what, long at, RateLimit rate, Consumer<String> violated) {
		List<Long> all = this.times.computeIfAbsent(what, (each) -> new ArrayList<>());
		int place = Collections.binarySearch(all, at);
		all.add((place < 0) ? -place - 1 : place, at);
		for (int i = rate.count(); i < all.size(); i++) {
			if (all.get(i) - all.get(i - rate.count()) < rate.period().toMillis()) {
				violated.accept((rate.count() + 1) + " messages of " + what + " were claimed within "
						+ (all.get(i) - all.get(i - rate.count())) + " ms, and the rate is " + rate);
			}
		}
	}

	/**
	 * A command that opens or closes something is sent.
	 */
	void commands(String what, long now) {
		this.commands.merge(what, 1, Integer::sum);
		for (Limited each : this.limited) {
			if (each.what.equals(what)) {
				each.until = Math.min(each.until, now);
			}
		}
		for (Closed each : this.closed) {
			if (each.what.equals(what)) {
				each.until = Math.min(each.until, now);
			}
		}
	}

	/**
	 * A command was answered.
	 * @param until until when something is closed now at least, or 0 if it is not closed
	 */
	void commanded(String what, long now, long until) {
		if (this.commands.merge(what, -1, Integer::sum) == 0 && until > now) {
			this.closed.add(new Closed(what, now, until));
		}
	}

	// What holds at the end of a run in which nothing fails

	/**
	 * Checks that a message did not wait behind less urgent ones, and no longer than for
	 * a round of the other keys.
	 * @param promptly whether all messages become ready as soon as they are due
	 */
	void checkOrder(boolean promptly) {
		for (Claim claim : this.claims) {
			Story story = claim.story;
			boolean limited = story.keys.fairnessKey() != null
					&& (this.limitsKeys || this.limits.keyRate() != null || this.limits.keyMaxInFlight() != null);
			if (!claim.first || limited || story.thereAt == 0 || story.orderingKey() != null || story.isRescheduled
					|| story.changes > 0 || story.replays > 0 || story.deduplication != null
					|| (story.delayed && !promptly)) {
				continue;
			}
			long ready = story.thereAt + (story.delayed ? story.delay + 2 : 0);
			if (claim.at > ready) {
				checkPriority(claim, ready);
				checkTurns(claim, ready);
			}
		}
	}

	private void checkPriority(Claim claim, long ready) {
		for (Claim other : this.claims) {
			if (other.first && other.at > ready && other.at < claim.at && other.priority() < claim.priority()) {
				this.violated.accept(claim.story.uid + " of the priority " + claim.priority() + " was ready at " + ready
						+ " and claimed at " + claim.at + ", and " + other.story.uid + " of the priority "
						+ other.priority() + " at " + other.at);
			}
		}
	}

	private void checkTurns(Claim claim, long ready) {
		Map<String, Integer> turns = new HashMap<>();
		Map<String, Integer> weights = new HashMap<>();
		for (Claim other : this.claims) {
			String key = String.valueOf(other.story.keys.fairnessKey());
			weights.merge(key, other.story.keys.weight(), Math::max);
			if (other.at > ready && other.at < claim.at && other.priority() == claim.priority()
					&& other.story.orderingKey() == null) {
				turns.merge(key, 1, Integer::sum);
			}
		}
		String own = String.valueOf(claim.story.keys.fairnessKey());
		int rounds = 2 + turns.getOrDefault(own, 0);
		turns.forEach((key, count) -> {
			if (!key.equals(own) && count > rounds * Objects.requireNonNull(weights.get(key))) {
				this.violated.accept(claim.story.uid + " of the key " + own + " was ready at " + ready
						+ " and claimed at " + claim.at + ", and " + count + " messages of the key " + key + " before");
			}
		});
	}

	/**
	 * A message that was claimed and handled.
	 *
	 * @param first whether it was handled for the first time
	 */
	private record Claim(Story story, long at, boolean first) {

		int priority() {
			return (this.story.keys.priority() != null) ? this.story.keys.priority() : MessageKeys.DEFAULT_PRIORITY;
		}

	}

	/**
	 * A time in which a limit is in force that was set.
	 */
	private static final class Limited {

		private final String what;

		private final StoredLimits limits;

		private final long from;

		private long until = Long.MAX_VALUE;

		Limited(String what, StoredLimits limits, long from) {
			this.what = what;
			this.limits = limits;
			this.from = from;
		}

	}

	/**
	 * A time in which nothing is claimed.
	 */
	private static final class Closed {

		private final String what;

		private final long from;

		private long until;

		Closed(String what, long from, long until) {
			this.what = what;
			this.from = from;
			this.until = until;
		}

	}

}
