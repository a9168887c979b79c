package io.redelay.queue.handle;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.AckMode;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.failure.FailurePolicy;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.notes.NotesWriter;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.CancellationMode;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parts of a container that never runs, for measuring what they do by themselves.
 *
 * @since 0.1.0
 */
public final class OfflineContainer {

	private static final String QUEUE = "benchmark";

	private final ContainerSettings settings;

	/**
	 * Creates a container.
	 * @param concurrency how many handlers it has
	 */
	public OfflineContainer(int concurrency) {
		this.settings = new ContainerSettings(QUEUE, Map.of(QUEUE,
				new ContainerSettings.QueueSettings(Duration.ofDays(1), null, RetrySettings.DEFAULTS, null,
						new DeadLetterSettings(1, Duration.ofDays(1), DeadLetterSettings.ANY_SIZE, null, null, null),
						ClaimLimits.NONE, null, null, CancellationMode.SIGNAL, GroupFilter.NONE, null)),
				concurrency, concurrency, null, AckMode.AUTO, 1, Duration.ZERO, true, List.of());
	}

	public ContainerSettings settings() {
		return this.settings;
	}

	/**
	 * Gives a message as a handler is given it.
	 * @param envelope what was sent
	 * @return the delivery, whose envelope has been read
	 */
	public Delivery delivery(byte[] envelope) {
		FailurePolicy policy = new FailurePolicy(QUEUE, RetrySettings.DEFAULTS,
				new FailureRuntime(QUEUE, JsonMapper.shared(), List.of(), QueueMeter.NONE));
		Delivery delivery = new Delivery(new Owner(),
				new DeliveryContext(QUEUE, QUEUE, QUEUE, new EnvelopeCodec(), policy, null,
						Scheduler.unclosed(Runnable::run), Completions.NONE, new EarlyStops(QUEUE)),
				new ClaimReply.Message("uid", 1, 0, 0, false, envelope), 0, Instant.now(), System.nanoTime());
		if (!delivery.settlement().open()) {
			throw new IllegalStateException("The message may not be handled");
		}
		return delivery;
	}

	/**
	 * Lets everything start, and sends nothing.
	 */
	private static final class Owner implements DeliveryOwner {

		@Override
		public CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, Settlement acknowledgement) {
			settle(delivery, acknowledgement);
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public void handled(Delivery delivery) {
		}

		@Override
		public String queue() {
			return QUEUE;
		}

		@Override
		public QueueScripts store() {
			throw new UnsupportedOperationException("Nothing is stored");
		}

		@Override
		public boolean mayStart(Delivery delivery) {
			return true;
		}

		@Override
		public void settle(Delivery delivery, Settlement settlement) {
		}

		@Override
		public void gather(Runnable settlements) {
			settlements.run();
		}

		@Override
		public void giveBackStalled() {
		}

		@Override
		public NotesWriter notes() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void lost(Delivery delivery) {
		}

		@Override
		public CompletableFuture<Boolean> isCancelled(String uid) {
			return CompletableFuture.completedFuture(false);
		}

	}

}
