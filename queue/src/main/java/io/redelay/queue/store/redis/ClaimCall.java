package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.store.ClaimLimits;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.Completion;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.LimitWords;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.MoveListener;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * The keys, the arguments and the reply of the script that settles and claims messages.
 */
final class ClaimCall {

	private static final String SHARED_RATE = "s";

	private static final String SHARED_IN_FLIGHT = "sm";

	private final QueueKeys keys;

	private final ClaimRequest request;

	private final String wakePrefix;

	private final @Nullable SharedLimitKeys shared;

	/**
	 * The completions of acknowledgements; usually {@code null}, for none.
	 */
	private final @Nullable CompletionCall completion;

	private final String asked;

	/**
	 * Creates a call.
	 * @param shared the keys of a limit that several queues share, if there is one
	 * @param keysOf the keys of any queue
	 * @param clustered whether only queues of the same slot can be reached
	 * @param moves the listener to moves and to changes of the queue
	 */
	ClaimCall(QueueKeys keys, ClaimRequest request, String wakePrefix, @Nullable SharedLimitKeys shared,
			Function<String, QueueKeys> keysOf, boolean clustered, MoveListener moves) {
		this.keys = keys;
		this.asked = asked(moves);
		this.request = request;
		this.wakePrefix = wakePrefix;
		this.shared = shared;
		this.completion = completes(request)
				? new CompletionCall(keys, keysOf, clustered, request.settlements(), indexed().size() + 1) : null;
	}

