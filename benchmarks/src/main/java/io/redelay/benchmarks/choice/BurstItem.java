package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

/**
 * When the last of many messages is handled that are due at the same time, with two
 * instances whose handler does nothing.
 */
final class BurstItem implements Item {

	private static final String QUEUE = "burst";

	private static final int TOGETHER = 1000;

	private static final int WARM_UP = 20_000;

	/**
	 * How long before their time the last ones are sent.
	 */
	private static final Duration CALM = Duration.ofSeconds(3);

	private static final int SENT_PER_MILLI = 10;

	@Override
	public String name() {
		return "burst";
	}

	@Override
	public void run(Round round) {
		Recorder recorder = new Recorder();
		try (RedisServer server = RedisServer.start();
				ChoiceApplication one = new ChoiceApplication(server.uri(), List.of(QUEUE), recorder::handle);
				ChoiceApplication other = new ChoiceApplication(server.uri(), List.of(QUEUE), recorder::handle)) {
			one.listen();
			other.listen();
			measure(one.template(), recorder, WARM_UP);
			RedisTime before = RedisTime.of(server);
			Waits waits = measure(one.template(), recorder, round.options().burst());
			RedisTime used = RedisTime.of(server).since(before);
			String subject = "%,d due at once, two instances: ".formatted(round.options().burst());
			round.report(subject + "the last one", "ms late", null, waits.millis(100), Bound.atMost(1000));
			round.report(subject + "half of them", "ms late", null, waits.millis(50), null);
			round.report(subject + "Redis computes, sends included", "µs a message", null,
					used.microsPer(round.options().burst()), null);
		}
	}

	private static Waits measure(QueueOperations queues, Recorder recorder, int count) {
		Waits waits = new Waits(count);
		recorder.waits = waits;
		Duration ahead = CALM.plusMillis(count / SENT_PER_MILLI);
		long dueNanos = System.nanoTime() + ahead.toNanos();
		Instant due = Instant.now().plus(ahead);
		Parcel parcel = Parcel.due(dueNanos);
		for (int sent = 0; sent < count; sent += TOGETHER) {
			queues.sendAll(Collections.nCopies(Math.min(TOGETHER, count - sent),
					OutboundMessage.to(QUEUE, parcel).dueAt(due)));
		}
		if (System.nanoTime() - dueNanos > 0) {
			throw new IllegalStateException("It took longer than %s to send %d messages".formatted(ahead, count));
		}
		waits.await();
		return waits;
	}

	private static final class Recorder {

		private volatile Waits waits = new Waits(0);

		void handle(Parcel parcel) {
			this.waits.add(parcel);
		}

	}

}
