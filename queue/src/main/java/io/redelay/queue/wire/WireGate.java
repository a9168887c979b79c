package io.redelay.queue.wire;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.redelay.log.PlainLog;
import io.redelay.log.PlainText;
import io.redelay.queue.request.StoreException;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Lets an instance use Redis only if its number of the wire works with all numbers that
 * were spoken there. The number stands for the form of all that scripts keep in Redis:
 * keys, fields, values and envelopes.
 * <p>
 * The first request waits for the answer. Later it is asked again once a minute, beside
 * the requests that come anyway: an instance that does nothing asks nothing, and its next
 * request waits again.
 * <p>
 * Safe for use by many threads. All that uses a server shares one.
 *
 * @since 0.1.0
 */
public final class WireGate {

	/**
	 * The number that this version speaks. A change that an earlier version does not
	 * understand raises it, see {@code wire-versions.adoc}.
	 */
	static final int NUMBER = 2;

	/**
	 * The lowest number whose instances this version works beside.
	 */
	static final int LOWEST = 1;

	/**
	 * The lowest number whose data this version understands.
	 */
	static final int READS = 1;

	/**
	 * The lowest number whose instances know packed messages.
	 */
	static final int PACKS = 2;

	private static final Log logger = PlainLog.of(WireGate.class);

	private static final int LONGEST_TEXT = 100;

	private static final long OPEN_NANOS = TimeUnit.MINUTES.toNanos(1);

	/**
	 * After how long without a question requests wait for the answer: an instance that
	 * did nothing may have missed much.
	 */
	private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

	/**
	 * For how long an answer counts while Redis gives no other. A number is taken for
	 * unused after an hour, see {@code speak.lua}.
	 */
	private static final long SURE_NANOS = TimeUnit.MINUTES.toNanos(50);

	private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final int number;

	private final int lowest;

	private final int reads;

	private final String instance;

	private final boolean reading;

	private final LongSupplier nanoTime;

	private final AtomicReference<@Nullable CompletableFuture<Void>> asking = new AtomicReference<>();

	/**
	 * Whether the last answer let this instance in.
	 */
	private volatile boolean letIn;

	/**
	 * Whether that still counts.
	 */
	private volatile boolean open;

	private volatile @Nullable Refusal refusal;

	/**
	 * The lowest number of others beside what this instance has written, as long as it is
	 * higher than the one that it works beside.
	 */
	private volatile int demanded;

	private volatile long askedNanos;

	private volatile long answeredNanos;

	/**
	 * What requests wait for after an idle time.
	 */
	private volatile @Nullable CompletableFuture<Void> awaited;

	/**
	 * Creates a gate.
	 * @param instance the display name of this instance
	 */
	public WireGate(String instance) {
		this(NUMBER, LOWEST, READS, instance, System::nanoTime);
	}

	WireGate(int number, int lowest, int reads, String instance, LongSupplier nanoTime) {
		this(number, lowest, reads, instance, false, nanoTime);
	}

	private WireGate(int number, int lowest, int reads, String instance, boolean reading, LongSupplier nanoTime) {
		this.number = number;
		this.lowest = lowest;
		this.reads = reads;
		this.instance = instance;
		this.reading = reading;
		this.nanoTime = nanoTime;
	}

	/**
	 * Creates the gate of an instance that only reads. It leaves no word of itself in
	 * Redis, is let in if it understands the data there, and no script passes that
	 * changes something.
	 * @return the gate
	 */
	public static WireGate reading() {
		return reading(NUMBER, READS, System::nanoTime);
	}

	static WireGate reading(int number, int reads, LongSupplier nanoTime) {
		return new WireGate(number, reads, reads, "", true, nanoTime);
	}

	boolean isReading() {
		return this.reading;
	}

	/**
	 * Returns why this instance must not use Redis, if that is known.
	 * @return the refusal, or {@code null}
	 */
	public @Nullable Refusal refusal() {
		return this.refusal;
	}

	/**
	 * Asks before a request, if it is time.
	 * @param prefix the prefix of all keys
	 * @param redis runs {@link Script#SPEAK} on a key, with arguments
	 * @return what the request has to wait for, or {@code null} if it may go at once
	 */
	@Nullable CompletableFuture<Void> pass(String prefix, BiFunction<String, Object[], CompletableFuture<ReplyReader>> redis) {
		long now = this.nanoTime.getAsLong();
		long age = now - this.askedNanos;
		if (this.open && now - this.answeredNanos >= SURE_NANOS) {
			this.open = false;
		}
		if (this.open && age < OPEN_NANOS) {
			return this.awaited;
		}
		Refusal refused = this.refusal;
		if (refused != null && age < REFUSED_NANOS) {
			return CompletableFuture.failedFuture(refused.toException());
		}
		boolean idle = this.open && age >= IDLE_NANOS;
		CompletableFuture<Void> answer = ask(prefix, redis, idle);
		return (this.open && !idle) ? this.awaited : answer;
	}

