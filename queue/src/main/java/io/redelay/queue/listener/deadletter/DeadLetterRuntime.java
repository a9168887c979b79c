package io.redelay.queue.listener.deadletter;

import java.util.List;

import io.redelay.queue.MessageRetryListener;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

/**
 * What containers share to look after dead messages.
 *
 * @param store acts on dead messages
 * @param target where those go that are handed on
 * @param codec reads envelopes
 * @param mapper reads and writes what is kept of failed attempts
 * @param scheduler the time, and threads for what takes longer
 * @param safetyPoll how often to look without being told
 * @param retryListeners are told of messages that are forgotten
 * @param events tells that messages have died here
 * @since 0.1.0
 */
public record DeadLetterRuntime(QueueAdminStore store, DelayQueueStore target, EnvelopeCodec codec, JsonMapper mapper,
		Scheduler scheduler, SafetyPoll safetyPoll, List<MessageRetryListener> retryListeners,
		DeadLetterEvents events) {

}
