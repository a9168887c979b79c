package io.redelay.queue.listener;

import java.util.function.Consumer;

import io.redelay.queue.LeaseLostEvent;
import io.redelay.queue.listener.deadletter.DeadLetterEvents;
import io.redelay.queue.listener.deadletter.DeadLetterRuntime;
import io.redelay.queue.listener.failure.FailureRuntime;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.topic.TopicGroups;

/**
 * What all containers of an application share that listen to one server. A container
 * takes it apart and hands each of its classes the part that it needs.
 *
 * @param claims what claims messages
 * @param handlers what calls handlers
 * @param failures what records and reports failures
 * @param deadLetters what looks after dead messages
 * @param topics what registers the groups of topics
 * @param leases is told of leases that ran out; must be quick
 * @since 0.1.0
 */
public record ListenerRuntime(ClaimRuntime claims, HandlerRuntime handlers, FailureRuntime failures,
		DeadLetterRuntime deadLetters, TopicGroups topics, Consumer<LeaseLostEvent> leases) {

	/**
	 * Creates the part that looks after dead messages from the others.
	 * @param claims what claims messages
	 * @param handlers what calls handlers
	 * @param failures what records and reports failures
	 * @param adminStore the store for administration of the same server
	 */
	public ListenerRuntime(ClaimRuntime claims, HandlerRuntime handlers, FailureRuntime failures,
			QueueAdminStore adminStore) {
		this(claims, handlers, failures, adminStore,
				TopicGroups.unconfigured(claims.store()::topics, claims.scheduler()), (lost) -> {
				});
	}

	/**
	 * Creates the part that looks after dead messages from the others.
	 * @param claims what claims messages
	 * @param handlers what calls handlers
	 * @param failures what records and reports failures
	 * @param adminStore the store for administration of the same server
	 * @param topics what registers the groups of topics
	 * @param leases is told of leases that ran out; must be quick
	 */
	public ListenerRuntime(ClaimRuntime claims, HandlerRuntime handlers, FailureRuntime failures,
			QueueAdminStore adminStore, TopicGroups topics, Consumer<LeaseLostEvent> leases) {
		this(claims, handlers, failures,
				new DeadLetterRuntime(adminStore, claims.store(), claims.codec(), failures.mapper(), claims.scheduler(),
						claims.safetyPoll(), failures.retryListeners(), new DeadLetterEvents()),
				topics, leases);
	}

}