	/**
	 * Asks, if nobody does yet.
	 * @param idle whether requests wait for the answer although this instance was let in;
	 * they go on if Redis is away
	 */
	private CompletableFuture<Void> ask(String prefix,
			BiFunction<String, Object[], CompletableFuture<ReplyReader>> redis, boolean idle) {
		CompletableFuture<Void> answer = new CompletableFuture<>();
		CompletableFuture<Void> other = this.asking.compareAndExchange(null, answer);
		if (other != null) {
			return other;
		}
		if (idle) {
			this.awaited = answer;
		}
		this.askedNanos = this.nanoTime.getAsLong();
		String key = prefix + ":wire";
		CompletableFuture.completedFuture(key)
			.thenCompose((name) -> redis.apply(name,
					new Object[] { this.number, this.lowest, this.reads, this.instance, this.reading ? "READ" : "",
							this.demanded }))
			.thenApply((reply) -> "OK".equals(reply.text()) ? null : refusal(key, reply.text(), reply.text()))
			.whenComplete((refused, failure) -> {
				boolean away = StoreException.isAway(failure);
				if (failure == null) {
					decide(refused);
				}
				else if (idle && !away) {
					this.open = false;
				}
				this.awaited = null;
				this.asking.set(null);
				if (refused != null) {
					answer.completeExceptionally(refused.toException());
				}
				else if (failure == null || (idle && away)) {
					answer.complete(null);
				}
				else {
					// The request itself was not sent, so its outcome is known.
					answer.completeExceptionally(new StoreException(
							"It is not known which versions use Redis: " + StoreException.cause(failure).getMessage(),
							failure, away));
				}
			});
		return answer;
	}

	/**
	 * Has all instances refused that do not know packed messages, before the first one is
	 * packed, and again before others are: Redis may have gone back in time.
	 * @param prefix the prefix of all keys
	 * @param redis runs {@link Script#SPEAK} on a key, with arguments
	 * @return whether that is so; not while such an instance may still run
	 */
	CompletableFuture<Boolean> refuseOthers(String prefix,
			BiFunction<String, Object[], CompletableFuture<ReplyReader>> redis) {
		return redis
			.apply(prefix + ":wire",
					new Object[] { this.number, PACKS, this.reads, this.instance, this.reading ? "READ" : "", PACKS })
			.thenApply((reply) -> {
				boolean alone = "OK".equals(reply.text());
				if (alone && this.demanded < PACKS) {
					logger
						.info("From now on instances of earlier versions, which do not know packed messages, are refused"
								+ " for the " + keysOf(prefix)
								+ ", as messages are packed there. The chapter 'Versions side by"
								+ " side' of the guide says how to go back to such a version; see 'redelay.queue.far-horizon'");
				}
				this.demanded = alone ? PACKS : this.demanded;
				return alone;
			});
	}

	private void decide(@Nullable Refusal refused) {
		if (refused != null && this.letIn) {
			logger.error("This instance sends no more requests to Redis: " + refused);
		}
		this.refusal = refused;
		this.answeredNanos = this.askedNanos;
		this.letIn = (refused == null);
		this.open = this.letIn;
	}

	/**
	 * Returns why this instance is refused. All of it but the key was written by another
	 * one.
	 */
	private Refusal refusal(String key, String other, String value) {
		String[] words = value.split(" ", 3);
		String keys = keysOf(key.substring(0, key.lastIndexOf(':')));
		try {
			int number = Integer.parseInt(other);
			int works = Integer.parseInt(words[0]);
			String seen = ", last spoken at " + Instant.ofEpochMilli(Long.parseLong(words[1]))
					+ ((words.length > 2) ? " by '" + shown(words[2]) + "'" : "");
			String delete = "'redis-cli HDEL %s %d'".formatted(key, number);
			if (number > this.number) {
				return new Refusal(
						"Instances of Redelay with wire number %d%s, use the %s. They work with %d and later, and this instance speaks %d."
							.formatted(number, seen, keys, works, this.number),
						("Update this instance to a release that speaks %d or later, or give it another 'redelay.queue.key-prefix'. If"
								+ " they ran by mistake and left nothing in Redis, stop them, and delete their number: %s.")
							.formatted(works, delete));
			}
			String problem = "Instances of Redelay with wire number %d%s, use the %s. This instance speaks %d, which works with %d and later."
				.formatted(number, seen, keys, this.number, this.lowest);
			if (number >= this.reads) {
				return new Refusal(problem,
						("Start a release between the two on all instances first, and this one an hour after the last of the others"
								+ " has ended; or at once if you delete their number then: %s.")
							.formatted(delete));
			}
			return new Refusal(problem,
					("What they wrote may still be there, and this version cannot read it. Start a release between the two on all"
							+ " instances first, which migrates it; or drain the queues, stop the other instances, and delete the"
							+ " key '%s'. The chapter 'Versions side by side' of the guide says how.")
						.formatted(key));
		}
		catch (NumberFormatException | DateTimeException | ArrayIndexOutOfBoundsException ex) {
			return new Refusal(
					"The key '%s' has '%s' for '%s', which this version of Redelay cannot read.".formatted(key,
							shown(value), shown(other)),
					"Update this instance, or give it another 'redelay.queue.key-prefix'.");
		}
	}

	private static String keysOf(String prefix) {
		return "Redis keys '" + prefix + ":*'";
	}

	private static String shown(String text) {
		return PlainText.of((text.length() > LONGEST_TEXT) ? text.substring(0, LONGEST_TEXT) + "…" : text);
	}

	/**
	 * Why an instance must not use Redis.
	 *
	 * @param problem the problem, as a sentence
	 * @param action the action to take, as a sentence
	 */
	public record Refusal(String problem, String action) {

		StoreException toException() {
			return new StoreException(toString(), null);
		}

		@Override
		public String toString() {
			return this.problem + " " + this.action;
		}

	}

}
