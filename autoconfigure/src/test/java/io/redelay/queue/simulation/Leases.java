package io.redelay.queue.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.wire.Script;

/**
 * What the guarantees say of a lease: a lane that was not renewed for so long has lost
 * what it held. Follows the requests, and knows nothing of how the scripts do it.
 */
final class Leases {

	static final Duration LEASE = Duration.ofSeconds(30);

	private final Map<String, Lane> lanes = new HashMap<>();

	/**
	 * A request for idempotent runs arrives, which renews the lease of their owner.
	 */
	void owned(List<byte[]> args, long millis, long elapsed) {
		lane(text(args, 0), millis).touched(millis, elapsed);
	}

	/**
	 * A request arrives. A claim that comes after a later one renews nothing.
	 */
	void touched(Script script, List<byte[]> args, long millis, long elapsed) {
		switch (script) {
			case CLAIM, KEYED_CLAIM -> {
				String first = text(args, 0);
				Lane lane = lane(first.substring(first.lastIndexOf(' ') + 1), millis);
				if (lane.isNew(Long.parseLong(text(args, 1)))) {
					lane.touched(millis, elapsed);
				}
			}
			case OPEN_LANE, RENEW_LANE -> lane(text(args, 0), millis).touched(millis, elapsed);
			default -> {
			}
		}
	}

	private Lane lane(String name, long millis) {
		return this.lanes.computeIfAbsent(name, (each) -> new Lane(millis));
	}

	private static String text(List<byte[]> args, int place) {
		return new String(args.get(place), StandardCharsets.UTF_8);
	}

	/**
	 * The server's clock jumps. A lease that is over by the new one has run out, also if
	 * the clock goes back later.
	 * @param millis what the clock shows then
	 */
	void jumped(long millis, long elapsed) {
		this.lanes.values().forEach((lane) -> lane.jumped(millis, elapsed));
	}

	/**
	 * Returns whether a lane of an instance was silent for a lease at some time.
	 * @param since from when on
	 * @param millis the time
	 */
	boolean ranOut(String instance, long since, long millis) {
		return this.lanes.entrySet()
			.stream()
			.anyMatch((lane) -> lane.getKey().startsWith(instance + ".") && lane.getValue().ranOut(since, millis));
	}

	/**
	 * When one lane was renewed.
	 */
	private static final class Lane {

		private long last;

		private long ranOutUntil = Long.MIN_VALUE;

		private long number;

		Lane(long millis) {
			this.last = millis;
		}

		boolean isNew(long claim) {
			boolean fresh = claim >= this.number;
			this.number = Math.max(this.number, claim);
			return fresh;
		}

		void touched(long millis, long elapsed) {
			jumped(millis, elapsed);
			this.last = millis;
		}

		void jumped(long millis, long elapsed) {
			if (millis - this.last >= LEASE.toMillis()) {
				this.ranOutUntil = elapsed;
			}
		}

		boolean ranOut(long since, long millis) {
			return this.ranOutUntil >= since || millis - this.last >= LEASE.toMillis();
		}

	}

}
