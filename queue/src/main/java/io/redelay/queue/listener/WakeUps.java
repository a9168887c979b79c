package io.redelay.queue.listener;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.redelay.queue.store.WakeUpListener;
import io.redelay.queue.store.WakeUpSubscription;
import io.redelay.queue.store.redis.WakeUpSource;
import org.jspecify.annotations.Nullable;

/**
 * Passes notices about a lane, such as wake-ups and cancellations, to the loop of the
 * lane. Subscribes to wake-ups while at least one listener runs.
 *
 * @since 0.1.0
 */
public final class WakeUps implements WakeUpListener {

	private final WakeUpSource source;

	private final ConcurrentMap<String, LaneListener> loops = new ConcurrentHashMap<>();

	private int users;

	private @Nullable WakeUpSubscription subscription;

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
	void add(String lane, LaneListener loop) {
		this.loops.put(lane, loop);
	}

	void remove(String lane) {
		this.loops.remove(lane);
	}

	@Override
	public void wakeUp(String lane) {
		LaneListener loop = this.loops.get(lane);
		if (loop != null) {
			loop.wakeUp();
		}
		else {
			// The lane was closed, but is still among the sleepers of Redis: a loop on
			// another lane may have to claim instead.
			this.loops.values().forEach(LaneListener::wakeUp);
		}
	}

	@Override
	public void cancelled(String lane, String uid) {
		LaneListener loop = this.loops.get(lane);
		if (loop != null) {
			loop.cancelled(uid);
		}
	}

	@Override
	public void wakeUpAll() {
		this.loops.values().forEach(LaneListener::mayHaveMissed);
	}

}
