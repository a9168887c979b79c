package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;

/**
 * Which part of its rate a limited queue reaches, how many of its messages are handled in
 * any second at most, and what a queue beside it that has no limit loses.
 */
final class LimitItem implements Item {

	private static final String LIMITED = "limited";

	private static final String FREE = "free";

	private static final int SPARE = 5000;

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	@Override
	public String name() {
		return "limit";
	}

	@Override
	public void run(Round round) {
		for (int rate : round.options().rates()) {
			double alone = measure(round.options(), 0).free();
			Outcome beside = measure(round.options(), rate);
			String limit = "%,d/s".formatted(rate);
			round.report("a queue limited to " + limit + ": allowed → reached", "messages/s", (double) rate,
					beside.reached(), Bound.ratioAtLeast(0.95));
			round.report("a queue limited to " + limit + ": allowed → most handled in a second", "messages",
					(double) rate, beside.most(), null);
			round.report("a queue without a limit: alone → beside one with " + limit, "messages/s", alone,
					beside.free(), Bound.ratioAtLeast(0.95));
		}
	}

	private static Outcome measure(ChoiceOptions options, int rate) {
		int seconds = options.seconds();
		Times times = new Times(rate * (seconds + 10));
		Work work = new Work(options.work(), new Waits(0));
		String limit = (rate > 0) ? rate + "/1s" : "1/1s";
		try (RedisServer server = RedisServer.start();
				ChoiceApplication limited = new ChoiceApplication(server.uri(),
						(rate > 0) ? List.of(LIMITED) : List.of(), (parcel) -> times.add(),
						"redelay.queue.listener.rate-limit=" + limit);
				ChoiceApplication free = new ChoiceApplication(server.uri(), List.of(FREE), work::handle);
				Backlog backlog = new Backlog(free.template(), FREE, SPARE, work::loud)) {
			new Filling(limited.template()).fill((rate > 0) ? rate * (seconds + 5) : 0,
					() -> OutboundMessage.to(LIMITED, Parcel.ofLoud()));
			backlog.keep();
			limited.listen();
			free.listen();
			LockSupport.parkNanos(WARM_UP.toNanos());
			int before = times.count();
			long freeBefore = work.loud();
			long start = System.nanoTime();
			long end = start + options.duration().toNanos();
			for (long rest = end - start; rest > 0; rest = end - System.nanoTime()) {
				LockSupport.parkNanos(rest);
			}
			double passed = (System.nanoTime() - start) / 1e9;
			return new Outcome((times.count() - before) / passed, times.mostInASecond(),
					(work.loud() - freeBefore) / passed);
		}
	}

	/**
	 * What was measured.
	 *
	 * @param reached how many messages of the limited queue were handled in a second
	 * @param most how many of them in any second at most
	 * @param free how many messages of the other queue were handled in a second
	 */
	private record Outcome(double reached, double most, double free) {

	}

	/**
	 * When messages were handled.
	 */
	private static final class Times {

		private static final long SECOND = 1_000_000_000;

		private final AtomicLongArray nanos;

		private final AtomicInteger count = new AtomicInteger();

		Times(int most) {
			this.nanos = new AtomicLongArray(most);
		}

		void add() {
			int position = this.count.getAndIncrement();
			if (position < this.nanos.length()) {
				this.nanos.set(position, System.nanoTime());
			}
		}

		int count() {
			return this.count.get();
		}

		int mostInASecond() {
			long[] sorted = new long[Math.min(count(), this.nanos.length())];
			Arrays.setAll(sorted, this.nanos::get);
			Arrays.sort(sorted);
			int most = 0;
			int first = 0;
			for (int last = 0; last < sorted.length; last++) {
				while (sorted[last] - sorted[first] >= SECOND) {
					first++;
				}
				most = Math.max(most, last - first + 1);
			}
			return most;
		}

	}

}
