package io.redelay.queue.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.redelay.queue.measure.Handling;
import io.redelay.queue.measure.Settled;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * The counters and timers of one queue. Each is created at its first use, except that
 * those of the outcomes of messages are created together, so that a rate of dead messages
 * is zero and not missing while none died.
 * <p>
 * Safe for use by many threads.
 */
final class QueueInstruments {

	private final MeterRegistry registry;

	private final QueueTags tags;

	private final String queue;

	private final Map<Handled, Timer> handlings = new ConcurrentHashMap<>();

	private final Map<String, Timer> waits = new ConcurrentHashMap<>();

	private final Map<String, Counter> failures = new ConcurrentHashMap<>();

	private final SingletonSupplier<Counter> sent;

	private final SingletonSupplier<Counter> redriven;

	private final SingletonSupplier<Consumption> consumption = SingletonSupplier.of(Consumption::new);

	QueueInstruments(MeterRegistry registry, QueueTags tags, String queue) {
		this.registry = registry;
		this.tags = tags;
		this.queue = queue;
		this.sent = SingletonSupplier.of(() -> counter("messaging.client.sent.messages",
				"Messages that were added to the queue", "messages", QueueTags.operation(queue, "send", "send")));
		this.redriven = SingletonSupplier.of(() -> counter("redelay.queue.redriven",
				"Dead messages that were redriven by the queue's rule", "messages", Tags.of(QueueTags.QUEUE, queue)));
	}

	void sent(int messages) {
		this.sent.obtain().increment(messages);
	}

	/**
	 * Looked up each time, because it is used only for a group with a filter.
	 */
	void leftOut(int messages) {
		counter("redelay.queue.left.out", "Messages that the filter of the group left out", "messages",
				Tags.of(QueueTags.QUEUE, this.queue))
			.increment(messages);
	}

	void claimed(int messages, long nanos) {
		Consumption used = this.consumption.obtain();
		used.consumed.increment(messages);
		used.claim.record(nanos, TimeUnit.NANOSECONDS);
	}

	void settled(Settled settled, long nanos) {
		Consumption used = this.consumption.obtain();
		used.acknowledged.increment(settled.acknowledged());
		used.retried.increment(settled.retried());
		used.dead.increment(settled.dead());
		used.returned.increment(settled.returned());
		used.others.increment(settled.others());
		if (nanos > 0) {
			used.settle.record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	void redriven(int messages) {
		this.redriven.obtain().increment(messages);
	}

	void handled(Handling handling) {
		String type = this.tags.payloadType(this.queue, handling.payloadType());
		this.handlings
			.computeIfAbsent(new Handled(type, handling.outcome()), (key) -> timer("redelay.queue.handling",
					"How long the handling of a message takes; of one in a batch, its share",
					Tags.of(QueueTags.QUEUE, this.queue, QueueTags.PAYLOAD_TYPE, type, QueueTags.OUTCOME,
							key.outcome())))
			.record(handling.handlingNanos(), TimeUnit.NANOSECONDS);
		if (handling.hasWait()) {
			this.waits
				.computeIfAbsent(type,
						(key) -> timer("redelay.queue.wait", "How late a message is when its handler is called",
								Tags.of(QueueTags.QUEUE, this.queue, QueueTags.PAYLOAD_TYPE, type)))
				.record(handling.waitMillis(), TimeUnit.MILLISECONDS);
		}
	}

	void failed(@Nullable String exception) {
		this.failures
			.computeIfAbsent(this.tags.exception(exception),
					(name) -> counter("redelay.queue.failures", "Attempts to handle a message that failed", null,
							Tags.of(QueueTags.QUEUE, this.queue, QueueTags.ERROR, name)))
			.increment();
	}

	private Counter counter(String name, String description, @Nullable String unit, Tags of) {
		return Counter.builder(name).description(description).baseUnit(unit).tags(of).register(this.registry);
	}

	private Timer timer(String name, String description, Tags of) {
		return Timer.builder(name).description(description).tags(of).register(this.registry);
	}

	/**
	 * The tags that distinguish handlings.
	 */
	private record Handled(String payloadType, String outcome) {

	}

	/**
	 * The meters of a queue that is consumed here.
	 */
	private final class Consumption {

		final Counter consumed = counter("messaging.client.consumed.messages", "Messages that were claimed", "messages",
				QueueTags.operation(QueueInstruments.this.queue, "claim", "receive"));

		final Timer claim = operation("claim", "receive");

		final Timer settle = operation("settle", "settle");

		final Counter acknowledged = outcome("acknowledged");

		final Counter retried = outcome("retried");

		final Counter dead = outcome("dead");

		final Counter returned = outcome("returned");

		final Counter others = outcome("other");

		/**
		 * The observation of a send has the same name, so it has the same tags.
		 */
		private Timer operation(String name, String type) {
			return timer("messaging.client.operation.duration", "How long a request to Redis takes",
					QueueTags.operation(QueueInstruments.this.queue, name, type)
						.and(QueueTags.ERROR, BoundedValues.NONE));
		}

		private Counter outcome(String outcome) {
			return counter("redelay.queue.settled", "What became of messages", "messages",
					Tags.of(QueueTags.QUEUE, QueueInstruments.this.queue, QueueTags.OUTCOME, outcome));
		}

	}

}
