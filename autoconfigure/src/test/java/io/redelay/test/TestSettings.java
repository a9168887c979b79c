package io.redelay.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.lock.LockSettings;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.send.SendObservation;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.queue.work.CancellationMode;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.converter.MessageConverter;

/**
 * Settings for tests that make by hand what the auto-configuration makes from properties.
 */
public final class TestSettings {

	/**
	 * Sends up to 1 MB, and 10,000 messages at a time.
	 */
	public static final SendSettings SEND = new SendSettings(1024 * 1024,
			new SendSettings.MaxWaiting(10_000, Long.MAX_VALUE), true, Map.of(), Map.of(), Map.of(), Map.of(), null);

	/**
	 * Keeps 10,000 dead messages for a month.
	 */
	public static final DeadLetterSettings DEAD_LETTERS = new DeadLetterSettings(10_000, Duration.ofDays(30),
			DeadLetterSettings.ANY_SIZE, null, null, null);

	/**
	 * Waits 5 s for the answer to a release.
	 */
	public static final LockSettings LOCK = new LockSettings("redelay", Duration.ofSeconds(5), Duration.ofSeconds(1));

	private TestSettings() {
	}

	/**
	 * Creates a template that is neither observed nor intercepted, of queues that have
	 * one partition each.
	 */
	public static QueueTemplate template(QueueScripts store, MessageConverter converter, SendSettings settings) {
		return new QueueTemplate(store, converter, new EnvelopeCodec(), settings, SinglePartitions.create(),
				new SendObservation(ObservationRegistry.NOOP, null, null), ForkJoinPool.commonPool(), List.of());
	}

	/**
	 * Gives the settings of a queue with failures that are retried as usual.
	 * @param lease how long a lane lives without being renewed
	 */
	public static ContainerSettings.QueueSettings queue(Duration lease) {
		return queue(lease, null, RetrySettings.DEFAULTS, DEAD_LETTERS);
	}

	/**
	 * Gives the settings of a queue that keeps nothing of completed messages.
	 */
	public static ContainerSettings.QueueSettings queue(Duration lease, @Nullable Duration maxHandlingTime,
			RetrySettings retries, DeadLetterSettings deadLetters) {
		return new ContainerSettings.QueueSettings(lease, maxHandlingTime,
				new ContainerSettings.FailureSettings(retries, null, deadLetters), ClaimLimits.NONE, null, null,
				CancellationMode.SIGNAL, new ContainerSettings.Filters(GroupFilter.NONE, null));
	}

	/**
	 * Gives groups of no topic.
	 */
	public static TopicGroups noTopics(Scheduler scheduler) {
		return new TopicGroups(() -> {
			throw new UnsupportedOperationException("There are no topics here");
		}, Map.of(), scheduler, (event) -> {
		}, (queue) -> {
		});
	}

}
