package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One queue as the endpoint of queues shows it.
 *
 * @param time when it was made
 * @param queue its name
 * @param write whether the user may act on it
 * @param payloads whether the user sees payloads
 * @param counts how many messages it has
 * @param settings the settings of its listeners; equal ones of several instances are
 * shown once
 * @param limits its limits, and where they come from
 * @param consumers the instances that consume from it
 * @param redrive the rule by which its dead messages are redriven, if it has one
 * @param history its last hour
 * @param diagnosis why it is behind, or that it is not
 * @param bundles some of the bundles of which it gets the callback, or {@code null} if
 * there are none
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record QueueDetail(Instant time, String queue, boolean write, boolean payloads, QueueCounts counts,
		List<Map<String, Object>> settings, Map<String, Object> limits, List<Consumer> consumers,
		@Nullable RedriveView redrive, HistoryView history, Map<String, Object> diagnosis,
		@Nullable List<Map<String, Object>> bundles) {

	/**
	 * The fields that are settings of a listener, not its state.
	 */
	private static final List<String> SETTINGS = List.of("rateLimit", "maxInFlight", "keyRateLimit", "keyMaxInFlight",
			"sharedLimit", "sharedRateLimit", "sharedMaxInFlight", "maxAttempts", "backoff", "leaseMillis",
			"deadLetterQueue");

	private static final int MAX_CONSUMERS = 200;

	private static final int MAX_BUNDLES = 20;

	static @Nullable List<Map<String, Object>> bundles(List<BundleInfo> all) {
		return all.isEmpty() ? null : all.stream().limit(MAX_BUNDLES).map(RecordView::of).toList();
	}

	static List<Map<String, Object>> settings(String queue, List<InstanceInfo> instances) {
		List<Map<String, Object>> all = new ArrayList<>();
		for (InstanceInfo instance : instances) {
			for (InstanceListener listener : instance.listeners()) {
				of(queue, listener).forEach((listened) -> {
					Map<String, Object> reported = RecordView.of(listened);
					Map<String, Object> settings = new LinkedHashMap<>();
					settings.put("listener", listener.id());
					settings.put("concurrency", listener.concurrency());
					SETTINGS.stream()
						.filter(reported::containsKey)
						.forEach((name) -> settings.put(name, Objects.requireNonNull(reported.get(name))));
					if (!all.contains(settings) && all.size() < MAX_CONSUMERS) {
						all.add(settings);
					}
				});
			}
		}
		return all;
	}

	static List<Consumer> consumers(String queue, List<ConsumerInfo> consumers, List<InstanceInfo> instances) {
		return consumers.stream()
			.limit(MAX_CONSUMERS)
			.map((consumer) -> Consumer.of(queue, consumer,
					instances.stream()
						.filter((instance) -> instance.instance().equals(consumer.instance()))
						.findFirst()
						.orElse(null)))
			.toList();
	}

	private static Stream<ListenedQueue> of(String queue, InstanceListener listener) {
		return listener.queues().stream().filter((listened) -> listened.queue().equals(queue));
	}

	/**
	 * An instance that consumes from a queue.
	 *
	 * @param instance its name in the store
	 * @param name its display name
	 * @param startedAt when it started
	 * @param listeners the ids of its listeners to the queue
	 * @param inFlight how many messages of the queue it has in hand
	 * @param leaseMillis the remaining time of its lease; negative if it has run out
	 * @param alive whether its lease has not run out
	 * @param state the state of its listeners: that of the first running one, if one runs
	 * @param gated whether a gate of the instance is closed for the queue
	 * @param concurrency how many handlers may run
	 * @param busy how many run
	 * @param sinceClaimMillis how long ago Redis answered a claim
	 * @param claimMillis how long Redis took to answer claims in the last minute
	 * @param meanHandlingMillis how long handlers took in the last minute
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Consumer(String instance, @Nullable String name, @Nullable Instant startedAt, List<String> listeners,
			long inFlight, long leaseMillis, boolean alive, InstanceListener.@Nullable State state,
			@Nullable Boolean gated, @Nullable Integer concurrency, @Nullable Integer busy,
			@Nullable Double sinceClaimMillis, @Nullable Double claimMillis, @Nullable Double meanHandlingMillis) {

		static Consumer of(String queue, ConsumerInfo consumer, @Nullable InstanceInfo instance) {
			List<InstanceListener> listeners = (instance != null) ? instance.listeners()
				.stream()
				.filter((listener) -> QueueDetail.of(queue, listener).findAny().isPresent())
				.toList() : List.of();
			List<ListenedQueue> listened = listeners.stream()
				.flatMap((listener) -> QueueDetail.of(queue, listener))
				.toList();
			boolean announced = !listeners.isEmpty();
			return new Consumer(consumer.instance(), consumer.name(), consumer.startedAt(), consumer.listeners(),
					consumer.inFlight(), consumer.lease().toMillis(), consumer.isAlive(),
					listeners.stream().map(InstanceListener::state).min(InstanceListener.State::compareTo).orElse(null),
					announced ? listened.stream().allMatch(ListenedQueue::gated) : null,
					announced ? listeners.stream().mapToInt(InstanceListener::concurrency).sum() : null,
					announced ? listeners.stream().mapToInt(InstanceListener::busy).sum() : null,
					millis(listened.stream().map(ListenedQueue::sinceClaim)),
					millis(listened.stream().map(ListenedQueue::claimTime)),
					millis(listened.stream().map(ListenedQueue::meanHandling)));
		}

		private static @Nullable Double millis(Stream<@Nullable Duration> durations) {
			return durations.filter(Objects::nonNull).map(RecordView::millis).min(Double::compareTo).orElse(null);
		}

	}

}
