package io.redelay.queue.claim;

import java.util.function.Consumer;

import io.redelay.queue.deadletter.DeadLetterEvents;
import io.redelay.queue.deadletter.DeadLetterRuntime;
import io.redelay.queue.event.LeaseLostEvent;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.handle.HandlerRuntime;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.topic.TopicGroups;

/**
 * The parts that all containers of an application on one server share. A container passes
 * each of its classes the part that it needs.
 *
 * @param claims claims messages
 * @param handlers calls handlers
 * @param failures records and reports failures
 * @param codec reads envelopes
 * @param deadLetters manages dead messages
 * @param topics registers the groups of topics
 * @param leases called with leases that ran out; must be quick
 * @since 0.1.0
 */
public record ListenerRuntime(ClaimRuntime claims, HandlerRuntime handlers, FailureRuntime failures,
		EnvelopeCodec codec, DeadLetterRuntime deadLetters, TopicGroups topics, Consumer<LeaseLostEvent> leases) {

	/**
	 * Creates the part that manages dead messages from the others.
	 * @param claims claims messages
	 * @param handlers calls handlers
	 * @param failures records and reports failures
	 * @param codec reads envelopes
	 * @param adminStore the store for administration of the same server
	 * @param topics registers the groups of topics
	 * @param leases called with leases that ran out; must be quick
	 */
	public ListenerRuntime(ClaimRuntime claims, HandlerRuntime handlers, FailureRuntime failures, EnvelopeCodec codec,
			AdminScripts adminStore, TopicGroups topics, Consumer<LeaseLostEvent> leases) {
		this(claims, handlers, failures, codec,
				new DeadLetterRuntime(adminStore, claims.scripts(), codec, failures.mapper(), claims.scheduler(),
						claims.signals().safetyPoll(), failures.retryListeners(), new DeadLetterEvents()),
				topics, leases);
	}

}
