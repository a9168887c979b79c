package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.StoredLimits;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many messages claims may take by the limits of a listener and by the gates of
 * fairness keys: the part of {@link StoreModel} for what is limited. Rates are known from
 * all that was claimed in the past. What the store rounds, and what it remembers less
 * exactly, leaves room between what a claim may take at most and what it must take.
 */
final class LimitsModel {

	/**
	 * As long as the store may be late with what time allows, in ms.
	 */
	static final long LATE = 3;

	/**
	 * For how long after a change it is not known what the store has counted by the rate
	 * before: as long as the longest windows, with what they may be late.
	 */
	private static final long UNSURE = 15_000;

	/**
	 * What the listener asks for.
	 */
	private final ClaimLimits declared;

	/**
	 * What is set for all instances.
	 */
	private ClaimLimits set = ClaimLimits.NONE;

	private Integer lineLength;

	/**
	 * What holds.
	 */
	private ClaimLimits limits;

	/**
	 * From which claim on the rate holds.
	 */
	private int rateFrom;

	private int keyRateFrom;

	private long unsureUntil;

	private final List<Claim> claims = new ArrayList<>();

	/**
	 * Until when fairness keys wait.
	 */
	private final Map<String, Long> gates = new HashMap<>();

	LimitsModel(ClaimLimits limits) {
		this.declared = limits;
		this.limits = limits;
	}

	LimitsModel copy() {
		LimitsModel copy = new LimitsModel(this.declared);
		copy.set = this.set;
		copy.lineLength = this.lineLength;
		copy.limits = this.limits;
		copy.rateFrom = this.rateFrom;
		copy.keyRateFrom = this.keyRateFrom;
		copy.unsureUntil = this.unsureUntil;
		copy.claims.addAll(this.claims);
		copy.gates.putAll(this.gates);
		return copy;
	}

	void clear() {
		this.claims.clear();
		this.rateFrom = 0;
		this.keyRateFrom = 0;
		this.gates.clear();
		this.set = ClaimLimits.NONE;
		this.lineLength = null;
		this.limits = this.declared;
	}

	/**
	 * Limits are set for all instances, or taken away.
	 * @param words as scripts read them
	 * @return whether anything changed
	 */
	boolean change(String words, long now) {
		StoredLimits before = stored();
		Map<String, String> values = new TreeMap<>();
		for (String word : (LimitWords.of(before) + " " + words).strip().split(" ")) {
			values.put(word.substring(0, word.indexOf('=')), word.substring(word.indexOf('=') + 1));
		}
		values.values().removeIf(LimitWords.NONE::equals);
		StoredLimits after = LimitWords.read(values.entrySet()
			.stream()
			.map((entry) -> LimitWords.word(entry.getKey(), entry.getValue()))
			.collect(Collectors.joining(" ")), values.getOrDefault(LimitWords.LINE, ""), "0 somebody");
		this.set = after.claims();
		this.lineLength = after.lineLength();
		ClaimLimits former = this.limits;
		this.limits = new ClaimLimits(first(this.set.rate(), this.declared.rate()),
				first(this.set.maxInFlight(), this.declared.maxInFlight()),
				first(this.set.keyRate(), this.declared.keyRate()),
				first(this.set.keyMaxInFlight(), this.declared.keyMaxInFlight()), null);
		if (!Objects.equals(former.rate(), this.limits.rate())) {
			this.rateFrom = this.claims.size();
			this.unsureUntil = now + UNSURE;
		}
		if (!Objects.equals(former.keyRate(), this.limits.keyRate())) {
			this.keyRateFrom = this.claims.size();
			this.unsureUntil = now + UNSURE;
		}
		return !stored().equals(before);
	}

	private static <T> T first(T set, T declared) {
		return (set != null) ? set : declared;
	}

	/**
	 * What is set, but for when and by which instance.
	 */
	StoredLimits stored() {
		return new StoredLimits(this.set, this.lineLength, null, null);
	}

	Integer lineLength() {
		return this.lineLength;
	}

	/**
	 * Whether claims may have to leave what is ready.
	 */
	boolean isLimited() {
		return this.limits.isLimited() || !this.gates.isEmpty();
	}

	void close(String key, long till) {
		this.gates.put(key, till);
	}

	void closeLonger(String key, long till) {
		this.gates.merge(key, till, Math::max);
	}

	void open(String key) {
		this.gates.remove(key);
	}

	Set<String> closedKeys(long now) {
		Set<String> closed = new TreeSet<>();
		this.gates.forEach((key, till) -> {
			if (till > now) {
				closed.add(key);
			}
		});
		return closed;
	}

	/**
	 * A message was claimed.
	 * @param key its fairness key, or an empty string
	 * @param now when
	 */
	void claimed(String key, long now) {
		this.claims.add(new Claim(key, now));
		if (this.limits.rate() != null) {
			assertHolds("the queue", this.limits.rate(), times(null), now);
		}
		if (this.limits.keyRate() != null && !key.isEmpty()) {
			assertHolds(key, this.limits.keyRate(), times(key), now);
		}
	}

	private static void assertHolds(String whose, RateLimit rate, List<Long> times, long now) {
		assertThat(times.stream().filter((time) -> time >= now - rate.period().toMillis()).count())
			.as("claimed of %s in the window before %d", whose, now)
			.isLessThanOrEqualTo(rate.count());
	}

