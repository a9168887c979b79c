package io.redelay.queue.listener;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * Whether there may be something for a loop to do. Guarded by the loop's lock.
 * <p>
 * A leading loop looks by itself, is woken, and asks again until it is given nothing. A
 * helping one is called by a leading one, asks while its claims are filled, and rests
 * then.
 */
final class PollTrigger {

	/**
	 * How many claims are filled in a row when help is called.
	 */
	private static final int FILLED_IN_A_ROW = 3;

	/**
	 * How long a loop that was given something can stay away, when the handlers are
	 * expected to be through with it before: until it is back nobody wakes it.
	 */
	private static final Duration LONGEST_ABSENCE = Duration.ofMillis(5);

	private final boolean helping;

	/**
	 * Whether there may be something to claim.
	 */
	private boolean awake;

	/**
	 * Whether a wake-up came while a request was on the wire, which may have passed it
	 * by.
	 */
	private boolean woken;

	/**
	 * Whether a request must go out even without room: a wake-up is to be passed on, or
	 * the lane may be dead.
	 */
	private boolean due;

	/**
	 * Whether the loop stays away although it was given something, and looks again soon.
	 */
	private boolean away;

	private int filled;

	private boolean rested;

	PollTrigger(boolean helping) {
		this.helping = helping;
		this.awake = !helping;
	}

	boolean isHelping() {
		return this.helping;
	}

	void wakeUp(boolean onWire) {
		this.awake = true;
		this.woken |= onWire;
		this.due |= !onWire;
	}

	/**
	 * There is more to claim than the leading loop can.
	 */
	void call() {
		this.awake = true;
	}

	/**
	 * Something may be wrong with the lane.
	 */
	void check() {
		this.due = true;
	}

	/**
	 * Whoever does not claim any more passes on that it was woken.
	 */
	void pause() {
		this.due |= !this.helping;
	}

	/**
	 * It is time to look.
	 */
	void look() {
		this.awake |= !this.helping;
	}

	/**
	 * The lane is lost, and what waits under another one may be there at once.
	 */
	void loseLane(boolean knowsWhy, boolean paused) {
		this.awake = knowsWhy;
		if (paused) {
			pause();
		}
	}

	boolean isAwake() {
		return this.awake || this.due;
	}

	/**
	 * Whether the loop was given something and looks again soon, whatever happens.
	 */
	boolean isAway() {
		return this.away && !isAwake();
	}

	boolean isDue() {
		return this.due;
	}

	void sent() {
		this.woken = false;
		this.due = false;
	}

	/**
	 * A wake-up that came meanwhile is passed on, if there is no room to follow it.
	 */
	void answered() {
		this.due |= this.woken;
	}

	/**
	 * Takes note of what a claim brought.
	 * @param full whether it was filled
	 * @param empty whether it brought nothing, so that the lane can be woken now
	 * @param suspect whether there was a suspect, behind which another one may be
	 * @param fast whether the loop will be back anyway, as soon as what was brought is
	 * handled
	 * @param next when something is due
	 */
	void claimed(boolean full, boolean empty, boolean suspect, boolean fast, @Nullable Duration next) {
		this.filled = full ? this.filled + 1 : 0;
		boolean more = suspect || this.woken || (next != null && next.isZero());
		boolean sleepless = !empty && !fast;
		this.awake = full || (!this.helping && (more || sleepless));
		this.away = !this.helping && !empty;
	}

	/**
	 * When to look again, unless something happens before. The first time is a random one
	 * within the interval, so that loops that start together do not look together ever
	 * after.
	 * @param empty whether the last claim brought nothing
	 * @param next when something is due
	 * @param interval how often to look at least
	 */
	Duration absence(boolean empty, @Nullable Duration next, Duration interval) {
		Duration limit = LONGEST_ABSENCE;
		if (empty) {
			limit = this.rested ? interval
					: Duration.ofNanos(ThreadLocalRandom.current().nextLong(interval.toNanos()) + 1);
			this.rested = true;
		}
		return (next != null && next.compareTo(limit) < 0) ? next : limit;
	}

	boolean needsHelp() {
		return this.filled >= FILLED_IN_A_ROW;
	}

}
