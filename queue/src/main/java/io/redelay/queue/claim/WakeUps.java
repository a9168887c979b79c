package io.redelay.queue.claim;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.log.PlainLog;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.wire.WakeUpSource;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Passes notices about a lane, such as wake-ups and cancellations, to the loop of the
 * lane, and has questions of other instances answered. Subscribes to wake-ups while at
 * least one listener runs.
 *
 * @since 0.1.0
 */
public final class WakeUps implements WakeUpSource.Listener {

	private static final Log logger = PlainLog.of(WakeUps.class);

	/**
	 * How many questions are answered at the same time. The answer to others is that this
	 * instance is busy.
	 */
	private static final int MAX_ANSWERING = 32;

	/**
	 * No answer to any question, so that nobody waits for another one.
	 */
	private static final String BUSY = "busy";

	private final WakeUpSource source;

	private final AtomicInteger answering = new AtomicInteger();

	private volatile @Nullable Answerer answerer;

	private final ConcurrentMap<String, Listener> loops = new ConcurrentHashMap<>();

	/**
	 * The loops that have not stopped, those without a lane among them.
	 */
	private final Set<Listener> running = ConcurrentHashMap.newKeySet();

	private int users;

	private WakeUpSource.@Nullable Subscription subscription;

	/**
	 * Creates an object that has no subscription yet.
	 * @param source where wake-ups come from
	 */
	public WakeUps(WakeUpSource source) {
		this.source = source;
	}

	synchronized void join() {
		this.users++;
		if (this.subscription == null) {
			this.subscription = this.source.subscribe(this);
		}
	}

	synchronized void leave() {
		this.users--;
		if (this.users == 0 && this.subscription != null) {
			this.subscription.close();
			this.subscription = null;
		}
	}

	/**
	 * Has questions of other instances answered.
	 * @param reporter answers them
	 * @param threads runs it
	 */
	public void answerBy(Reporter reporter, Scheduler threads) {
		this.answerer = new Answerer(reporter, threads);
	}

	@Override
	public void asked(String asker, String number, String question) {
		Answerer present = this.answerer;
		if (present == null) {
			return;
		}
		if (this.answering.incrementAndGet() > MAX_ANSWERING) {
			this.answering.decrementAndGet();
			this.source.answer(asker, number, BUSY);
		}
		else if (!present.threads().execute(() -> answer(present.reporter(), asker, number, question))) {
			this.answering.decrementAndGet();
		}
	}

	private void answer(Reporter reporter, String asker, String number, String question) {
		try {
			List<Delivery> inHand = this.running.stream().flatMap((loop) -> loop.inHand().stream()).toList();
			String answer = reporter.answer(question, inHand);
			if (answer != null) {
				this.source.answer(asker, number, answer);
			}
		}
		catch (Throwable ex) {
			logger.debug("A question of another instance gets no answer", ex);
		}
		finally {
			this.answering.decrementAndGet();
		}
	}

	/**
	 * Returns how many listeners run.
	 * @return their number
	 */
	public synchronized int listeners() {
		return this.users;
	}

	/**
	 * Returns whether wake-ups arrive, as they should if a listener runs.
	 * @return whether the server has confirmed the subscription, or no listener needs one
	 */
	public synchronized boolean areHeard() {
		return this.subscription == null || this.subscription.isActive();
	}

	/**
	 * Registers the loop that gets the notices about this lane.
	 */
	void add(String lane, Listener loop) {
		this.loops.put(lane, loop);
	}

	void remove(String lane) {
		this.loops.remove(lane);
	}

	/**
	 * Asks a loop for the messages in its hand until it has stopped.
	 */
	void begun(Listener loop, CompletableFuture<?> stopped) {
		this.running.add(loop);
		stopped.whenComplete((done, failure) -> this.running.remove(loop));
	}

	@Override
	public void wakeUp(String lane) {
		Listener loop = this.loops.get(lane);
		if (loop != null) {
			loop.wakeUp();
		}
		else {
			// The lane was closed, but is still among the sleepers of Redis: a loop on
			// another lane may have to claim instead.
			this.loops.values().forEach(Listener::wakeUp);
		}
	}

	@Override
	public void cancelled(String lane, String uid) {
		Listener loop = this.loops.get(lane);
		if (loop != null) {
			loop.cancelled(uid);
		}
	}

	@Override
	public void wakeUpAll() {
		this.loops.values().forEach(Listener::mayHaveMissed);
	}

	/**
	 * Gets the notices that Redis publishes for the lane of a loop. No method may block.
	 */
	interface Listener {

		/**
		 * Called when there may be a message to claim.
		 */
		void wakeUp();

		/**
		 * Called when a message that the lane holds was cancelled.
		 */
		void cancelled(String uid);

		/**
		 * Called when notices may have been missed.
		 */
		void mayHaveMissed();

		/**
		 * Returns the messages that the loop holds, or that were acknowledged before
		 * their handling.
		 */
		default List<Delivery> inHand() {
			return List.of();
		}

	}

	/**
	 * Answers the questions of other instances.
	 */
	@FunctionalInterface
	public interface Reporter {

		/**
		 * Answers a question.
		 * @param question the question
		 * @param inHand the messages in hand of the listeners of this instance
		 * @return the answer, or {@code null} for none
		 */
		@Nullable String answer(String question, List<Delivery> inHand);

	}

	private record Answerer(Reporter reporter, Scheduler threads) {

	}

	/**
	 * Subscribes a loop to the notices about its present lane.
	 * <p>
	 * Safe for use by many threads.
	 */
	static final class Subscription {

		private final WakeUps wakeUps;

		private final Listener loop;

		private @Nullable String lane;

		Subscription(WakeUps wakeUps, Listener loop) {
			this.wakeUps = wakeUps;
			this.loop = loop;
		}

		/**
		 * Changes the lane whose notices the loop gets.
		 * @param name the name of the lane, or {@code null} for none
		 */
		synchronized void change(@Nullable String name) {
			String former = this.lane;
			if (name != null && name.equals(former)) {
				return;
			}
			if (former != null) {
				this.wakeUps.remove(former);
			}
			if (name != null) {
				this.wakeUps.add(name, this.loop);
			}
			this.lane = name;
		}

	}

}