	/**
	 * When messages were claimed since the rate holds.
	 */
	private List<Long> times(String key) {
		return this.claims.subList((key != null) ? this.keyRateFrom : this.rateFrom, this.claims.size())
			.stream()
			.filter((claim) -> key == null || claim.key.equals(key))
			.map(Claim::time)
			.toList();
	}

	Rooms rooms(long now, long held, Map<String, Long> heldByKey) {
		return new Rooms(now, held, heldByKey);
	}

	private int queueRoom(long now, long held, boolean sure) {
		int room = Integer.MAX_VALUE;
		if (this.limits.maxInFlight() != null) {
			room = (int) Math.max(0, this.limits.maxInFlight() - held);
		}
		return Math.min(room, allowed(this.limits.rate(), null, now, sure));
	}

	private int keyRoom(String key, long now, long held, boolean sure) {
		if (key.isEmpty()) {
			return Integer.MAX_VALUE;
		}
		if (this.gates.getOrDefault(key, 0L) > now) {
			return 0;
		}
		int room = Integer.MAX_VALUE;
		if (this.limits.keyMaxInFlight() != null) {
			room = (int) Math.max(0, this.limits.keyMaxInFlight() - held);
		}
		return Math.min(room, allowed(this.limits.keyRate(), key, now, sure));
	}

	/**
	 * How many a rate allows.
	 * @param sure whether no more than the store must allow, else as many as it may
	 */
	private int allowed(RateLimit rate, String key, long time, boolean sure) {
		if (rate == null) {
			return Integer.MAX_VALUE;
		}
		if (sure && time < this.unsureUntil) {
			return 0;
		}
		long now = sure ? time - LATE : time;
		double window = rate.period().toMillis();
		List<Long> times = times(key);
		if (rate.bursting()) {
			// What was claimed shortly before something else counts as long as that.
			double since = now - window - (sure ? window / 50 : 0);
			return (int) Math.max(0, rate.count() - times.stream().filter((each) -> each >= since).count());
		}
		double slack = Math.min(window / 25, 1_000);
		double interval = (window + slack) / rate.count();
		double most = slack / interval + 1;
		double tokens = most;
		for (int i = 0; i < times.size(); i++) {
			tokens = Math.min(tokens, most + (now - times.get(i)) / interval - (times.size() - i));
		}
		return (int) Math.max(0, Math.floor(tokens + (sure ? -0.02 : 0.000_001)));
	}

	/**
	 * What claims may take at a time, in all and of each fairness key.
	 */
	final class Rooms {

		private final long now;

		private final Map<String, Long> heldByKey = new HashMap<>();

		private final Map<String, Integer> taken = new HashMap<>();

		private final long held;

		private int takenInAll;

		Rooms(long now, long held, Map<String, Long> heldByKey) {
			this.now = now;
			this.held = held;
			this.heldByKey.putAll(heldByKey);
		}

		int most() {
			return queueRoom(this.now, this.held, false) - this.takenInAll;
		}

		int least() {
			return queueRoom(this.now, this.held, true) - this.takenInAll;
		}

		boolean mayTake(String key) {
			return room(key, false) > 0;
		}

		boolean mustTake(String key) {
			return room(key, true) > 0;
		}

		private long room(String key, boolean sure) {
			return (long) keyRoom(key, this.now, this.heldByKey.getOrDefault(key, 0L), sure)
					- this.taken.getOrDefault(key, 0);
		}

		void take(String key) {
			assertThat(most()).as("room in the queue").isPositive();
			assertThat(mayTake(key)).as("room of the fairness key '%s'", key).isTrue();
			this.takenInAll++;
			this.taken.merge(key, 1, Integer::sum);
		}

		/**
		 * Whether groups are passed over for another reason than that it is not their
		 * turn.
		 */
		boolean limitsKeys() {
			return LimitsModel.this.limits.keyRate() != null || LimitsModel.this.limits.keyMaxInFlight() != null
					|| !LimitsModel.this.gates.isEmpty();
		}

		/**
		 * When the queue has room for sure if nothing happens but that time passes, or
		 * the end of time.
		 */
		long queueFreeAt() {
			return earliest(LimitsModel.this.limits.rate(), 0, (time) -> queueRoom(time, this.held, true) > 0);
		}

		long freeAt(String key) {
			long opens = LimitsModel.this.gates.getOrDefault(key, 0L);
			long free = earliest(LimitsModel.this.limits.keyRate(), opens,
					(time) -> keyRoom(key, time, this.heldByKey.getOrDefault(key, 0L), true) > 0);
			return Math.max(free, queueFreeAt());
		}

		private long earliest(RateLimit rate, long opens, LongPredicate isFree) {
			long from = this.now;
			long to = Math.max(Math.max(this.now, opens), LimitsModel.this.unsureUntil)
					+ ((rate != null) ? 2 * rate.period().toMillis() + 100 : 0);
			if (!isFree.test(to)) {
				return Long.MAX_VALUE;
			}
			while (from < to) {
				long middle = (from + to) / 2;
				if (isFree.test(middle)) {
					to = middle;
				}
				else {
					from = middle + 1;
				}
			}
			return to;
		}

	}

	private record Claim(String key, long time) {

	}

}