	/**
	 * Returns whether an acknowledgement of a request has a completion, for which the
	 * script needs keys that a plain queue does not use.
	 */
	static boolean completes(ClaimRequest request) {
		for (Settlement settlement : request.settlements()) {
			if (settlement.completion() != null) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the keys of the script.
	 * @param indexed whether to include the keys that a plain queue does not use
	 */
	List<Object> keys(boolean indexed) {
		if (!indexed) {
			return List.of((Object[]) plain());
		}
		List<Object> all = indexed();
		if (this.completion != null) {
			all.addAll(this.completion.keys());
		}
		return all;
	}

	private List<Object> indexed() {
		List<Object> all = this.keys.withIndex(plain());
		if (this.shared != null) {
			all.addAll(this.shared.all());
		}
		return all;
	}

	private String[] plain() {
		return new String[] { this.keys.messages(), this.keys.ready(), this.keys.suspects(), this.keys.scheduled(),
				this.keys.held(), this.keys.lanes(), this.keys.tries(), this.keys.dead(), this.keys.deadMessages(),
				this.keys.ids(), this.keys.sleepers(), this.keys.meta(), this.keys.cancelled(), this.keys.history(),
				this.keys.past(), this.keys.expiries() };
	}

	Object[] args() {
		List<Object> args = new ArrayList<>(
				List.of(this.request.lane(), Long.toString(this.request.seq()), ScriptTime.millis(this.request.lease()),
						Integer.toString(this.request.wanted()), maxBytes(), flags(), sleep(), this.wakePrefix));
		args.add(acknowledged(this.request.settlements()));
		for (Settlement settlement : this.request.settlements()) {
			if (settlement.action() != Settlement.Action.ACK) {
				args.add((settlement.trace() != null)
						? settlement.action().verb() + ScriptWords.TRACE + settlement.trace()
						: settlement.action().verb());
				args.add(settlement.uid());
				args.add(Long.toString(settlement.claim()));
				args.add(ScriptTime.millis(settlement.delay()));
				Completion together = settlement.completion();
				args.add((together != null && this.completion != null) ? this.completion.text(together)
						: settlement.cause());
			}
		}
		return args.toArray();
	}

	private String sleep() {
		String sleep = ScriptTime.millis(this.request.sleep());
		Instant failedDue = this.request.failedDue();
		return (failedDue != null && !this.request.sleep().isZero()) ? sleep + " " + failedDue.toEpochMilli() : sleep;
	}

	private String maxBytes() {
		String bytes = Integer.toString(this.request.maxBytes());
		return this.asked.isEmpty() ? bytes : bytes + this.asked;
	}

	private static String asked(MoveListener moves) {
		if (moves.isListeningToQueues()) {
			return moves.isListening() ? ScriptWords.ASKS_BOTH : ScriptWords.ASKS_DRAINED;
		}
		return moves.isListening() ? ScriptWords.ASKS_MOVES : "";
	}

	/**
	 * Returns the flag of whether a suspect may be claimed, and behind it the limits, if
	 * there are any.
	 */
	private String flags() {
		String suspect = ScriptWords.flag(this.request.suspect());
		ClaimLimits limits = this.request.limits();
		if (!limits.isLimited()) {
			return suspect;
		}
		StringBuilder words = new StringBuilder(suspect);
		addRate(words, LimitWords.RATE, limits.rate());
		add(words, LimitWords.IN_FLIGHT, limits.maxInFlight());
		addRate(words, LimitWords.KEY_RATE, limits.keyRate());
		add(words, LimitWords.KEY_IN_FLIGHT, limits.keyMaxInFlight());
		ClaimLimits.Shared shared = limits.shared();
		if (shared != null) {
			addRate(words, SHARED_RATE, shared.rate());
			add(words, SHARED_IN_FLIGHT, shared.maxInFlight());
		}
		return words.toString();
	}

	private static void addRate(StringBuilder words, String name, @Nullable RateLimit rate) {
		add(words, name, (rate != null) ? LimitWords.rate(rate) : null);
	}

	private static void add(StringBuilder words, String name, @Nullable Object value) {
		if (value != null) {
			words.append(' ').append(LimitWords.word(name, value));
		}
	}

	/**
	 * Returns the acknowledgements as one argument: most settlements are
	 * acknowledgements, and each argument costs time.
	 */
	private static String acknowledged(List<Settlement> settlements) {
		StringBuilder words = new StringBuilder();
		long claim = -1;
		for (Settlement settlement : settlements) {
			if (settlement.action() == Settlement.Action.ACK) {
				if (settlement.claim() != claim) {
					claim = settlement.claim();
					words.append(ScriptWords.CLAIM).append(claim).append(' ');
				}
				words.append(settlement.uid()).append(' ');
			}
		}
		return words.toString();
	}

	/**
	 * Reads the reply of the script; {@code null} if it did nothing because it lacked the
	 * keys that a plain queue does not use.
	 */
	static @Nullable ClaimReply reply(Reply reply, long seq) {
		Reply first = reply.words();
		String word = first.text();
		if (word.equals(ScriptWords.KEYED)) {
			return null;
		}
		LaneStatus status = LaneStatus.valueOf(word);
		if (status != LaneStatus.OK) {
			Instant time = first.hasNext() ? first.time() : Instant.EPOCH;
			return new ClaimReply(status, time, null, Set.of(), List.of(), first.hasNext() ? first.number() : 0);
		}
		Instant time = first.time();
		long next = first.number();
		Set<String> refused = new HashSet<>();
		ClaimLimits.Kind limitedBy = null;
		boolean limited = false;
		boolean hasNotes = false;
		boolean drained = false;
		List<String> ready = new ArrayList<>();
		List<String> cameBack = new ArrayList<>();
		Set<String> cancelled = new HashSet<>();
		while (first.hasNext()) {
			String uid = first.text();
			if (uid.equals(ScriptWords.NOTES)) {
				hasNotes = true;
			}
			else if (uid.equals(ScriptWords.LIMITS)) {
				limited = true;
			}
			else if (uid.equals(ScriptWords.DRAINED)) {
				drained = true;
			}
			else if (uid.startsWith(ScriptWords.LIMITED)) {
				limitedBy = limit(uid.substring(ScriptWords.LIMITED.length()));
			}
			else if (uid.startsWith(ScriptWords.BECAME_READY)) {
				ready.add(uid.substring(ScriptWords.BECAME_READY.length()));
			}
			else if (uid.startsWith(ScriptWords.CAME_BACK)) {
				cameBack.add(uid.substring(ScriptWords.CAME_BACK.length()));
			}
			else if (uid.startsWith(ScriptWords.WAS_CANCELLED)) {
				cancelled.add(uid.substring(ScriptWords.WAS_CANCELLED.length()));
			}
			else if (!uid.isEmpty()) {
				refused.add(uid);
			}
		}
		List<ClaimedMessage> messages = new ArrayList<>();
		while (reply.hasNext()) {
			String[] told = reply.text().split(" ");
			if (told.length == 1) {
				messages.add(new ClaimedMessage(told[0], seq, 0, 0, false, reply.bytes()));
			}
			else {
				messages.add(message(seq, told, reply));
			}
		}
		return new ClaimReply(status, time, (next >= 0) ? Duration.ofMillis(next) : null, refused, messages, limitedBy,
				limited, hasNotes, 0, new ClaimReply.Moves(ready, cameBack, cancelled, drained));
	}

	private static ClaimLimits.Kind limit(String name) {
		return switch (name) {
			case LimitWords.RATE -> ClaimLimits.Kind.RATE;
			case LimitWords.IN_FLIGHT -> ClaimLimits.Kind.IN_FLIGHT;
			case SHARED_RATE -> ClaimLimits.Kind.SHARED_RATE;
			case SHARED_IN_FLIGHT -> ClaimLimits.Kind.SHARED_IN_FLIGHT;
			default -> throw new IllegalArgumentException("A claim knows no limit '" + name + "'");
		};
	}

	private static ClaimedMessage message(long seq, String[] told, Reply reply) {
		boolean suspect = false;
		boolean saved = false;
		String trace = null;
		for (String word : List.of(told).subList(3, told.length)) {
			suspect = suspect || word.equals(ScriptWords.SUSPECT);
			saved = saved || word.equals(ScriptWords.CHECKPOINT);
			trace = word.startsWith(ScriptWords.TRACE) ? word.substring(ScriptWords.TRACE.length()) : trace;
		}
		return new ClaimedMessage(told[0], seq, Integer.parseInt(told[1]), Integer.parseInt(told[2]), suspect,
				reply.bytes(), saved ? reply.bytes() : null, trace);
	}

}
