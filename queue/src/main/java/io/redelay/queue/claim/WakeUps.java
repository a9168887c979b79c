package io.redelay.queue.claim;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.redelay.queue.wire.WakeUpSource;
import org.jspecify.annotations.Nullable;

/**
 * Passes notices about a lane, such as wake-ups and cancellations, to the loop of the
 * lane. Subscribes to wake-ups while at least one listener runs.
 *
 * @since 0.1.0
 */
public final class WakeUps implements WakeUpSource.Listener {

	private final WakeUpSource source;

	private final ConcurrentMap<String, Listener> loops = new ConcurrentHashMap<>();

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
