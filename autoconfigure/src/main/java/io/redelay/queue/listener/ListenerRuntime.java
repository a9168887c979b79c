package io.redelay.queue.listener;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.MessageRetryListener;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.listener.deadletter.DeadLetterEvents;
import io.redelay.queue.listener.deadletter.DeadLetterRuntime;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.observation.QueueProcessConvention;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What all containers of an application share that listen to one server.
 *
 * @param instance what people call this instance
 * @param store where messages are
 * @param codec reads envelopes
 * @param mapper writes what is kept of failed attempts
 * @param timer wakes loops and ends what takes too long; its tasks are short
 * @param handlers runs handlers; must not bound how many
 * @param wakeUps tells loops that there is something to do
 * @param safetyPoll lets loops look without being told
 * @param observations observes handlers
 * @param convention names the observations, or {@code null} for the usual names
 * @param retryListeners are told of failures
 * @param log logs what is handled, or {@code null} if nothing does
 * @param deadLetters what is shared to look after dead messages
 * @param suspects shared by all containers of the instance, also those of other servers
 * @param invariants reports defects
 * @since 0.1.0
 */
public record ListenerRuntime(String instance, DelayQueueStore store, EnvelopeCodec codec, JsonMapper mapper,
		ScheduledExecutorService timer, Executor handlers, WakeUps wakeUps, SafetyPoll safetyPoll,
		ObservationRegistry observations, @Nullable QueueProcessConvention convention,
		List<MessageRetryListener> retryListeners, @Nullable MessageLog log, DeadLetterRuntime deadLetters,
		SuspectAdmission suspects, Invariants invariants) {

	/**
	 * Shares all but the store for administration with what looks after dead messages.
	 * @param instance what people call this instance
	 * @param store where messages are
	 * @param adminStore the store for administration of the same server
	 * @param codec reads envelopes
	 * @param mapper writes what is kept of failed attempts
	 * @param timer wakes loops and ends what takes too long; its tasks are short
	 * @param handlers runs handlers; must not bound how many
	 * @param wakeUps tells loops that there is something to do
	 * @param safetyPoll lets loops look without being told
	 * @param observations observes handlers
	 * @param convention names the observations, or {@code null} for the usual names
	 * @param retryListeners are told of failures
	 * @param log logs what is handled, or {@code null} if nothing does
	 * @param suspects shared by all containers of the instance, also those of other
	 * servers
	 * @param invariants reports defects
	 */
	public ListenerRuntime(String instance, DelayQueueStore store, QueueAdminStore adminStore, EnvelopeCodec codec,
			JsonMapper mapper, ScheduledExecutorService timer, Executor handlers, WakeUps wakeUps,
			SafetyPoll safetyPoll, ObservationRegistry observations, @Nullable QueueProcessConvention convention,
			List<MessageRetryListener> retryListeners, @Nullable MessageLog log, SuspectAdmission suspects,
			Invariants invariants) {
		this(instance, store, codec, mapper, timer, handlers, wakeUps, safetyPoll, observations, convention,
				retryListeners, log, new DeadLetterRuntime(adminStore, store, codec, mapper,
						Scheduler.of(timer, handlers), safetyPoll, retryListeners, new DeadLetterEvents()),
				suspects, invariants);
	}

	/**
	 * For what goes beyond messages.
	 * @return the store for administration of the same server
	 */
	public QueueAdminStore adminStore() {
		return this.deadLetters.store();
	}

}
