package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What the guide promises of idempotency keys: one action of a key runs at a time, and
 * none within the window after one has succeeded.
 */
final class Runs {

	private final Leases leases;

	private final long window;

	private final Consumer<String> violated;

	private final Map<String, List<Run>> keys = new HashMap<>();

	/**
	 * The instances that give back what they run.
	 */
	private final Set<String> stopped = new HashSet<>();

	/**
	 * How long before an action begins it got its key at most.
	 */
	private static final long LONGEST_REPLY = 15_000;

	/**
	 * By when the server went back or its clock jumped last, by the clock that does not
	 * jump.
	 */
	private long disturbed = Long.MIN_VALUE;

	Runs(Leases leases, long window, Consumer<String> violated) {
		this.leases = leases;
		this.window = window;
		this.violated = violated;
	}

	/**
	 * The server went back, or its clock jumped.
	 */
	void disturbed(long elapsed) {
		this.disturbed = elapsed;
	}

	/**
	 * An instance gives back what it runs, and frees its keys.
	 */
	void stopped(String instance) {
		this.stopped.add(instance);
	}

	/**
	 * An action begins.
	 */
	Run begins(String key, String instance, long elapsed, long now) {
		List<Run> runs = this.keys.computeIfAbsent(key, (each) -> new ArrayList<>());
		for (Run other : runs) {
			boolean wentBack = this.disturbed >= other.began - LONGEST_REPLY;
			boolean excused = wentBack || this.stopped.contains(other.instance)
					|| this.leases.ranOut(other.instance, other.began + 1, now);
			if (other.ended < 0 && !excused) {
				this.violated.accept("an action of the key " + key + " runs in " + instance + " while " + other.instance
						+ " runs one, and no lease ran out");
			}
			if (other.recorded && elapsed < other.ended + this.window && !wentBack) {
				this.violated.accept("an action of the key " + key + " runs in " + instance + " "
						+ (elapsed - other.ended) + " ms after one succeeded in " + other.instance);
			}
		}
		Run run = new Run(instance, elapsed);
		runs.add(run);
		return run;
	}

	/**
	 * An action was left out, as one has succeeded.
	 */
	void skipped(String key) {
		if (this.keys.getOrDefault(key, List.of()).stream().noneMatch((run) -> run.succeeded)) {
			this.violated.accept("the key " + key + " is said to be done, and no action succeeded");
		}
	}

	/**
	 * An action that runs, or has ended.
	 */
	static final class Run {

		private final String instance;

		private final long began;

		private long ended = -1;

		private boolean succeeded;

		private boolean recorded;

		Run(String instance, long began) {
			this.instance = instance;
			this.began = began;
		}

		void ends(boolean success, long elapsed) {
			this.ended = elapsed;
			this.succeeded = success;
		}

		/**
		 * The caller knows that the success was recorded.
		 */
		void recorded() {
			this.recorded = true;
		}

	}

}
