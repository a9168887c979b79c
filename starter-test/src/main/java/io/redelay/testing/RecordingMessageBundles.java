package io.redelay.testing;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.redelay.queue.DeathReason;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendResult;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleDeath;
import io.redelay.queue.bundle.BundleEndedException;
import io.redelay.queue.bundle.BundleResult;
import io.redelay.queue.bundle.BundleResultBounds;
import io.redelay.queue.bundle.BundleResults;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.FirstDeath;
import io.redelay.queue.bundle.MessageBundles;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A {@link MessageBundles} that records messages and sends nothing, for tests without
 * Redis. {@link RecordingQueueOperations#sent()} has the messages of a bundle, the
 * message of its first death and, as soon as it is closed, its callback with the
 * {@link BundleSummary}.
 * <p>
 * Each message ends as soon as it is added, as set by
 * {@link RecordingQueueOperations#answer}: handled with that result, or dead if that
 * throws. A message to a queue without an answer is handled, and its handler returns
 * nothing. Nothing waits for a transaction.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RecordingMessageBundles implements MessageBundles {

	private static final JsonMapper MAPPER = JsonMapper.builder().findAndAddModules().build();

	private final RecordingQueueOperations queues;

	private final InstantSource clock;

	private final Map<List<String>, Recorded> open = new ConcurrentHashMap<>();

	private final AtomicLong number = new AtomicLong();

	/**
	 * Creates one with the clock of this machine.
	 * @param queues records messages, and has the results of handlers
	 */
	public RecordingMessageBundles(RecordingQueueOperations queues) {
		this(queues, InstantSource.system());
	}

	/**
	 * Creates one.
	 * @param queues records messages, and has the results of handlers
	 * @param clock the times of summaries
	 */
	public RecordingMessageBundles(RecordingQueueOperations queues, InstantSource clock) {
		this.queues = queues;
		this.clock = clock;
	}

	@Override
	public Bundle send(BundleCallback callback, Collection<OutboundMessage> messages) {
		Bundle bundle = open(callback);
		bundle.add(messages);
		bundle.close();
		return bundle;
	}

	@Override
	public Bundle open(BundleCallback callback) {
		String id = (callback.id() != null) ? callback.id() : "recorded-" + this.number.incrementAndGet();
		this.open.computeIfAbsent(List.of(callback.queue(), id), (name) -> new Recorded(id, callback));
		return bundle(callback.queue(), id);
	}

	@Override
	public Bundle bundle(String queue, String id) {
		return new Handle(this, queue, id);
	}

	/**
	 * A bundle by its name.
	 */
	private record Handle(RecordingMessageBundles bundles, String queue, String id) implements Bundle {

		@Override
		public List<String> add(Collection<OutboundMessage> messages) {
			Recorded recorded = recorded();
			return messages.stream().map(recorded::add).toList();
		}

		@Override
		public void cancelRest() {
			recorded().cancelRest();
		}

		@Override
		public void close() {
			Recorded recorded = recorded();
			this.bundles.open.remove(List.of(this.queue, this.id));
			recorded.end();
		}

		private Recorded recorded() {
			Recorded recorded = this.bundles.open.get(List.of(this.queue, this.id));
			if (recorded == null) {
				throw new BundleEndedException("The bundle '" + this.id + "' with a callback to the queue '"
						+ this.queue + "' has ended, or never was");
			}
			return recorded;
		}

	}

	/**
	 * The recorded messages of a bundle.
	 */
	private final class Recorded {

		private final String id;

		private final BundleCallback callback;

		private final long openedAtMillis;

		private final List<BundleDeath> deaths = new ArrayList<>();

		private final List<BundleResult> results = new ArrayList<>();

		private long resultBytes;

		private int resultsLeftOut;

		private int acknowledged;

		private int cancelled;

		private boolean restCancelled;

		Recorded(String id, BundleCallback callback) {
			this.id = id;
			this.callback = callback;
			this.openedAtMillis = RecordingMessageBundles.this.clock.millis();
		}

		synchronized void cancelRest() {
			this.restCancelled = true;
		}

		synchronized String add(OutboundMessage message) {
			if (this.restCancelled) {
				this.cancelled++;
				return (message.id() != null) ? message.id() : "cancelled-" + this.cancelled;
			}
			SendResult sent = RecordingMessageBundles.this.queues.send(message);
			try {
				Function<OutboundMessage, ?> answer = RecordingMessageBundles.this.queues.answerOf(message.queue());
				keep(sent, (answer != null) ? answer.apply(message) : null);
				this.acknowledged++;
			}
			catch (RuntimeException ex) {
				died(sent, ex);
			}
			return sent.id();
		}

		private void died(SendResult sent, RuntimeException failure) {
			this.deaths.add(new BundleDeath(sent.queue(), sent.id(), DeathReason.FAILED, failure.getClass().getName(),
					failure.getMessage()));
			OutboundMessage first = this.callback.firstDeathMessage();
			if (this.deaths.size() == 1 && first != null) {
				RecordingMessageBundles.this.queues.send(first);
			}
			this.restCancelled |= this.callback.firstDeath() == FirstDeath.CANCEL_REST;
		}

		private void keep(SendResult sent, @Nullable Object value) {
			BundleResultBounds bounds = this.callback.results();
			if (bounds == null || value == null) {
				return;
			}
			BundleResult result = result(sent, value);
			long bytes = result.toBytes().length;
			if (bytes > bounds.each().toBytes() || this.resultBytes + bytes > bounds.together().toBytes()) {
				this.resultsLeftOut++;
				return;
			}
			this.resultBytes += bytes;
			this.results.add(result);
		}

		private static BundleResult result(SendResult sent, Object value) {
			if (value instanceof byte[] bytes) {
				return new BundleResult(sent.queue(), sent.id(), "application/octet-stream",
						Base64.getEncoder().encodeToString(bytes), true);
			}
			return (value instanceof String text)
					? new BundleResult(sent.queue(), sent.id(), "text/plain;charset=" + StandardCharsets.UTF_8, text,
							false)
					: new BundleResult(sent.queue(), sent.id(), "application/json", MAPPER.writeValueAsString(value),
							false);
		}

		synchronized void end() {
			int total = this.acknowledged + this.deaths.size() + this.cancelled;
			BundleSummary summary = new BundleSummary(this.callback.queue(), this.id, this.openedAtMillis,
					RecordingMessageBundles.this.clock.millis(), false, total, this.acknowledged, this.deaths.size(),
					this.cancelled, 0, 0, 0, 0, 0, 0, this.deaths,
					new BundleResults(this.results, this.resultsLeftOut));
			OutboundMessage message = OutboundMessage.to(this.callback.queue(), summary);
			for (Map.Entry<String, Object> header : this.callback.headers().entrySet()) {
				message = message.header(header.getKey(), header.getValue());
			}
			RecordingMessageBundles.this.queues.send(message);
		}

	}

}
