package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.limits.PartitionName;
import io.redelay.test.redis.RedisCluster;

/**
 * How fast a queue of messages with ordering keys is emptied that has a partition on each
 * of three masters, beside one partition, what the masters do for it, and whether all
 * messages of a key are handled in their order.
 */
final class PartitionsItem implements Item {

	private static final int MASTERS = 3;

	private static final int KEYS = 5000;

	/**
	 * How many messages of a key are sent one behind the other, so that handlers side by
	 * side would not keep their order by themselves.
	 */
	private static final int TOGETHER = 4;

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final Duration GLANCE = Duration.ofMillis(1);

	@Override
	public String name() {
		return "partitions";
	}

	@Override
	public void run(Round round) {
		int messages = round.options().drain();
		Outcome one;
		Outcome three;
		if (round.isReversed()) {
			three = measure(messages, MASTERS);
			one = measure(messages, 1);
		}
		else {
			one = measure(messages, 1);
			three = measure(messages, MASTERS);
		}
		int cores = Runtime.getRuntime().availableProcessors();
		// A core for each master, and one for the application beside it.
		Bound bound = (cores >= 2 * MASTERS) ? Bound.ratioAtLeast(2) : null;
		String subject = "1 → 3 partitions: ";
		round.report(subject + "handled, %d cores".formatted(cores), "messages/s", one.perSecond(), three.perSecond(),
				bound);
		round.report(subject + "commands", "a message", one.commands(), three.commands(), null);
		round.report(subject + "scripts", "a message", one.scripts(), three.scripts(), null);
		round.report(subject + "all masters compute", "µs a message", one.micros(), three.micros(), null);
		round.report(subject + "the busiest master computes", "µs a message", one.mostMicros(), three.mostMicros(),
				null);
		round.report(subject + "not the next one of their key", "messages", (double) one.astray(), three.astray(),
				Bound.atMost(0));
	}

	private static Outcome measure(int messages, int partitions) {
		Keys keys = new Keys();
		try (RedisCluster cluster = RedisCluster.builder().masters(MASTERS).replicasPerMaster(0).start()) {
			String queue = queueOnAllMasters(cluster);
			try (ChoiceApplication application = new ChoiceApplication(cluster, List.of(queue), keys::handle,
					"redelay.queue.queues." + queue + ".partitions=" + partitions)) {
				AtomicInteger number = new AtomicInteger();
				new Filling(application.template()).fill(messages, () -> message(queue, number.getAndIncrement()));
				application.listen();
				int first = keys.await(messages / 10);
				List<RedisTime> before = cluster.nodes().stream().map(RedisTime::of).toList();
				long start = System.nanoTime();
				int handled = keys.await(messages) - first;
				double seconds = (System.nanoTime() - start) / 1e9;
				List<RedisTime> used = IntStream.range(0, before.size())
					.mapToObj((i) -> RedisTime.of(cluster.nodes().get(i)).since(before.get(i)))
					.toList();
				return Outcome.of(handled, seconds, used, keys.astray());
			}
		}
	}

	private static OutboundMessage message(String queue, int number) {
		return OutboundMessage.to(queue, Parcel.of(number)).orderingKey("key-" + key(number));
	}

	private static int key(int number) {
		return number / TOGETHER % KEYS;
	}

	/**
	 * Returns how many messages of the same key are before a message.
	 */
	private static int position(int number) {
		return number / (TOGETHER * KEYS) * TOGETHER + number % TOGETHER;
	}

	/**
	 * Returns the name of a queue whose first three partitions are on different masters.
	 */
	private static String queueOnAllMasters(RedisCluster cluster) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "drain-" + i)
			.filter((queue) -> IntStream.range(0, MASTERS)
				.mapToObj((i) -> cluster.masterOf("{" + PartitionName.of(queue, i) + "}"))
				.map(RedisServer::port)
				.distinct()
				.count() == MASTERS)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * What was measured.
	 *
	 * @param perSecond how many messages were handled in a second
	 * @param commands how many commands a message took, those that scripts call included
	 * @param scripts how many scripts a message took
	 * @param micros what all masters computed for a message
	 * @param mostMicros what the master computed that computed most, over all messages
	 * @param astray how many messages were handled that were not the next of their key
	 */
	private record Outcome(double perSecond, double commands, double scripts, double micros, double mostMicros,
			int astray) {

		static Outcome of(int handled, double seconds, List<RedisTime> masters, int astray) {
			RedisTime all = masters.stream().reduce(RedisTime::plus).orElseThrow();
			double most = masters.stream().mapToDouble((each) -> each.microsPer(handled)).max().orElseThrow();
			return new Outcome(handled / seconds, (double) all.commands() / handled, (double) all.scripts() / handled,
					all.microsPer(handled), most, astray);
		}

	}

	/**
	 * Sees whether each message is the one that follows the last one of its key.
	 */
	private static final class Keys {

		private final AtomicIntegerArray handledOfKey = new AtomicIntegerArray(KEYS);

		private final AtomicInteger handled = new AtomicInteger();

		private final AtomicInteger astray = new AtomicInteger();

		void handle(Parcel parcel) {
			if (this.handledOfKey.getAndIncrement(key(parcel.number())) != position(parcel.number())) {
				this.astray.incrementAndGet();
			}
			this.handled.incrementAndGet();
		}

		int astray() {
			return this.astray.get();
		}

		int await(int count) {
			long end = System.nanoTime() + PATIENCE.toNanos();
			while (this.handled.get() < count) {
				if (System.nanoTime() - end > 0) {
					throw new IllegalStateException(
							"%d of %d messages were handled".formatted(this.handled.get(), count));
				}
				LockSupport.parkNanos(GLANCE.toNanos());
			}
			return this.handled.get();
		}

	}

}
