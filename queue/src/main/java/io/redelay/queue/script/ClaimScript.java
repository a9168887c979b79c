package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptKey;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Settles finished messages and claims the next ones.
 *
 * @since 0.1.0
 */
public final class ClaimScript {

	private static final String SHARED_RATE = "s";

	private static final String SHARED_IN_FLIGHT = "sm";

	/**
	 * About how long a uid in a list is.
	 */
	private static final int BYTES_OF_UID = 24;

	private static final int MAX_KEYED_QUEUES = 10_000;

	private final ScriptRunner runner;

	private final String wakePrefix;

	private final ScriptObservers observers;

	private final BiConsumer<String, Instant> packed;

	/**
	 * Queues of which a claim has met a message with a key.
	 */
	private final Set<String> keyedQueues = ConcurrentHashMap.newKeySet();

	ClaimScript(ScriptRunner runner, String wakePrefix, ScriptListeners listeners) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.observers = listeners.observers();
		this.packed = listeners.packed();
	}

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param request the settlements, and how much to claim
	 * @return what was claimed
	 */
	public CompletableFuture<ClaimReply> run(String queue, ClaimRequest request) {
		boolean indexed = request.limits().isLimited() || this.keyedQueues.contains(queue) || completes(request);
		ScriptObservers.Call observed = this.observers.begin();
		CompletableFuture<ClaimReply> claimed = run(queue, request, indexed);
		return (observed == null) ? claimed : claimed.thenApply((reply) -> {
			observed.ended(
					new ScriptCall.Claim(
							queue, request, reply, (next) -> NextMessageTexts.isWithinReach(next,
									this.runner.keys(queue), this.runner::keys, this.runner.isClustered()),
							observed.nanos()));
			return reply;
		});
	}

	/**
	 * Runs the script, with the keys that a plain queue does not use or without them.
	 */
	private CompletableFuture<ClaimReply> run(String queue, ClaimRequest request, boolean indexed) {
		QueueKeys names = this.runner.keys(queue);
		List<Object> keys = indexed
				? SharedLimitKeys.withAll(this.runner, queue, request.limits()).of(Script.KEYED_CLAIM)
				: names.of(Script.CLAIM, ScriptKey.EXPIRIES, null);
		CompletionCall completion = null;
		if (indexed && completes(request)) {
			completion = new CompletionCall(names, this.runner::keys, this.runner.isClustered(), request.settlements(),
					keys.size() + 1);
			keys.addAll(completion.keys());
		}
		return this.runner
			.run("Claiming from the queue '" + queue + "'", indexed ? Script.KEYED_CLAIM : Script.CLAIM, keys,
					args(request, indexed, completion), (reply) -> reply(queue, reply, request.seq()))
			.thenCompose(
					(reply) -> (reply != null) ? CompletableFuture.completedFuture(reply) : runKeyed(queue, request));
	}

	/**
	 * Claims from a keyed queue, and from then on names its additional keys in each
	 * claim.
	 */
	private CompletableFuture<ClaimReply> runKeyed(String queue, ClaimRequest request) {
		if (this.keyedQueues.size() >= MAX_KEYED_QUEUES) {
			this.keyedQueues.clear(); // each costs a claim more then, once
		}
		this.keyedQueues.add(queue);
		return run(queue, request, true);
	}

	/**
	 * Returns whether an acknowledgement of a request has a completion, for which the
	 * script needs keys that a plain queue does not use.
	 */
	private static boolean completes(ClaimRequest request) {
		for (Settlement settlement : request.settlements()) {
			if (settlement.completion() != null) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the arguments of the script.
	 * @param indexed whether the keys are named that a plain queue does not use
	 * @param completion the completions of acknowledgements; usually {@code null}, for
	 * none
	 */
	private Object[] args(ClaimRequest request, boolean indexed, @Nullable CompletionCall completion) {
		List<Object> args = new ArrayList<>(List.of(request.lane(), Long.toString(request.seq()),
				ScriptTime.millis(request.lease()), wanted(request, indexed), request.maxBytes() + asked(),
				flags(request), sleep(request), this.wakePrefix));
		args.add(acknowledged(request.settlements()));
		for (Settlement settlement : request.settlements()) {
			if (settlement.action() != Settlement.Action.ACK) {
				args.add((settlement.trace() != null)
						? settlement.action().verb() + ScriptWords.TRACE + settlement.trace()
						: settlement.action().verb());
				args.add(settlement.uid());
				args.add(Long.toString(settlement.claim()));
				args.add(ScriptTime.millis(settlement.delay()));
				Completion together = settlement.completion();
				args.add((together != null && completion != null) ? completion.text(together) : settlement.cause());
			}
		}
		return args.toArray();
	}

	private static String wanted(ClaimRequest request, boolean indexed) {
		String wanted = Integer.toString(request.wanted());
		return (indexed && request.behind() > 0) ? wanted + " " + request.behind() : wanted;
	}

	private static String sleep(ClaimRequest request) {
		String sleep = ScriptTime.millis(request.sleep());
		Instant failedDue = request.failedDue();
		return (failedDue != null && !request.sleep().isZero()) ? sleep + " " + failedDue.toEpochMilli() : sleep;
	}

	private String asked() {
		if (this.observers.needChanges()) {
			return this.observers.needMoves() ? ScriptWords.ASKS_BOTH : ScriptWords.ASKS_DRAINED;
		}
		return this.observers.needMoves() ? ScriptWords.ASKS_MOVES : "";
	}

	/**
	 * Returns the flag of whether a suspect may be claimed, and behind it the limits, if
	 * there are any.
	 */
	private static String flags(ClaimRequest request) {
		String suspect = ScriptWords.flag(request.suspect());
		ClaimLimits limits = request.limits();
		if (!limits.isLimited()) {
			return suspect;
		}
		List<String> words = LimitWords.of(limits);
		ClaimLimits.Shared shared = limits.shared();
		if (shared != null) {
			LimitWords.add(words, SHARED_RATE, shared.rate());
			LimitWords.add(words, SHARED_IN_FLIGHT, shared.maxInFlight());
		}
		return suspect + " " + String.join(" ", words);
	}

	/**
	 * Returns the acknowledgements as one argument: most settlements are
	 * acknowledgements, and each argument costs time.
	 */
	private static String acknowledged(List<Settlement> settlements) {
		StringBuilder words = new StringBuilder(settlements.size() * BYTES_OF_UID);
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
	private @Nullable ClaimReply reply(String queue, ReplyReader reply, long seq) {
		ReplyReader first = reply.words();
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
		Set<String> refused = Set.of();
		ClaimLimits.Kind limitedBy = null;
		boolean limited = false;
		boolean hasNotes = false;
		boolean suspectsLeft = false;
		boolean drained = false;
		List<String> ready = List.of();
		List<String> cameBack = List.of();
		Set<String> cancelled = Set.of();
		while (first.hasNext()) {
			String uid = first.text();
			if (uid.equals(ScriptWords.NOTES)) {
				hasNotes = true;
			}
			else if (uid.equals(ScriptWords.LIMITS)) {
				limited = true;
			}
			else if (uid.equals(ScriptWords.SOME_PACKED)) {
				this.packed.accept(queue, time);
			}
			else if (uid.equals(ScriptWords.SUSPECTS)) {
				suspectsLeft = true;
			}
			else if (uid.equals(ScriptWords.DRAINED)) {
				drained = true;
			}
			else if (uid.startsWith(ScriptWords.LIMITED)) {
				limitedBy = limit(uid.substring(ScriptWords.LIMITED.length()));
			}
			else if (uid.startsWith(ScriptWords.BECAME_READY)) {
				ready = ready.isEmpty() ? new ArrayList<>() : ready;
				ready.add(uid.substring(ScriptWords.BECAME_READY.length()));
			}
			else if (uid.startsWith(ScriptWords.CAME_BACK)) {
				cameBack = cameBack.isEmpty() ? new ArrayList<>() : cameBack;
				cameBack.add(uid.substring(ScriptWords.CAME_BACK.length()));
			}
			else if (uid.startsWith(ScriptWords.WAS_CANCELLED)) {
				cancelled = cancelled.isEmpty() ? new HashSet<>() : cancelled;
				cancelled.add(uid.substring(ScriptWords.WAS_CANCELLED.length()));
			}
			else if (!uid.isEmpty()) {
				refused = refused.isEmpty() ? new HashSet<>() : refused;
				refused.add(uid);
			}
		}
		List<ClaimReply.Message> messages = reply.list((each) -> message(seq, each));
		return new ClaimReply(status, time, (next >= 0) ? Duration.ofMillis(next) : null, refused, messages,
				new ClaimReply.Findings(limitedBy, limited, hasNotes, suspectsLeft), 0,
				new ClaimReply.Moves(ready, cameBack, cancelled, drained));
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

	private static ClaimReply.Message message(long seq, ReplyReader reply) {
		String text = reply.text();
		if (text.indexOf(' ') < 0) {
			return new ClaimReply.Message(text, seq, 0, 0, false, reply.bytes());
		}
		String[] words = text.split(" ");
		boolean suspect = false;
		boolean saved = false;
		String trace = null;
		String rowOf = null;
		for (String word : List.of(words).subList(3, words.length)) {
			suspect = suspect || word.equals(ScriptWords.SUSPECT);
			rowOf = word.startsWith(ScriptWords.ROW) ? word.substring(ScriptWords.ROW.length()) : rowOf;
			saved = saved || word.equals(ScriptWords.CHECKPOINT);
			trace = word.startsWith(ScriptWords.TRACE) ? word.substring(ScriptWords.TRACE.length()) : trace;
		}
		return new ClaimReply.Message(words[0], seq, Integer.parseInt(words[1]), Integer.parseInt(words[2]), suspect,
				reply.bytes(), saved ? reply.bytes() : null, trace, rowOf);
	}

}
