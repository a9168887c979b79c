package io.redelay.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Starts the regular work of an instance on one server: sweepers, the takeover of jobs
 * and the maintenance of recurring messages. It begins with the first claim, or the first
 * message with a time to live; an instance that only sends has no timer for it.
 */
final class BackgroundWorkStarter {

	private final List<Runnable> starts = new CopyOnWriteArrayList<>();

	private volatile boolean started;

	/**
	 * Adds work.
	 * @param start starts the work, unless it runs already; must be quick
	 */
	void add(Runnable start) {
		this.starts.add(start);
		if (this.started) {
			start.run();
		}
	}

	/**
	 * Starts all work, unless it runs already. Called with each claim, as the timer may
	 * have had no thread.
	 */
	void start() {
		this.started = true;
		this.starts.forEach(Runnable::run);
	}

}
