package io.redelay.queue.deadletter;

import java.util.List;

import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parts that containers share to manage dead messages.
 *
 * @param store acts on dead messages
 * @param target the store that forwarded messages are sent to
 * @param codec reads envelopes
 * @param mapper reads and writes the records of failed attempts
 * @param scheduler the clock, and threads for longer tasks
 * @param safetyPoll how often to look without an event
 * @param retryListeners called when messages are removed
 * @param events publishes that messages have died here
 * @since 0.1.0
 */
public record DeadLetterRuntime(AdminScripts store, QueueScripts target, EnvelopeCodec codec, JsonMapper mapper,
		Scheduler scheduler, SafetyPoll safetyPoll, List<MessageRetryListener> retryListeners,
		DeadLetterEvents events) {

}
